package assemble

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"quell/internal/message"
	"quell/io/dicom/instance"
	"quell/series"
)

// groupTolerance is the largest distance in mm between the corners of two grids that are
// one: positions in files are rounded.
const groupTolerance = 0.01

// placeOnAxes gives volumes of near directions that differ in labels of volumes the places
// that these labels name: a scanner that follows the head turns each volume a little, so
// that it is alone in its plane.
func placeOnAxes(parts []candidate) {
	for first := range parts {
		for i := range parts[:first] {
			a, b := &parts[i], &parts[first]
			if a.plane == b.plane || len(a.place) > 0 && len(b.place) > 0 || !turned(a.slices[0], b.slices[0]) {
				continue
			}
			for k, d := range instance.Distinctions {
				x, y := a.slices[0].Distinctions[k], b.slices[0].Distinctions[k]
				if d.Axis && d.Role != instance.OfParts && x != y {
					a.putOn(d, x)
					b.putOn(d, y)
					break
				}
			}
		}
	}
}

// putOn gives a candidate without a place the one that a label names.
func (p *candidate) putOn(d instance.Distinction, value string) {
	if len(p.place) == 0 {
		named := p.with(series.Coordinate{Axis: d.Name, Value: value, Unit: d.Unit}, true)
		p.label, p.place = named.label, named.place
	}
}

// mostTurned is the largest difference between the direction cosines of volumes of one
// 4-D series, about 10 degrees.
const mostTurned = 0.17

// turned reports whether two placed images of one size have directions that are not one
// but near.
func turned(a, b *instance.Slice) bool {
	return a.Placed && b.Placed && sameImage(a, b) && a.Row.Sub(b.Row).Norm() < mostTurned && a.Column.Sub(b.Column).Norm() < mostTurned
}

// formGroups makes 4-D series of the entries of one series: the volumes of one kind that
// were divided along an axis and have slices at the same steps, on the grid of the first.
// A volume that moved keeps its positions. A volume that lacks slices is left out and
// named. parts are the candidates of the entries.
func formGroups(entries []Entry, parts []candidate) {
	var clusters [][]int // of entries that are volumes of one 4-D series
	for i := range entries {
		if entries[i].Err != nil || len(parts[i].place) == 0 {
			continue
		}
		c := slices.IndexFunc(clusters, func(c []int) bool { return together(entries, parts, c[0], i) })
		if c < 0 {
			c = len(clusters)
			clusters = append(clusters, nil)
		}
		clusters[c] = append(clusters[c], i)
	}
	// Whole volumes come first: several with the most slices, or else the most volumes.
	slices.SortStableFunc(clusters, func(a, b []int) int {
		if len(a) > 1 && len(b) > 1 || len(a) == len(b) {
			return cmp.Or(cmp.Compare(entries[b[0]].Slices, entries[a[0]].Slices), cmp.Compare(len(b), len(a)))
		}
		return cmp.Compare(len(b), len(a))
	})
	for len(clusters) > 0 {
		whole := clusters[0]
		var rest [][]int
		var left []int
		for _, c := range clusters[1:] {
			if missing(entries, parts, whole, c[0]) {
				left = append(left, c...)
			} else {
				rest = append(rest, c)
			}
		}
		if len(whole) > 1 {
			formGroup(entries, parts, whole)
		}
		leaveOut(entries, whole, left)
		clusters = rest
	}
}

// formGroup makes the 4-D series of its members.
func formGroup(entries []Entry, parts []candidate, members []int) {
	group := &series.Group{}
	var times []float64
	shift, moved := 0.0, 0
	for n, i := range members {
		entries[i].Group, entries[i].GroupIndex = group, n
		group.Places = append(group.Places, parts[i].place)
		times = append(times, timeOf(&entries[i], parts[i].place))
		if d := entries[i].Geometry.Apart(entries[members[0]].Geometry); d > groupTolerance {
			shift, moved = max(shift, d), moved+1
		}
	}
	group.Step = evenStep(times)
	giveGradients(group, entries, members)
	for _, i := range members {
		if moved > 0 {
			entries[i].Findings = append(entries[i].Findings, series.Finding{Severity: series.Warning, Kind: series.Moved,
				Text: message.Text("%d of the %d volumes of the 4-D series moved against the first, by up to %.2f mm. Each is filtered by itself and keeps its positions in DICOM; a file of one grid has the grid of the first.", moved, len(members), shift)})
		}
	}
}

