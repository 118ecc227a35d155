package assemble

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"quell/io/dicom/instance"
	"quell/series"
)

// candidate is a group of slices that may become a volume.
type candidate struct {
	label    string       // distinguishes it from the others; "" if it is alone
	plane    string       // the part of label that names size and orientation
	kind     string       // the part of label that distinguishes images of different kinds
	place    series.Place // its place on the axes along which the series was divided
	slices   []*instance.Slice
	excluded []*instance.Slice // at positions that others have
	count    func() count      // of the volumes of its plane, labels apart; nil for none
	packaged bool              // acquired in packages that lie between each other
}

// by groups the slices by their value of distinction i.
func (p *candidate) by(i int) map[string][]*instance.Slice {
	d := &instance.Distinctions[i]
	groups := map[string][]*instance.Slice{}
	for _, image := range p.slices {
		groups[image.Distinctions[i]] = append(groups[image.Distinctions[i]], image)
	}
	if d.Near > 0 && len(groups) > 1 {
		joinNear(groups, d.Near)
	}
	return groups
}

// joinNear joins the groups of numbers that differ by at most a part of themselves.
func joinNear(groups map[string][]*instance.Slice, part float64) {
	var values []float64
	keys := map[float64]string{}
	for key := range groups {
		if v, err := strconv.ParseFloat(key, 64); err == nil {
			values, keys[v] = append(values, v), key
		}
	}
	slices.Sort(values)
	for i, last := 1, 0; i < len(values); i++ {
		if values[i]-values[last] > part*math.Abs(values[last]) {
			last = i
			continue
		}
		into, from := keys[values[last]], keys[values[i]]
		groups[into] = append(groups[into], groups[from]...)
		delete(groups, from)
	}
}

// samePosition returns the distance in mm along the normal below which two slices are
// at one position: 0.01, or less if pixels are that small, as in microscopy.
func samePosition(image *instance.Slice) float64 {
	return min(0.01, 0.1*min(image.Spacing[0], image.Spacing[1]))
}

// splitVolumes divides slices of one orientation and size into candidates that hold
// every position once and one value of every label. Labels come first, in the order of
// instance.Distinctions; then slices side by side, which are stations of a longer body;
// then instance numbers and times (count.go). Geometry divides further and never joins
// again. See docs/reference/opening.md.
func splitVolumes(p candidate) []candidate {
	if !p.slices[0].Placed {
		return []candidate{p}
	}
	p.excludeTwins()
	for i, d := range instance.Distinctions {
		if groups := p.by(i); len(groups) > 1 {
			if groups = p.apart(d, groups); groups != nil {
				return divide(p, d, groups)
			}
		}
	}
	multiple := multiplicity(p.slices)
	if groups := stations(p.slices, multiple); len(groups) > 1 && divides(groups, multiple, len(p.slices)) {
		return divide(p, instance.Distinction{Name: "station"}, groups)
	}
	return splitByCount(p, multiple)
}

// fewTwins is the part of the slices that may be twins of others.
const fewTwins = 0.05

// excludeTwins excludes slices that were sent twice: they have position, labels, number and
// times of another. If there are many, the files do not say what they are.
func (p *candidate) excludeTwins() {
	var kept, twins []*instance.Slice
	for _, at := range positionsOf(p.slices) {
		for i, s := range at {
			twin := slices.ContainsFunc(at[:i], func(o *instance.Slice) bool {
				return instance.CompareAcquired(o, s) == 0 && o.Distinctions == s.Distinctions
			})
			if twin {
				twins = append(twins, s)
			} else {
				kept = append(kept, s)
			}
		}
	}
	if n := len(twins); n > 0 && n <= max(1, int(fewTwins*float64(len(p.slices)))) && 4*n <= len(p.slices) {
		p.slices, p.excluded = kept, append(p.excluded, twins...)
	}
}

