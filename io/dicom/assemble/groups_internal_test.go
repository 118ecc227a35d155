package assemble

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"quell/internal/message"
	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
	"quell/io/format"
	"quell/series"
	"quell/volume"
)

// at returns an axial slice of 4 x 3 pixels of 0.5 x 0.75 mm at a position, in the file
// with this number.
func at(number int, x, y, z float64) *instance.Slice {
	s := &instance.Slice{Instance: &instance.Instance{Name: fmt.Sprintf("%03d", number), Number: number, Size: 100},
		Placed: true, Row: volume.Vec{1, 0, 0}, Column: volume.Vec{0, 1, 0}, Position: volume.Vec{x, y, z}, Spacing: [2]float64{0.5, 0.75}}
	s.Format.Cols, s.Format.Rows = 4, 3
	return s
}

// stack returns slices at heights, numbered from 0.
func stack(heights ...float64) (out []*instance.Slice) {
	for i, z := range heights {
		out = append(out, at(i, 0, 0, z))
	}
	return out
}

// TestSamePosition pins the distance below which slices are at one position: 0.01 mm, and a
// tenth of smaller pixels, whichever side is the shorter one.
func TestSamePosition(t *testing.T) {
	for _, c := range []struct {
		spacing  [2]float64
		distance float64
		one      bool
	}{
		{[2]float64{0.5, 0.75}, 0.0099, true}, {[2]float64{0.5, 0.75}, 0.0101, false},
		{[2]float64{0.05, 0.75}, 0.0049, true}, {[2]float64{0.05, 0.75}, 0.0051, false},
		{[2]float64{0.75, 0.05}, 0.0049, true}, {[2]float64{0.75, 0.05}, 0.0051, false},
	} {
		images := stack(0, c.distance, 2*c.distance)
		for _, image := range images {
			image.Spacing = c.spacing
		}
		// The third is compared with the first of its group, not with its neighbour.
		if got := positionsOf(images); (len(got[0]) == 2) != c.one || len(got) < 2 {
			t.Errorf("%g mm between pixels of %v: %d positions", c.distance, c.spacing, len(got))
		}
	}
	if got := positionsOf(nil); got != nil {
		t.Errorf("no slices: %v", got)
	}
}

// TestSpacingTolerance is 2 % of the usual spacing, at least 0.01 mm, and at most a tenth of
// it.
func TestSpacingTolerance(t *testing.T) {
	for usual, want := range map[float64]float64{5: 0.1, 0.5: 0.01, 0.4: 0.01, 0.05: 0.005, 0.1: 0.01} {
		if got := spacingTolerance(usual); math.Abs(got-want) > 1e-12 {
			t.Errorf("%g mm: %g, want %g", usual, got, want)
		}
	}
	for steps, want := range map[[2]float64]bool{{5, 5.099}: true, {5, 5.101}: false, {0.4, 0.4099}: true, {0.4, 0.4101}: false} {
		if even(steps[:]) != want {
			t.Errorf("steps of %v are even: %v", steps, !want)
		}
	}
}

// TestMedian takes the lower of two steps in the middle.
func TestMedian(t *testing.T) {
	for want, steps := range map[float64][]float64{1: {3, 1}, 2: {9, 2, 1}, 3: {9, 3, 4, 1}, 7: {7}} {
		if got := median(steps); got != want {
			t.Errorf("%v: %g, want %g", steps, got, want)
		}
	}
}

// TestUnevenness pins 15 % of the spacing, above which positions are not rounded.
func TestUnevenness(t *testing.T) {
	for off, want := range map[float64]bool{0.149: true, 0.151: false, -0.149: true, -0.151: false} {
		got := unevenness([]float64{1 + off, 1 - off, 1})
		if want && math.Abs(got-math.Abs(off)) > 1e-12 || !want && !math.IsInf(got, 1) {
			t.Errorf("%g: %g", off, got)
		}
	}
}