// leaveOut names the volumes that are not among the whole ones, for lack of slices or as
// they lie elsewhere.
func leaveOut(entries []Entry, whole, left []int) {
	slices.Sort(left)
	for _, i := range left {
		e, slicesOfWhole := &entries[i], entries[whole[0]].Slices
		why := message.Text("it has %d slices and the others have %d", e.Slices, slicesOfWhole)
		if e.Slices == slicesOfWhole {
			why = message.Text("its slices lie elsewhere")
		}
		for _, w := range whole {
			entries[w].Findings = append(entries[w].Findings, series.Finding{Severity: series.Refused, Kind: series.Incomplete, Files: FileNames(e.Stack),
				Text: message.Text("Another volume of the series is left out (%s): %s.", e.Part, why)})
			entries[w].LeftOut = append(entries[w].LeftOut, series.LeftOut{Volume: true, Files: FileNames(e.Stack), Text: message.Text("%s: %s", e.Part, why)})
		}
		e.Findings = append(e.Findings, series.Finding{Severity: series.Warning, Kind: series.Incomplete,
			Text: message.Text("This volume is not in the 4-D series of the others: %s.", why)})
	}
}

// missing reports whether a volume is of the kind of whole ones and in their place, and
// cannot be one of them.
func missing(entries []Entry, parts []candidate, whole []int, other int) bool {
	w := whole[0]
	return sameKind(&parts[w], &parts[other]) && parts[w].beside(&parts[other]) &&
		(len(whole) > 1 || entries[other].Slices != entries[w].Slices || !sameSteps(entries[w].Stack, entries[other].Stack))
}

// sameKind reports whether two candidates are images of one kind, labels of axes apart.
func sameKind(a, b *candidate) bool {
	return a.kind == b.kind && (a.plane == b.plane || turned(a.slices[0], b.slices[0])) && sameImage(a.slices[0], b.slices[0])
}

// beside reports whether the slices of two candidates reach into each other along the
// normal of the first.
func (p *candidate) beside(o *candidate) bool {
	along := alongNormal(p.slices[0])
	a, b := spanOf(p.slices, along), spanOf(o.slices, along)
	return a.shared(b) > -p.slices[0].Thickness
}

// together reports whether two entries are volumes of one 4-D series: of one kind and of as
// many slices at the same steps, and moved against each other by less than half of their
// extent. Two passes of a CT scan, which differ in their acquisition, are not moved.
func together(entries []Entry, parts []candidate, a, b int) bool {
	x, y := entries[a].Geometry, entries[b].Geometry
	if !sameKind(&parts[a], &parts[b]) || x.Dims != y.Dims || !sameSteps(entries[a].Stack, entries[b].Stack) {
		return false
	}
	if x.SameGrid(y, groupTolerance) {
		return true
	}
	if entries[a].Modality == "CT" && parts[b].place[len(parts[b].place)-1].Axis == "acquisition" {
		return false
	}
	// How far its first voxel is from the place on the grid of the other, as a part of the extent.
	at, err := x.Affine.Inverse()
	if err != nil {
		return false
	}
	first := y.Affine.Column(3)
	off := at.Apply(first[0], first[1], first[2])
	for k := range 3 {
		if math.Abs(off[k]) > max(0.5*float64(x.Dims[k]), 0.5) {
			return false
		}
	}
	return !lacksEnds(parts[a].slices, parts[b].slices)
}

