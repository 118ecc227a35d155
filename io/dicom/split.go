package dicom

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// splitters are the attributes that tell apart slices at one position, in the
// order in which they are tried. Of several tags the first that an image has
// counts: frames of a multi-frame image say the same in other words.
var splitters = [...]splitter{
	{"series number", single, []tagID{tagSeriesNumber}}, // numbered anew under the old UID
	// Values 1 and 2 (original, primary) and 3 on: magnitude, phase, ADC.
	{"image type", joined, []tagID{tagFrameType, tagImageType}},
	{"component", joined, []tagID{tagComplexImageComponent}},
	{"kernel", joined, []tagID{tagConvolutionKernel}},
	{"tube voltage", single, []tagID{tagKVP}},
	{"echo", single, []tagID{tagEchoNumbers}},
	{"echo time", single, []tagID{tagEffectiveEchoTime, tagEchoTime}},
	{"inversion time", single, []tagID{tagInversionTimes}},
	{"b-value", bValue, []tagID{tagDiffusionBValue, siemensBValue, philipsBValue, geBValue, uihBValue}},
	{"direction", direction, []tagID{tagDiffusionGradientOrientation, uihDirection}},
	{"temporal position", single, []tagID{tagTemporalPositionIndex, tagTemporalPositionIdentifier}},
	{"frame reference time", single, []tagID{tagFrameReferenceTime}},
	{stackSplitter, single, []tagID{tagStackID}},
	{"acquisition", single, []tagID{tagFrameAcquisitionNumber, tagAcquisitionNumber}},
	{"trigger time", single, []tagID{tagNominalCardiacTriggerDelayTime, tagTriggerTime}},
	{"acquisition time", single, []tagID{tagFrameAcquisitionDateTime, tagAcquisitionTime}},
}

// stackSplitter names the frames that lie together in space (PS3.3 C.7.6.16.2.2.4).
const stackSplitter = "stack"

// lookDifferent names the splitters whose values look different: slices that differ in
// one of them belong to different images even where no position is doubled.
var lookDifferent = []string{"component", "kernel", "tube voltage"}

// splitter is one attribute that may tell volumes apart, by its names.
type splitter struct {
	name string
	read func(attributes, tagID) string
	tags []tagID
}

// value returns what an image says; "" where it says nothing.
func (s *splitter) value(a attributes) string {
	for _, t := range s.tags {
		if p, private := privateCreators[t]; private && a.text(p.tag) != p.owner {
			continue
		}
		if _, ok := a.find(t); ok {
			if v := s.read(a, t); v != "" {
				return v
			}
		}
	}
	return ""
}

// single reads one value, whatever its VR.
func single(a attributes, t tagID) string {
	if v, ok := a.number(t); ok {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	if v, ok := a.integer(t); ok {
		return strconv.Itoa(v)
	}
	return a.text(t)
}

// joined reads all values.
func joined(a attributes, t tagID) string {
	if v, ok := a.numbers(t); ok {
		return string(decimals(v...))
	}
	return strings.Join(a.strings(t), "\\")
}

// direction reads the components of a unit vector, to the digits that tell any two
// diffusion gradients apart.
func direction(a attributes, t tagID) string {
	v, ok := a.numbers(t)
	if !ok {
		return ""
	}
	rounded := make([]float64, len(v))
	for i := range v {
		rounded[i] = math.Round(v[i]*1e4)/1e4 + 0 // no negative zero
	}
	return string(decimals(rounded...))
}

// Where the makers keep the b-value of images that are not Enhanced MR.
const (
	siemensBValue tagID = 0x0019100C
	philipsBValue tagID = 0x20011003
	geBValue      tagID = 0x00431039
)

// privateCreators names the owners of the blocks of private attributes.
var privateCreators = map[tagID]struct {
	tag   tagID
	owner string
}{
	siemensBValue: {0x00190010, "SIEMENS MR HEADER"},
	philipsBValue: {0x20010010, "Philips Imaging DD 001"},
	geBValue:      {0x00430010, "GEMS_PARM_01"},
	uihBValue:     {uihPrivateCreator, uihOwner},
	uihDirection:  {uihPrivateCreator, uihOwner},
}

// bValue reads a b-value in s/mm2.
func bValue(a attributes, t tagID) string {
	v, ok := a.number(t)
	if !ok {
		return ""
	}
	if t == geBValue && v >= 1e9 {
		v -= 1e9 // GE adds a mark of the software's version
	}
	return strconv.FormatFloat(v, 'g', 6, 64) // some are measured ones
}

// part is a group of slices on its way to becoming a volume.
type part struct {
	label  string // what tells it from the others
	slices []*header
	aside  []*header // duplicates that have no place in it
}

// by groups the slices by what they say to splitter i.
func (p *part) by(i int) map[string][]*header {
	groups := map[string][]*header{}
	for _, h := range p.slices {
		groups[h.splits[i]] = append(groups[h.splits[i]], h)
	}
	return groups
}

// samePosition returns how near, along the normal, two slices count as one (mm):
// 0.01, and less where pixels are as small, as a microscope's are.
func samePosition(h *header) float64 {
	return min(0.01, 0.1*min(h.spacing[0], h.spacing[1]))
}

// splitVolumes divides slices of one orientation and size into parts that hold
// every position once. Stacks that a file names, and slices side by side in one
// plane, are parts of their own. A splitter divides slices where that leaves every part with fewer doubles than
// before, or takes regular grids apart that were shifted into each other; what
// still doubles is dealt out in the order of instance numbers where most
// positions are doubled (a time series that does not say so), and set aside where
// few are.
func splitVolumes(p part) []part {
	if !p.slices[0].placed {
		return []part{p}
	}
	multiple := multiplicity(p.slices)
	if groups := stations(p.slices, multiple); len(groups) > 1 && divides(groups, multiple, len(p.slices)) {
		return divide(p, "station", groups)
	}
	regular := multiple == 1 && isRegular(p.slices)
	for i, s := range splitters {
		isStack := s.name == stackSplitter
		if regular && !isStack && !slices.Contains(lookDifferent, s.name) {
			continue
		}
		groups := p.by(i)
		switch {
		case len(groups) < 2:
		case isStack && stacked(groups),
			multiple > 1 && divides(groups, multiple, len(p.slices)),
			multiple == 1 && interleaved(groups):
			return divide(p, s.name, groups)
		}
	}
	if multiple == 1 {
		return []part{p}
	}
	return dealOut(p)
}

// divide makes parts of the groups that a splitter tells apart, each named by what
// is its own in the splitter's value.
func divide(p part, name string, groups map[string][]*header) []part {
	keys := slices.Collect(maps.Keys(groups))
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(complexRank(a), complexRank(b)), byNumber(a, b, groups))
	})
	var out []part
	for i, own := range distinct(keys) {
		label := strings.TrimPrefix(p.label+", ", ", ") + strings.TrimSpace(name+" "+own)
		out = append(out, splitVolumes(part{label: label, slices: groups[keys[i]]})...)
	}
	return out
}