// TestGaps distinguishes missing slices from a scan that continued with wider steps: up to
// three adjacent gaps of one width are gaps.
func TestGaps(t *testing.T) {
	for name, c := range map[string]struct {
		steps []float64
		kind  series.Kind
		text  string
		files int
	}{
		"one gap":                      {[]float64{5, 5, 10, 5, 5}, series.Gap, "1 slice is missing (10.0 mm after slice 3, where 5.00 mm is usual)", 2},
		"three gaps of one width":      {[]float64{5, 5, 5, 5, 10, 10, 10, 5}, series.Gap, "3 slices are missing", 6},
		"four gaps of one width":       {[]float64{5, 5, 5, 5, 5, 10, 10, 10, 10, 5}, series.Spacing, "from 5.00 to 10.00 mm", 0},
		"four gaps, the last wider":    {[]float64{5, 5, 5, 5, 5, 10, 10, 10, 15, 5}, series.Gap, "5 slices are missing", 8},
		"four gaps in two places":      {[]float64{5, 10, 10, 5, 10, 10, 5, 5, 5}, series.Gap, "4 slices are missing", 8},
		"half a step":                  {[]float64{5, 5, 7.5, 5}, series.Spacing, "uneven", 0},
		"less than half a step":        {[]float64{5, 5, 2, 5}, series.Spacing, "uneven", 0},
		"just within twice the step":   {[]float64{5, 5, 10.19, 5}, series.Gap, "1 slice is missing", 2},
		"just not twice the step":      {[]float64{5, 5, 10.21, 5}, series.Spacing, "uneven", 0},
		"just within three times step": {[]float64{5, 5, 15.29, 5}, series.Gap, "2 slices are missing", 2},
	} {
		z := []float64{0}
		for _, s := range c.steps {
			z = append(z, z[len(z)-1]+s)
		}
		found := findSpacing(stack(z...))
		if len(found) != 1 || found[0].Kind != c.kind || !strings.Contains(found[0].Text.String(), c.text) || len(found[0].Files) != c.files || !found[0].Slicewise {
			t.Errorf("%s: %+v", name, found)
		}
	}
	found := findSpacing(stack(0, 5, 15, 20, 25))
	if !slices.Equal(found[0].Files, []string{"001", "002"}) {
		t.Errorf("around the gap lie %v", found[0].Files)
	}
}

// TestIrregularity is 0 unless a warning says that slices are not at the places of the
// grid.
func TestIrregularity(t *testing.T) {
	images := stack(0, 5, 11)
	grid, _ := formGrid(stack(0, 5, 10))
	for _, c := range []struct {
		f    series.Finding
		want float64
	}{
		{series.Finding{Severity: series.Warning, Kind: series.Gap, Slicewise: true}, 1},
		{series.Finding{Severity: series.Warning, Kind: series.Spacing, Slicewise: true}, 1},
		{series.Finding{Severity: series.Warning, Kind: series.Shift, Slicewise: true}, 1},
		{series.Finding{Severity: series.Warning, Kind: series.Spacing}, 0},
		{series.Finding{Severity: series.Note, Kind: series.Spacing, Slicewise: true}, 0},
		{series.Finding{Severity: series.Warning, Kind: series.Tilt, Slicewise: true}, 0},
	} {
		if got := irregularity(images, grid, []series.Finding{c.f}); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v: %g mm, want %g", c.f, got, c.want)
		}
	}
}

// TestGridOfOddStacks forms grids of a single slice, of a thickness that stands for the
// spacing, and of slices without pixel spacing or position.
func TestGridOfOddStacks(t *testing.T) {
	for name, c := range map[string]struct {
		n       int
		change  func(s *instance.Slice)
		spacing [3]float64
		origin  volume.Vec
		text    string
	}{
		"single":                {1, func(s *instance.Slice) { s.Thickness = 3 }, [3]float64{0.5, 0.75, 3}, volume.Vec{1, 2, 0}, "no slice spacing; 3 mm is taken"},
		"single, no thickness":  {1, func(s *instance.Slice) {}, [3]float64{0.5, 0.75, 1}, volume.Vec{1, 2, 0}, "no slice spacing; 1 mm is taken"},
		"thickness":             {3, func(s *instance.Slice) { s.SpacingFromThickness, s.Thickness = true, 2 }, [3]float64{0.5, 0.75, 2}, volume.Vec{1, 2, 0}, "the slice thickness, 2 mm, is used"},
		"no pixel spacing":      {3, func(s *instance.Slice) { s.NoPixelSpacing = true }, [3]float64{0.5, 0.75, 2}, volume.Vec{1, 2, 0}, "a width of 1 mm is assumed"},
		"one image, no place":   {1, func(s *instance.Slice) { s.Placed, s.Row = false, volume.Vec{} }, [3]float64{0.5, 0.75, 1}, volume.Vec{}, "it is placed at the origin"},
		"images without place":  {3, func(s *instance.Slice) { s.Placed, s.Row = false, volume.Vec{} }, [3]float64{0.5, 0.75, 1}, volume.Vec{}, "The images have no usable position and orientation in space; they are stacked in the order of their instance numbers, 1 mm apart, from the origin on."},
		"frames without place":  {3, func(s *instance.Slice) { s.Placed, s.Row, s.Name = false, volume.Vec{}, "x" }, [3]float64{0.5, 0.75, 1}, volume.Vec{}, "they are stacked in their order, 1 mm apart, from the origin on."},
		"frames behind a first": {3, func(s *instance.Slice) { s.Placed, s.Thickness = false, 4 }, [3]float64{0.5, 0.75, 4}, volume.Vec{1, 2, 0}, "have no position of their own in space; they are stacked in the order of their instance numbers, 4 mm apart, behind the first."},
		"rotated":               {3, func(s *instance.Slice) { s.Placed, s.Rotated = false, true }, [3]float64{0.5, 0.75, 1}, volume.Vec{1, 2, 0}, "are rotated against each other"},
	} {
		images := []*instance.Slice{at(0, 1, 2, 0), at(1, 1, 2, 2), at(2, 1, 2, 4)}[:c.n]
		for _, s := range images {
			c.change(s)
		}
		g, findings := formGrid(images)
		if g.Dims != [3]int{4, 3, c.n} || g.Spacing != c.spacing || g.Affine.Column(3) != c.origin || len(findings) != 1 || !strings.Contains(findings[0].Text.String(), c.text) {
			t.Errorf("%s: %+v, %v", name, g, findings)
		}
	}
}