// apart returns the groups that the values of an attribute keep apart, packages of one
// volume joined; nil if the attribute does not divide these slices.
func (p *candidate) apart(d instance.Distinction, groups map[string][]*instance.Slice) map[string][]*instance.Slice {
	positions := positionsOf(p.slices)
	multiple := mostAt(positions)
	moved := multiple == 1 || shareFew(positions)
	whole := func() bool { return multiple > 1 && divides(groups, multiple, len(p.slices)) }
	divided := false
	switch d.Role {
	case instance.OfStacks:
		divided = areStacks(groups) || whole()
	case instance.OfVolumes:
		divided = !mostlyFragments(groups)
		if d.Measured && len(positions) > 1 {
			divided = divided && largest(groups) > 1 && (moved || whole())
		}
	case instance.OfParts:
		divided = whole() || overlap(groups)
	case instance.OfTimes:
		if !moved {
			if joined := packages(groups, p.slices); joined != nil {
				groups = joined
			}
			divided = whole()
			break
		}
		divided = timesApart(groups, p.slices)
		p.packaged = p.packaged || !divided && arePackages(groups, p.slices)
	}
	if !divided || len(groups) < 2 {
		return nil
	}
	return groups
}

// largest returns the number of slices of the largest group.
func largest(groups map[string][]*instance.Slice) int {
	n := 0
	for _, g := range groups {
		n = max(n, len(g))
	}
	return n
}

// mostlyFragments reports whether most groups have less than half of the slices of the
// largest.
func mostlyFragments(groups map[string][]*instance.Slice) bool {
	sizes := make([]int, 0, len(groups))
	for _, g := range groups {
		sizes = append(sizes, len(g))
	}
	return mostlySmall(sizes)
}

// mostlySmall reports whether most sizes are less than half of the largest.
func mostlySmall(sizes []int) bool {
	half, small := slices.Max(sizes), 0
	for _, n := range sizes {
		if 2*n < half {
			small++
		}
	}
	return 2*small > len(sizes)
}

// divide splits a candidate into the groups of a distinction and labels each with the
// part of its value that the groups do not share.
func divide(p candidate, by instance.Distinction, groups map[string][]*instance.Slice) []candidate {
	keys := slices.Collect(maps.Keys(groups))
	slices.SortFunc(keys, func(a, b string) int {
		if by.Axis {
			return byAcquisition(a, b, groups)
		}
		return cmp.Or(cmp.Compare(complexRank(a), complexRank(b)), byNumber(a, b, groups))
	})
	var out []candidate
	for i, own := range distinct(keys) {
		part := p.with(series.Coordinate{Axis: by.Name, Value: own, Unit: by.Unit}, by.Axis)
		part.slices = groups[keys[i]]
		out = append(out, splitVolumes(part)...)
	}
	out[0].excluded = append(out[0].excluded, p.excluded...)
	return out
}

