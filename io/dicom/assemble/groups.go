package assemble

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"quell/io/dicom/instance"
	"quell/series"
)

// groupTolerance is the largest distance in mm between the corners of two grids that are
// one: positions in files are rounded.
const groupTolerance = 0.01

// formGroups makes 4-D series of the entries of one series: the entries of one kind and
// on one grid that were divided along an axis. parts are the candidates of the entries.
func formGroups(entries []Entry, parts []candidate) {
	taken := make([]bool, len(entries))
	joins := func(i int) bool { return !taken[i] && entries[i].Err == nil && len(parts[i].place) > 0 }
	for first := range entries {
		if !joins(first) {
			continue
		}
		var members []int
		for i := first; i < len(entries); i++ {
			if joins(i) && parts[i].kind == parts[first].kind && entries[i].Geometry.SameGrid(entries[first].Geometry, groupTolerance) {
				members = append(members, i)
				taken[i] = true
			}
		}
		if len(members) < 2 {
			continue
		}
		group := &series.Group{}
		var times []float64
		for n, i := range members {
			entries[i].Group, entries[i].GroupIndex = group, n
			group.Places = append(group.Places, parts[i].place)
			times = append(times, timeOf(&entries[i], parts[i].place))
		}
		group.Step = evenStep(times)
		giveGradients(group, entries, members)
	}
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

// acquisitionTime is the index of that distinction.
var acquisitionTime = slices.IndexFunc(instance.Distinctions[:], func(d instance.Distinction) bool { return d.Name == "acquisition time" })

// acquiredAt returns when a slice was acquired, in seconds from any fixed time; NaN if the
// file does not say. Its value is HHMMSS.F or YYYYMMDDHHMMSS.F, read as a number.
func acquiredAt(s *instance.Slice) float64 {
	text := s.Distinctions[acquisitionTime]
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