// sameSteps reports whether two volumes have as many slices at the same steps.
func sameSteps(a, b []*instance.Slice) bool {
	if len(a) != len(b) {
		return false
	}
	x, y := stepsOf(a), stepsOf(b)
	for i := range x {
		if math.Abs(x[i]-y[i]) > max(groupTolerance, spacingTolerance(math.Abs(x[i]))) {
			return false
		}
	}
	return true
}

// lacksEnds reports whether the slices of a volume lie at the positions of another but for
// some at the ends: one that lacks its first slice has not moved by one.
func lacksEnds(a, b []*instance.Slice) bool {
	along := alongNormal(a[0])
	near := samePosition(a[0])
	shared := 0
	for _, s := range a {
		if slices.ContainsFunc(b, func(o *instance.Slice) bool { return math.Abs(along(s)-along(o)) < near }) {
			shared++
		}
	}
	return shared > 0 && shared < len(a)
}

// timeAxes are the axes along which time passes.
var timeAxes = []string{"temporal position", "frame reference time", "acquisition", "acquisition time", "trigger time", "repeat"}

// timeOf returns the time of a volume in seconds: its coordinate if that is a time, else when the first of its slices
// was acquired, else from its temporal position; NaN if the files do not say, or if the volume lies on an axis other
// than time.
func timeOf(e *Entry, place series.Place) float64 {
	c := place[len(place)-1]
	if len(place) > 1 || !slices.Contains(timeAxes, c.Axis) {
		return math.NaN()
	}
	if c.Unit == "ms" {
		ms, err := strconv.ParseFloat(c.Value, 64)
		if err != nil {
			return math.NaN()
		}
		return ms / 1000
	}
	first := math.NaN()
	for _, s := range e.Stack {
		if t := acquiredAt(s); !(t >= first) { // also if first is NaN
			first = t
		}
	}
	if position, err := strconv.ParseFloat(c.Value, 64); err == nil && math.IsNaN(first) && c.Axis == "temporal position" {
		return position * e.Stack[0].TemporalStep
	}
	return first
}

// The indices of distinctions that are times.
var acquisitionTime, contentTime = distinction("acquisition time"), distinction("content time")

func distinction(name string) int {
	return slices.IndexFunc(instance.Distinctions[:], func(d instance.Distinction) bool { return d.Name == name })
}

// acquiredAt returns when a slice was acquired, in seconds from any fixed time; NaN if the
// file does not say.
func acquiredAt(s *instance.Slice) float64 { return seconds(s.Distinctions[acquisitionTime]) }

// contentAt returns the time of the content of a slice likewise.
func contentAt(s *instance.Slice) float64 { return seconds(s.Distinctions[contentTime]) }

// seconds reads HHMMSS.F or YYYYMMDDHHMMSS.F, as a number; NaN for anything else.
func seconds(text string) float64 {
	if len(text) > len("20060102150405") {
		// The offset from UTC applies to the whole series. Its sign is not the sign of an
		// exponent.
		text, _, _ = strings.Cut(strings.ReplaceAll(text, "e+", "e"), "+")
		text, _, _ = strings.Cut(text, "-")
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v < 0 || v >= 1e14 {
		return math.NaN()
	}
	date, clock := int(v/1e6), math.Mod(v, 1e6)
	h, m := int(clock/1e4), int(clock/100)%100
	day := time.Date(date/10000, time.Month(date/100%100), date%100, h, m, 0, 0, time.UTC)
	return float64(day.Unix()) + math.Mod(clock, 100)
}

// evenStep returns the step of times that grow evenly, within 2 % of the step; 0 for
// others.
func evenStep(times []float64) float64 {
	n := len(times) - 1
	step := (times[n] - times[0]) / float64(n)
	if !(step > 0) {
		return 0
	}
	for i, t := range times {
		if !(math.Abs(t-times[0]-float64(i)*step) <= 0.02*step) {
			return 0
		}
	}
	return math.Round(step*1e6) / 1e6
}