// with returns a candidate without slices that differs from others of p by c, which lies
// on an axis of a 4-D series or distinguishes images of different kinds.
func (p candidate) with(c series.Coordinate, axis bool) candidate {
	join := func(words ...string) string { return strings.TrimPrefix(strings.Join(words, ", "), ", ") }
	name := strings.TrimSpace(c.Axis + " " + c.Value)
	if axis {
		name = strings.ReplaceAll(name, `\`, " ") // the components of a direction
	}
	out := candidate{label: join(p.label, name), plane: p.plane, kind: p.kind, place: p.place, count: p.count}
	if axis {
		out.place = append(slices.Clone(p.place), c)
	} else {
		out.kind = join(p.kind, name)
	}
	return out
}

// distinct returns backslash-separated texts without the values that all of them begin
// or end with.
func distinct(texts []string) []string {
	values := make([][]string, len(texts))
	shortest := math.MaxInt
	for i, s := range texts {
		values[i] = strings.Split(s, `\`)
		shortest = min(shortest, len(values[i]))
	}
	same := func(at func(v []string) string) bool {
		return !slices.ContainsFunc(values, func(v []string) bool { return at(v) != at(values[0]) })
	}
	head, tail := 0, 0
	for head < shortest && same(func(v []string) string { return v[head] }) {
		head++
	}
	for tail < shortest-head && same(func(v []string) string { return v[len(v)-1-tail] }) {
		tail++
	}
	out := make([]string, len(texts))
	for i, v := range values {
		out[i] = strings.Join(v[head:len(v)-tail], `\`)
		if out[i] == "" {
			out[i] = cmp.Or(texts[i], "not given")
		}
	}
	return out
}

// complexRank sorts the parts of a complex number behind the magnitude, which is the
// default.
func complexRank(value string) int {
	for _, v := range strings.Split(value, `\`) {
		switch v {
		case "P", "R", "I", "PHASE", "REAL", "IMAGINARY", "PHASE MAP":
			return 1
		}
	}
	return 0
}

// divides reports whether the groups of one distinction are volumes: each has fewer
// duplicates than the slices together, and at most half of the groups are fragments of
// a volume. An aborted scan leaves a fragment; if every slice has an acquisition time
// of its own, all groups are fragments.
func divides(groups map[string][]*instance.Slice, multiple, total int) bool {
	positions := (total + multiple - 1) / multiple
	fragments := 0
	for _, g := range groups {
		if multiplicity(g) >= multiple {
			return false
		}
		if 2*len(g) < positions {
			fragments++
		}
	}
	return 2*fragments <= len(groups)
}

// byNumber orders numeric values by size and others by the instance numbers of their
// groups.
func byNumber(a, b string, groups map[string][]*instance.Slice) int {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	if err1 == nil && err2 == nil {
		return cmp.Compare(x, y)
	}
	return acquiredFirst(slices.MinFunc(groups[a], acquiredFirst), slices.MinFunc(groups[b], acquiredFirst))
}

// positionsOf groups slices by position, in order along the normal; slices at one
// position are in the order of acquisition.
func positionsOf(images []*instance.Slice) [][]*instance.Slice {
	if len(images) == 0 {
		return nil
	}
	sorted := slices.Clone(images)
	normal := images[0].Normal()
	along := make(map[*instance.Slice]float64, len(images))
	for _, image := range images {
		along[image] = image.Position.Dot(normal)
	}
	slices.SortFunc(sorted, func(a, b *instance.Slice) int { return cmp.Compare(along[a], along[b]) })
	var out [][]*instance.Slice
	near := samePosition(images[0])
	for _, image := range sorted {
		if n := len(out); n > 0 && along[image]-along[out[n-1][0]] < near {
			out[n-1] = append(out[n-1], image)
		} else {
			out = append(out, []*instance.Slice{image})
		}
	}
	for _, s := range out {
		slices.SortFunc(s, acquiredFirst)
	}
	return out
}

// byInstance orders slices by instance number, then file.
func byInstance(a, b *instance.Slice) int {
	return cmp.Or(cmp.Compare(a.Number, b.Number), ByFile(a, b))
}

// multiplicity returns the largest number of slices at one position.
func multiplicity(images []*instance.Slice) int {
	return mostAt(positionsOf(images))
}

func mostAt(positions [][]*instance.Slice) int {
	most := 0
	for _, at := range positions {
		most = max(most, len(at))
	}
	return most
}

// fewShared is the part of the slices that volumes at the same positions have of the slices
// they would have if none were missing; volumes that moved, of which some positions meet,
// have less.
const fewShared = 0.65

// shareFew reports whether so few positions have several slices that those that have
// some do by chance.
func shareFew(positions [][]*instance.Slice) bool {
	n := 0
	for _, at := range positions {
		n += len(at)
	}
	return float64(n) < fewShared*float64(len(positions)*mostAt(positions))
}

// stationsApart is the sideways distance in mm from which slices of one height are images
// of another station and not repetitions.
const stationsApart = 10

// maxStations is more stations than a body has.
const maxStations = 64

// stations groups slices by their place within the plane: a body that is longer than
// the field of view is imaged in several stations. Groups are named by number. It
// returns nil for more than most groups: in a sheared grid every slice has another
// place.
func stations(images []*instance.Slice, most int) map[string][]*instance.Slice {
	var groups [][]*instance.Slice
	for _, image := range images {
		i := slices.IndexFunc(groups, func(g []*instance.Slice) bool {
			d := image.Position.Sub(g[0].Position)
			return math.Hypot(d.Dot(image.Row), d.Dot(image.Column)) < stationsApart
		})
		if i < 0 {
			if i = len(groups); i == min(most, maxStations) {
				return nil
			}
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], image)
	}
	named := map[string][]*instance.Slice{}
	for i, g := range groups {
		named[strconv.Itoa(i+1)] = g
	}
	return named
}
