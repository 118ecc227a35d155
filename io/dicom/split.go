package dicom

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// splitters are the attributes that tell apart slices at one position, in the
// order in which they are tried. Of several tags the first that an image has
// counts: frames of a multi-frame image say the same in other words.
var splitters = [...]splitter{
	// Values 1 and 2 (original, primary) and 3 on: magnitude, phase, ADC.
	{"image type", joined, []tagID{tagFrameType, tagImageType}},
	{"component", joined, []tagID{tagComplexImageComponent}},
	{"echo", single, []tagID{tagEchoNumbers}},
	{"echo time", single, []tagID{tagEffectiveEchoTime, tagEchoTime}},
	{"inversion time", single, []tagID{tagInversionTimes}},
	{"b-value", bValue, []tagID{tagDiffusionBValue, siemensBValue, philipsBValue, geBValue}},
	{"direction", joined, []tagID{tagDiffusionGradientOrientation}},
	{"temporal position", single, []tagID{tagTemporalPositionIndex, tagTemporalPositionIdentifier}},
	{"stack", single, []tagID{tagStackID}},
	{"acquisition", single, []tagID{tagFrameAcquisitionNumber, tagAcquisitionNumber}},
	{"trigger time", single, []tagID{tagNominalCardiacTriggerDelayTime, tagTriggerTime}},
	{"acquisition time", single, []tagID{tagFrameAcquisitionDateTime, tagAcquisitionTime}},
}

// splitter is one attribute that may tell volumes apart, by its names.
type splitter struct {
	name string
	read func(attributes, tagID) string
	tags []tagID
}

// value returns what an image says; "" where it says nothing.
func (s *splitter) value(a attributes) string {
	for _, t := range s.tags {
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
}

// bValue reads a b-value in s/mm2.
func bValue(a attributes, t tagID) string {
	if p, private := privateCreators[t]; private && a.text(p.tag) != p.owner {
		return ""
	}
	v, ok := a.number(t)
	if !ok {
		return ""
	}
	if t == geBValue && v >= 1e9 {
		v -= 1e9 // GE adds a mark of the software's version
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// part is a group of slices on its way to becoming a volume.
type part struct {
	label  string // what tells it from the others
	slices []*header
	aside  []*header // duplicates that have no place in it
}

// samePosition is how near, along the normal, two slices count as one (mm).
const samePosition = 0.01

// splitVolumes divides slices of one orientation and size into parts that hold
// every position once. A splitter divides them where that leaves every part
// with fewer doubles than before; what still doubles is dealt out in the order
// of instance numbers where most positions are doubled (a time series that does
// not say so), and set aside where few are.
func splitVolumes(p part) []part {
	if !p.slices[0].placed {
		return []part{p}
	}
	multiple := multiplicity(p.slices)
	if multiple <= 1 {
		return []part{p}
	}
	for i, s := range splitters {
		groups := map[string][]*header{}
		for _, h := range p.slices {
			groups[h.splits[i]] = append(groups[h.splits[i]], h)
		}
		if len(groups) < 2 || !divides(groups, multiple, len(p.slices)) {
			continue
		}
		var out []part
		for _, key := range slices.SortedFunc(maps.Keys(groups), byNumber) {
			label := s.name + " " + key
			if p.label != "" {
				label = p.label + ", " + label
			}
			out = append(out, splitVolumes(part{label: label, slices: groups[key]})...)
		}
		return out
	}
	return dealOut(p)
}

// divides says whether groups, by one splitter, are whole volumes: each doubles
// less than the slices together did, and none is a mere fragment of a volume
// (as when every slice has its own acquisition time).
func divides(groups map[string][]*header, multiple, total int) bool {
	positions := (total + multiple - 1) / multiple
	for _, g := range groups {
		if multiplicity(g) >= multiple || 2*len(g) < positions {
			return false
		}
	}
	return true
}

// byNumber orders values as numbers where they are numbers.
func byNumber(a, b string) int {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	if err1 == nil && err2 == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a, b)
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
	for _, h := range sorted {
		if n := len(out); n > 0 && along[h]-along[out[n-1][0]] < samePosition {
			out[n-1] = append(out[n-1], h)
		} else {
			out = append(out, []*header{h})
		}
	}
	for _, s := range out {
		slices.SortFunc(s, func(a, b *header) int {
			return cmp.Or(cmp.Compare(a.instance, b.instance), byFile(a, b))
		})
	}
	return out
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