// distinct returns texts of several values without the values that all of them
// begin or end with.
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

// complexRank puts the parts of a complex number behind the magnitude: who opens a
// series without choosing wants that.
func complexRank(value string) int {
	for _, v := range strings.Split(value, `\`) {
		switch v {
		case "P", "R", "I", "PHASE", "REAL", "IMAGINARY", "PHASE MAP":
			return 1
		}
	}
	return 0
}

// divides says whether groups, by one splitter, are volumes: each doubles less
// than the slices together did, and no more are mere fragments of a volume than
// are not. A scan that was broken off leaves a fragment; where every slice has its
// own acquisition time, all are.
func divides(groups map[string][]*header, multiple, total int) bool {
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

// byNumber orders values as numbers where they are numbers, and others by the
// instance numbers of their groups.
func byNumber(a, b string, groups map[string][]*header) int {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	if err1 == nil && err2 == nil {
		return cmp.Compare(x, y)
	}
	return byInstance(slices.MinFunc(groups[a], byInstance), slices.MinFunc(groups[b], byInstance))
}

// stacks groups slices by position along the normal, in its order; slices at
// one position are in the order of instance number, then name.
func stacks(hs []*header) [][]*header {
	if len(hs) == 0 {
		return nil
	}
	sorted := slices.Clone(hs)
	normal := hs[0].normal()
	along := make(map[*header]float64, len(hs))
	for _, h := range hs {
		along[h] = h.position.Dot(normal)
	}
	slices.SortFunc(sorted, func(a, b *header) int { return cmp.Compare(along[a], along[b]) })
	var out [][]*header
	near := samePosition(hs[0])
	for _, h := range sorted {
		if n := len(out); n > 0 && along[h]-along[out[n-1][0]] < near {
			out[n-1] = append(out[n-1], h)
		} else {
			out = append(out, []*header{h})
		}
	}
	for _, s := range out {
		slices.SortFunc(s, byInstance)
	}
	return out
}

// byInstance orders slices as they were made.
func byInstance(a, b *header) int {
	return cmp.Or(cmp.Compare(a.instance, b.instance), byFile(a, b))
}

// multiplicity returns the largest number of slices at one position.
func multiplicity(hs []*header) int {
	most := 0
	for _, s := range stacks(hs) {
		most = max(most, len(s))
	}
	return most
}

// dealOut makes volumes of slices that nothing but their order tells apart.
func dealOut(p part) []part {
	st := stacks(p.slices)
	most, doubled := 0, 0
	for _, s := range st {
		most = max(most, len(s))
		if len(s) > 1 {
			doubled++
		}
	}
	if 2*doubled <= len(st) {
		most = 1
	}
	out := make([]part, most)
	for i := range out {
		out[i].label = p.label
		if most > 1 {
			out[i].label = strings.TrimPrefix(p.label+", ", ", ") + fmt.Sprintf("repeat %d of %d", i+1, most)
		}
	}
	for _, s := range st {
		for i, h := range s {
			if i < most {
				out[i].slices = append(out[i].slices, h)
			} else {
				out[0].aside = append(out[0].aside, h)
			}
		}
	}
	return out
}