// TestSamePlane pins how far directions and pixel spacings of one volume may differ.
func TestSamePlane(t *testing.T) {
	turn := func(a float64) (volume.Vec, volume.Vec) {
		sin, cos := math.Sincos(a)
		return volume.Vec{cos, sin, 0}, volume.Vec{-sin, cos, 0}
	}
	for name, c := range map[string]struct {
		change func(s *instance.Slice)
		want   bool
	}{
		"equal":             {func(s *instance.Slice) {}, true},
		"turned a little":   {func(s *instance.Slice) { s.Row, s.Column = turn(1.9e-3) }, true},
		"turned":            {func(s *instance.Slice) { s.Row, s.Column = turn(2.1e-3) }, false},
		"another row":       {func(s *instance.Slice) { s.Row, _ = turn(2.1e-3) }, false},
		"another column":    {func(s *instance.Slice) { _, s.Column = turn(2.1e-3) }, false},
		"rounded width":     {func(s *instance.Slice) { s.Spacing[0] *= 1.00099 }, true},
		"another width":     {func(s *instance.Slice) { s.Spacing[0] *= 1.0011 }, false},
		"a smaller height":  {func(s *instance.Slice) { s.Spacing[1] *= 0.9989 }, false},
		"localizer":         {func(s *instance.Slice) { s.ImageType = []string{"LOCALIZER"} }, false},
		"size":              {func(s *instance.Slice) { s.Format.Rows++ }, false},
		"without position":  {func(s *instance.Slice) { s.Placed = false }, false},
		"rotated":           {func(s *instance.Slice) { s.Rotated = true }, false},
		"another SOP class": {func(s *instance.Slice) { s.Instance = &instance.Instance{SOPClass: "1"} }, true},
		"another type":      {func(s *instance.Slice) { s.ImageType = []string{"X"} }, true},
	} {
		b := at(1, 0, 0, 1)
		c.change(b)
		if got := samePlane(at(0, 0, 0, 0), b); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	// Images without a position are compared by class and type.
	for name, c := range map[string]struct {
		change func(s *instance.Slice)
		want   bool
	}{
		"equal": {func(s *instance.Slice) {}, true}, "direction": {func(s *instance.Slice) { s.Row = volume.Vec{0, 0, 1} }, true},
		"class": {func(s *instance.Slice) { s.SOPClass = "1" }, false}, "type": {func(s *instance.Slice) { s.ImageType = []string{"X"} }, false},
	} {
		a, b := at(0, 0, 0, 0), at(1, 0, 0, 1)
		a.Placed, b.Placed = false, false
		c.change(b)
		if got := samePlane(a, b); got != c.want {
			t.Errorf("without position, %s: %v", name, got)
		}
	}
}

// TestRotatedFromFourDirections lists up to three slices of directions of their own one by
// one, and joins more.
func TestRotatedFromFourDirections(t *testing.T) {
	for n, joined := range map[int]bool{3: false, 4: true} {
		var images []*instance.Slice
		for i := range n {
			s := at(i, 0, 0, 0)
			sin, cos := math.Sincos(0.5 * float64(i))
			s.Row, s.Column = volume.Vec{cos, sin, 0}, volume.Vec{0, 0, 1}
			images = append(images, s)
		}
		got := planes(images)
		if (len(got) == 1) != joined || images[0].Rotated != joined || images[n-1].Placed == joined {
			t.Errorf("%d directions: %d groups, rotated %v", n, len(got), images[0].Rotated)
		}
		if joined && got[0].label != "rotated, 4 x 3" {
			t.Errorf("label %q", got[0].label)
		}
	}
}

// TestOrientationNames calls a plane oblique from 1 degree on.
func TestOrientationNames(t *testing.T) {
	for degrees, name := range map[float64]string{0.99: "", 1.01: "oblique "} {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		for want, n := range map[string]volume.Vec{"axial": {0, sin, -cos}, "coronal": {sin, cos, 0}, "sagittal": {-cos, 0, sin}} {
			if got := orientation(n); got != name+want {
				t.Errorf("%g degrees: %q, want %q", degrees, got, name+want)
			}
		}
	}
	if orientation(volume.Vec{1, 1, 0}) != "sagittal" || orientation(volume.Vec{0, 1, 1}) != "coronal" {
		t.Error("between two planes the first of sagittal, coronal and axial counts")
	}
}

// TestLabels makes equal labels different, by pixel spacing if every one has another.
func TestLabels(t *testing.T) {
	of := func(label string, spacing float64) candidate {
		s := at(0, 0, 0, 0)
		s.Spacing = [2]float64{spacing, 2}
		return candidate{label: label, slices: []*instance.Slice{s}}
	}
	for want, parts := range map[string][]candidate{
		"a; b": {of("a", 1), of("b", 1)},
		"a, pixels of 1 x 2 mm; a, pixels of 3 x 2 mm; b": {of("a", 1), of("a", 3), of("b", 1)},
		"a, group 1; a, group 2; a, group 3":              {of("a", 1), of("a", 3), of("a", 3)},
	} {
		disambiguateLabels(parts)
		var got []string
		for _, p := range parts {
			got = append(got, p.label)
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestDistinct removes what all values begin or end with, but leaves something of each.
func TestDistinct(t *testing.T) {
	for want, texts := range map[string][]string{
		"b|d":         {`a\b\c`, `a\d\c`},
		"b|not given": {"b", ""},
		"a|a":         {"a", `a\a`}, // the first would be empty
		"x|y":         {"x", "y"},
		`b|d\e`:       {`a\b`, `a\d\e`},
	} {
		if got := strings.Join(distinct(texts), "|"); got != want {
			t.Errorf("%q: %q, want %q", texts, got, want)
		}
	}
}

// TestDivides accepts groups with fewer duplicates than all slices together, if at most
// half of the groups are fragments.
func TestDivides(t *testing.T) {
	group := func(z ...float64) []*instance.Slice { return stack(z...) }
	for name, c := range map[string]struct {
		groups          map[string][]*instance.Slice
		multiple, total int
		want            bool
	}{
		"two volumes":         {map[string][]*instance.Slice{"a": group(0, 1, 2, 3), "b": group(0, 1, 2, 3)}, 2, 8, true},
		"as many duplicates":  {map[string][]*instance.Slice{"a": group(0, 0, 1, 1), "b": group(2, 2)}, 2, 6, false},
		"half are fragments":  {map[string][]*instance.Slice{"a": group(0, 1, 2, 3), "b": group(0)}, 2, 8, true},
		"most are fragments":  {map[string][]*instance.Slice{"a": group(0, 1, 2, 3), "b": group(0), "c": group(1)}, 2, 8, false},
		"half of a volume":    {map[string][]*instance.Slice{"a": group(0, 1), "b": group(0, 1)}, 2, 8, true},
		"less than half":      {map[string][]*instance.Slice{"a": group(0, 1), "b": group(0, 1)}, 2, 9, false},
		"less duplicates yet": {map[string][]*instance.Slice{"a": group(0, 0), "b": group(0)}, 3, 3, true},
	} {
		if got := divides(c.groups, c.multiple, c.total); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestTimesApart wants regular grids of three slices that reach into each other: any
// length if they are no regular grid together, half of the shorter and slices thicker than
// the steps if they are.
func TestTimesApart(t *testing.T) {
	for name, c := range map[string]struct {
		a, b      []float64
		thickness float64
		want      bool
	}{
		"half way, thick":              {[]float64{0, 2, 4}, []float64{1, 3, 5}, 1.51, true},
		"half way, as thick as steps":  {[]float64{0, 2, 4}, []float64{1, 3, 5}, 1.49, false},
		"half way, unknown":            {[]float64{0, 2, 4}, []float64{1, 3, 5}, 0, false},
		"uneven together":              {[]float64{0, 2, 4}, []float64{2.2, 4.2, 6.2}, 0, true},
		"apart":                        {[]float64{0, 2, 4}, []float64{10, 12, 14}, 9, false},
		"they touch":                   {[]float64{0, 2, 4}, []float64{4, 7, 10}, 0, false},
		"one lacks a slice":            {[]float64{0, 2, 4}, []float64{1.2, 3.2}, 0, true},
		"far from the origin":          {[]float64{1000, 1002, 1004}, []float64{1001, 1003, 1005}, 2, true},
		"behind the origin":            {[]float64{-1004, -1002, -1000}, []float64{-1001.9, -999.9, -997.9}, 0, true},
		"both uneven":                  {[]float64{0, 2, 5}, []float64{1, 3, 6.5}, 2, false},
		"regular, half of the shorter": {[]float64{0, 2, 4, 6, 8}, []float64{5, 7, 9}, 2, true},
		"uneven, less than half":       {[]float64{0, 2, 4, 6, 8}, []float64{7, 9, 10}, 2, true},
	} {
		a, b := stack(c.a...), stack(c.b...)
		all := slices.Concat(a, b)
		for i, s := range all {
			s.SliceThickness, s.Number = c.thickness, i
		}
		if got := timesApart(map[string][]*instance.Slice{"a": a, "b": b}, all); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestAreStacks wants a name and two slices of each stack.
func TestAreStacks(t *testing.T) {
	for _, c := range []struct {
		second string
		n      int
		want   bool
	}{{"2", 2, true}, {"2", 1, false}, {"", 2, false}} {
		groups := map[string][]*instance.Slice{"1": stack(0, 1), c.second: stack(0, 1)[:c.n]}
		if got := areStacks(groups); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestStationLimit groups up to as many stations as asked for, and at most 64.
func TestStationLimit(t *testing.T) {
	var images []*instance.Slice
	for i := range 65 {
		images = append(images, at(i, 20*float64(i), 0, 0))
	}
	for _, c := range []struct{ n, most, want int }{{64, 100, 64}, {65, 100, 0}, {3, 3, 3}, {4, 3, 0}} {
		if got := stations(images[:c.n], c.most); len(got) != c.want {
			t.Errorf("%d places, at most %d: %d groups", c.n, c.most, len(got))
		}
	}
	// The distance counts within the plane, in both directions.
	if got := stations([]*instance.Slice{at(0, 0, 0, 0), at(1, 0, 0, 50), at(2, 0, 10, 0), at(3, 9, 0, 0)}, 9); len(got) != 2 || len(got["1"]) != 3 {
		t.Errorf("%v", got)
	}
}

// TestSplitByCount divides slices by their numbers. A single slice of another volume is
// excluded; more are a volume of their own, whole or not.
func TestSplitByCount(t *testing.T) {
	for name, c := range map[string]struct {
		z        []float64
		numbers  []int
		want     string
		excluded int
	}{
		"all":                       {[]float64{0, 1, 0, 1}, nil, "repeat 1 of 2: 0 1; repeat 2 of 2: 2 3", 0},
		"two of 3":                  {[]float64{0, 1, 2, 0, 1}, nil, "repeat 1 of 2: 0 1 2; repeat 2 of 2: 3 4", 0},
		"first of 3 is missing":     {[]float64{1, 2, 0, 1, 2}, []int{2, 3, 4, 5, 6}, "repeat 1 of 2: 2 3; repeat 2 of 2: 4 5 6", 0},
		"last and first":            {[]float64{1, 2, 0, 1}, []int{2, 3, 4, 5}, "repeat 1 of 2: 2 3; repeat 2 of 2: 4 5", 0},
		"counted by position":       {[]float64{0, 0, 0, 1, 1, 2, 2, 2}, []int{1, 2, 3, 4, 6, 7, 8, 9}, "repeat 1 of 3: 1 4 7; repeat 2 of 3: 2 8; repeat 3 of 3: 3 6 9", 0},
		"one slice twice":           {[]float64{0, 1, 2, 1}, []int{1, 2, 3, 2}, ": 1 2 3", 1},
		"one slice again":           {[]float64{0, 1, 2, 3, 1}, []int{1, 2, 3, 4, 99}, ": 1 2 3 4", 1},
		"numbers from 101":          {[]float64{0, 1, 2, 0, 1, 2}, []int{101, 102, 103, 104, 105, 106}, "repeat 1 of 2: 101 102 103; repeat 2 of 2: 104 105 106", 0},
		"a number for every volume": {[]float64{0, 1, 2, 0, 2}, []int{7, 7, 7, 8, 8}, "repeat 1 of 2: 7 7 7; repeat 2 of 2: 8 8", 0},
	} {
		images := stack(c.z...)
		for i := range c.numbers {
			images[i].Number = c.numbers[i]
		}
		var got []string
		excluded := 0
		for _, p := range splitVolumes(candidate{slices: images}) {
			text := p.label + ":"
			for _, s := range slices.SortedFunc(slices.Values(p.slices), byInstance) {
				text += fmt.Sprint(" ", s.Number)
			}
			got, excluded = append(got, text), excluded+len(p.excluded)
		}
		if strings.Join(got, "; ") != c.want || excluded != c.excluded {
			t.Errorf("%s: %q, %d excluded; want %q, %d", name, got, excluded, c.want, c.excluded)
		}
	}
	if got := splitVolumes(candidate{label: "echo 1", slices: stack(0, 0)}); got[1].label != "echo 1, repeat 2 of 2" {
		t.Errorf("label %q", got[1].label)
	}
}

// TestDropDuplicates removes a file with UID, place and number of another, and keeps one in
// which any of these differs.
func TestDropDuplicates(t *testing.T) {
	for name, c := range map[string]struct {
		change       func(s *instance.Slice)
		copies, uids int
	}{
		"copy":              {func(s *instance.Slice) {}, 1, 0},
		"other UID":         {func(s *instance.Slice) { s.SOPUID = "2" }, 0, 0},
		"no UID":            {func(s *instance.Slice) { s.SOPUID = "" }, 0, 0},
		"other position":    {func(s *instance.Slice) { s.Position[2] = 9 }, 0, 1},
		"other number":      {func(s *instance.Slice) { s.Number = 9 }, 0, 1},
		"other series":      {func(s *instance.Slice) { s.Meta.Number = "9" }, 0, 1},
		"other frame":       {func(s *instance.Slice) { s.Frame = 9 }, 0, 1},
		"not placed":        {func(s *instance.Slice) { s.Placed = false }, 0, 1},
		"frame of one file": {func(s *instance.Slice) { s.Frame, s.Name = 9, "000" }, 0, 0},
	} {
		a, b := at(0, 0, 0, 0), at(1, 0, 0, 0)
		b.Number, a.SOPUID, b.SOPUID = 0, "1", "1"
		c.change(b)
		kept, copies, uids := dropDuplicates([]*instance.Slice{a, b})
		if len(kept) != 2-c.copies || len(copies) != c.copies || len(uids) != c.uids {
			t.Errorf("%s: %d kept, %d copies, %d share a UID", name, len(kept), len(copies), len(uids))
		}
	}
}

// TestStudyPerSliceNeedsThree reads series of three studies or more as one, if no study
// holds two different images.
func TestStudyPerSliceNeedsThree(t *testing.T) {
	for name, c := range map[string]struct {
		studies []string
		change  func(images []*instance.Slice)
		entries int
	}{
		"three":          {[]string{"a", "b", "c"}, nil, 1},
		"two":            {[]string{"a", "b"}, nil, 2},
		"two in a study": {[]string{"a", "b", "c", "c"}, nil, 3},
		"a copy":         {[]string{"a", "b", "c", "c"}, func(i []*instance.Slice) { i[3].SOPUID, i[3].Position, i[3].Number = i[2].SOPUID, i[2].Position, 2 }, 1},
		"no UIDs":        {[]string{"a", "b", "c", "c"}, func(i []*instance.Slice) { i[2].SOPUID, i[3].SOPUID = "", "" }, 3},
		"frames":         {[]string{"a", "b", "c", "c"}, func(i []*instance.Slice) { i[3].SOPUID, i[3].Name = i[2].SOPUID, i[2].Name }, 3},
	} {
		var images []*instance.Slice
		for i, study := range c.studies {
			s := at(i, 0, 0, float64(i))
			s.Meta.UID, s.StudyUID, s.SOPUID = "1", study, fmt.Sprint(i)
			images = append(images, s)
		}
		if c.change != nil {
			c.change(images)
		}
		if got := Entries(images); len(got) != c.entries {
			t.Errorf("%s: %d entries, want %d", name, len(got), c.entries)
		}
	}
}

// TestOrderOfEntries sorts by series number, then UID, then size, and puts what has no
// number last. Files without a UID belong together if they are in one folder.
func TestOrderOfEntries(t *testing.T) {
	var images []*instance.Slice
	for i, c := range []struct{ uid, number, folder string }{{"b", "10", ""}, {"a", "9", ""}, {"c", "x", ""}, {"a2", "9", ""}, {"", "1", "f/"}, {"", "1", "g/"}, {"", "1", "f/"}} {
		s := at(i, 0, 0, float64(i))
		s.Meta.UID, s.Meta.Number, s.Name = c.uid, c.number, c.folder+s.Name
		images = append(images, s)
	}
	var got []string
	for _, e := range Entries(images) {
		got = append(got, fmt.Sprintf("%s/%s/%d", e.Number, e.UID, e.Slices))
	}
	if want := "1//2 1//1 9/a/1 9/a2/1 10/b/1 x/c/1"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRefuseBeside refuses the entries in the folder of a broken file of unknown series, if
// its class is theirs or unknown.
func TestRefuseBeside(t *testing.T) {
	for name, c := range map[string]struct {
		file, class string
		refused     bool
	}{
		"same class": {"f/x", "CT", true}, "unknown class": {"f/x", "", true}, "other class": {"f/x", "MR", false},
		"other folder": {"g/x", "CT", false}, "folder below": {"f/g/x", "CT", false},
	} {
		s := at(0, 0, 0, 0)
		s.Name, s.SOPClass, s.Meta.UID = "f/a", "CT", "1"
		broken := part10.FileError("", c.file, message.Message{}, nil, "broken")
		orphan := &instance.Slice{Instance: &instance.Instance{Name: c.file, SOPClass: c.class, Err: broken}}
		e := Entries([]*instance.Slice{s, orphan})
		if len(e) != 1 || (e[0].Err != nil) != c.refused || e[0].Damaged != c.refused || c.refused && !errors.Is(e[0].Err, broken) {
			t.Errorf("%s: %+v", name, e)
		}
	}
	first, second := part10.FileError("", "f/x", message.Message{}, nil, "first"), part10.FileError("", "f/y", message.Message{}, nil, "second")
	orphans := []*instance.Slice{{Instance: &instance.Instance{Name: "f/x", Err: first}}, {Instance: &instance.Instance{Name: "f/y", Err: second}}}
	if e := Entries(orphans); len(e) != 1 || e[0].Err != error(first) || !e[0].Damaged || e[0].Slices != 2 {
		t.Errorf("orphans alone: %+v", e)
	}
}

// TestListedFiles names each file once, and at most 20.
func TestListedFiles(t *testing.T) {
	var images []*instance.Slice
	for i := range 21 {
		images = append(images, at(i, 0, 0, 0), at(i, 0, 0, 1))
	}
	if n := len(FileNames(images)); n != 20 {
		t.Errorf("%d files are named", n)
	}
	if n := len(FileNames(images[:40])); n != 20 {
		t.Errorf("%d of 20 files are named", n)
	}
	if n := fileBytes(images); n != 2100 {
		t.Errorf("%d bytes, each file counted once", n)
	}
}

// TestRelationKinds names how volumes differ, the first reason before later ones.
func TestRelationKinds(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *instance.Slice)
		want   series.Kind
	}{
		"same":        {func(s *instance.Slice) {}, series.Volumes},
		"rotated":     {func(s *instance.Slice) { s.Rotated, s.Placed = true, false }, series.Orientation},
		"no position": {func(s *instance.Slice) { s.Placed = false }, series.Position},
		"localizer":   {func(s *instance.Slice) { s.ImageType, s.Row = []string{"LOCALIZER"}, volume.Vec{0, 0, 1} }, series.Localizer},
		"direction":   {func(s *instance.Slice) { s.Row, s.Column = volume.Vec{0, 1, 0}, volume.Vec{0, 0, -1} }, series.Orientation},
		"size":        {func(s *instance.Slice) { s.Row, s.Format.Rows = volume.Vec{0, 1, 0}, 9 }, series.Size},
		"spacing":     {func(s *instance.Slice) { s.Spacing[0] = 3 }, series.Size},
		"a little":    {func(s *instance.Slice) { s.Row = volume.Vec{1, 0.0021, 0} }, series.Orientation},
		"half of it":  {func(s *instance.Slice) { s.Row = volume.Vec{1, 0.0019, 0} }, series.Volumes},
	} {
		s := at(1, 0, 0, 0)
		c.change(s)
		if got := relationKind(&Entry{Stack: stack(0)}, &Entry{Stack: []*instance.Slice{s}}); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestRelatedFindings names up to four volumes and counts the rest, and the images of one
// volume in the singular.
func TestRelatedFindings(t *testing.T) {
	for n, want := range map[int]string{
		1: "1 image without a position in space cannot be in this volume (p0); it is listed as a volume of its own.",
		4: "4 images without a position in space cannot be in this volume (p0; p1; p2; p3); they are listed as volumes of their own.",
		5: "5 images without a position in space cannot be in this volume (p0; p1; p2; p3; and 1 more); they are listed as volumes of their own.",
	} {
		own := Entry{Entry: format.Entry{Slices: 1}, Stack: stack(0)}
		entries := []Entry{own}
		for i := range n {
			s := at(i, 0, 0, 0)
			s.Placed = false
			entries = append(entries, Entry{Entry: format.Entry{Slices: 1, Part: fmt.Sprint("p", i)}, Stack: []*instance.Slice{s}})
		}
		reportRelated(entries)
		if f := entries[0].Findings; len(f) != 1 || f[0].Text.String() != want || f[0].Kind != series.Position || f[0].Severity != series.Refused || len(f[0].Files) != min(n, 4) {
			t.Errorf("%+v, want %q", f, want)
		}
		if f := entries[1].Findings; n == 1 && (len(f) != 1 || !strings.Contains(f[0].Text.String(), "1 image with a position in space")) {
			t.Errorf("%+v", f)
		}
	}
}

// TestTraits words what keeps volumes of each kind apart, seen from either.
func TestTraits(t *testing.T) {
	for what, c := range map[string]struct {
		change func(s *instance.Slice)
		want   [2]string
	}{
		"localizer":   {func(s *instance.Slice) { s.ImageType = []string{"LOCALIZER"} }, [2]string{"of a localizer", "that is no localizer"}},
		"position":    {func(s *instance.Slice) { s.Placed = false }, [2]string{"without a position in space", "with a position in space"}},
		"orientation": {func(s *instance.Slice) { s.Row, s.Column = volume.Vec{0, 1, 0}, volume.Vec{0, 0, -1} }, [2]string{"of another orientation", "of another orientation"}},
		"size":        {func(s *instance.Slice) { s.Spacing[0] = 3 }, [2]string{"of another size or pixel spacing", "of another size or pixel spacing"}},
	} {
		s := at(1, 0, 0, 0)
		c.change(s)
		entries := []Entry{{Entry: format.Entry{Slices: 1}, Stack: stack(0)}, {Entry: format.Entry{Slices: 1, Part: "p"}, Stack: []*instance.Slice{s}}}
		reportRelated(entries)
		for i, e := range entries {
			if len(e.Findings) != 1 || !strings.HasPrefix(e.Findings[0].Text.String(), "1 image "+c.want[i]+" cannot be in this volume (") {
				t.Errorf("%s, seen from %d: %+v", what, i, e.Findings)
			}
		}
	}
	// No more than 20 files are listed.
	var images []*instance.Slice
	for i := range 25 {
		s := at(100+i, 0, 0, float64(i))
		s.Placed = false
		images = append(images, s)
	}
	entries := []Entry{{Entry: format.Entry{Slices: 1}, Stack: stack(0)}, {Entry: format.Entry{Slices: 15}, Stack: images[:15]}, {Entry: format.Entry{Slices: 10}, Stack: images[15:]}}
	reportRelated(entries)
	if n := len(entries[0].Findings[0].Files); n != ListedFiles {
		t.Errorf("%d files are listed", n)
	}
}

// TestDuplicatesInWords: one file in the singular.
func TestDuplicatesInWords(t *testing.T) {
	for n, want := range map[int][2]string{
		1: {"1 file has the SOP Instance UID of another image", "1 file has the SOP Instance UID, instance number and position of another"},
		2: {"2 files have the SOP Instance UID of another image", "2 files have the SOP Instance UID, instance number and position of another"},
	} {
		images := stack(0, 1)[:n]
		f := reportDuplicates(images, images)
		if len(f) != 2 || !strings.HasPrefix(f[0].Text.String(), want[0]) || !strings.HasPrefix(f[1].Text.String(), want[1]) || len(f[0].Files) != n {
			t.Errorf("%+v", f)
		}
	}
	if f := reportDuplicates(nil, nil); f != nil {
		t.Errorf("none: %v", f)
	}
}

// TestRegularSlices: fewer than three are, and also slices with positions rounded by
// up to 0.1 mm.
func TestRegularSlices(t *testing.T) {
	for what, c := range map[string]struct {
		z    []float64
		want bool
	}{
		"one": {[]float64{5}, true}, "two": {[]float64{5, 50}, true}, "even": {[]float64{0, 10, 20}, true},
		"rounded": {[]float64{0, 1.09, 2}, true}, "uneven": {[]float64{0, 1.11, 2}, false}, "by a half": {[]float64{0, 10.5, 20}, false},
		"by 2 %": {[]float64{0, 100, 200, 302}, true}, "by more": {[]float64{0, 100, 200, 302.1}, false},
	} {
		if got := isRegular(stack(c.z...)); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
	if got := unevenness([]float64{115, 85}); got != 15 {
		t.Errorf("15 %% of the spacing: %g", got)
	}
	if got := unevenness([]float64{115.1, 84.9}); !math.IsInf(got, 1) {
		t.Errorf("more than 15 %%: %g", got)
	}
}

// TestNumbersBeforeNames: values are ordered as numbers only if both are.
func TestNumbersBeforeNames(t *testing.T) {
	groups := map[string][]*instance.Slice{"-5": {at(9, 0, 0, 0)}, "x": {at(1, 0, 0, 0)}, "10": {at(2, 0, 0, 0)}, "y": {at(3, 0, 0, 0), at(0, 0, 0, 0)}}
	for _, c := range []struct {
		a, b string
		want int
	}{{"-5", "x", 1}, {"x", "-5", -1}, {"-5", "10", -1}, {"10", "-5", 1}, {"x", "y", 1}, {"10", "10", 0}} {
		if got := byNumber(c.a, c.b, groups); got != c.want {
			t.Errorf("%s, %s: %d", c.a, c.b, got)
		}
	}
}

// TestUnusableGeometry refuses positions that no grid can have.
func TestUnusableGeometry(t *testing.T) {
	images := stack(0, 1)
	images[1].Position[2] = 1e300
	for _, s := range images {
		s.Spacing = [2]float64{1e-300, 1e300}
	}
	e := formEntry(candidate{slices: images}, nil)
	if e.Err == nil || !e.Damaged || !strings.HasPrefix(e.Err.Error(), "000: its geometry cannot be used (") || strings.Contains(e.Err.Error(), "volume: ") {
		t.Errorf("%v, damaged %v", e.Err, e.Damaged)
	}
}

// TestExcludedInThePlural says "each" of several images only.
func TestExcludedInThePlural(t *testing.T) {
	for n, want := range map[int]string{1: "1 image is excluded, because it is odd.", 2: "2 images are excluded, each because it is odd."} {
		images := stack(0, 1)[:n]
		for _, s := range images {
			s.Excluded = message.Verbatim("it is odd")
		}
		if f := reportExcluded(images); len(f) != 1 || f[0].Text.String() != want {
			t.Errorf("%+v, want %q", f, want)
		}
	}
}
