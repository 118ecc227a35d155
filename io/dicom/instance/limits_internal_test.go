package instance

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/dicom/part10"
	"quell/volume"
)

// text, short and number return one element in explicit little endian.
func text(t part10.Tag, v string) []byte {
	return part10.AppendElement(nil, part10.ExplicitLE, t, part10.DictionaryVR(t), []byte(v))
}

func short(t part10.Tag, v int) []byte {
	return part10.AppendElement(nil, part10.ExplicitLE, t, "US", binary.LittleEndian.AppendUint16(nil, uint16(v)))
}

// attributes decodes elements as a scan does.
func attributes(t *testing.T, elements ...[]byte) part10.Attributes {
	t.Helper()
	b := append(part10.AppendFileMeta(nil, "1.2", "1.2.3", part10.UIDExplicitLE, ""), text(part10.TagSOPInstanceUID, "1.2.3")...)
	p, err := part10.TokenizeBytes(slices.Concat(append([][]byte{b}, elements...)...), IsWanted)
	if err != nil {
		t.Fatal(err)
	}
	a, err := part10.ReadValues(p)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestReadPlane pins which spacings are used, in which order, and how far from a right
// angle rows and columns may be.
func TestReadPlane(t *testing.T) {
	position, axial := text(part10.TagImagePositionPatient, `1\2\3`), text(part10.TagImageOrientationPatient, `1\0\0\0\1\0`)
	for name, c := range map[string]struct {
		elements [][]byte
		spacing  [2]float64
		assumed  bool
		thick    float64
		placed   bool
	}{
		"nothing":          {nil, [2]float64{1, 1}, true, 0, false},
		"placed":           {[][]byte{position, axial}, [2]float64{1, 1}, true, 0, true},
		"no orientation":   {[][]byte{position}, [2]float64{1, 1}, true, 0, false},
		"short position":   {[][]byte{text(part10.TagImagePositionPatient, `1\2`), axial}, [2]float64{1, 1}, true, 0, false},
		"short direction":  {[][]byte{position, text(part10.TagImageOrientationPatient, `1\0\0\0\1`)}, [2]float64{1, 1}, true, 0, false},
		"no direction":     {[][]byte{position, text(part10.TagImageOrientationPatient, `0\0\0\0\1\0`)}, [2]float64{1, 1}, true, 0, false},
		"almost square":    {[][]byte{position, text(part10.TagImageOrientationPatient, `1\0\0\0.0099\1\0`)}, [2]float64{1, 1}, true, 0, true},
		"not square":       {[][]byte{position, text(part10.TagImageOrientationPatient, `1\0\0\-0.0102\1\0`)}, [2]float64{1, 1}, true, 0, false},
		"pixel spacing":    {[][]byte{text(part10.TagPixelSpacing, `3\2`), text(part10.TagImagerPixelSpacing, `5\4`)}, [2]float64{2, 3}, false, 0, false},
		"of the imager":    {[][]byte{text(part10.TagPixelSpacing, `0\2`), text(part10.TagImagerPixelSpacing, `5\4`)}, [2]float64{4, 5}, false, 0, false},
		"a negative one":   {[][]byte{text(part10.TagPixelSpacing, `2\-2`)}, [2]float64{1, 1}, true, 0, false},
		"three values":     {[][]byte{text(part10.TagPixelSpacing, `2\2\2`)}, [2]float64{1, 1}, true, 0, false},
		"aspect ratio":     {[][]byte{text(part10.TagPixelAspectRatio, `3\2`)}, [2]float64{1, 1.5}, true, 0, false},
		"ratio of 0":       {[][]byte{text(part10.TagPixelAspectRatio, `3\0`)}, [2]float64{1, 1}, true, 0, false},
		"ratio, not used":  {[][]byte{text(part10.TagPixelAspectRatio, `3\2`), text(part10.TagPixelSpacing, `2\2`)}, [2]float64{2, 2}, false, 0, false},
		"between slices":   {[][]byte{text(part10.TagSliceThickness, "4"), text(part10.TagSpacingBetweenSlices, "3")}, [2]float64{1, 1}, true, 3, false},
		"thickness":        {[][]byte{text(part10.TagSliceThickness, "4"), text(part10.TagSpacingBetweenSlices, "-3")}, [2]float64{1, 1}, true, 4, false},
		"0 between slices": {[][]byte{text(part10.TagSliceThickness, "4"), text(part10.TagSpacingBetweenSlices, "0")}, [2]float64{1, 1}, true, 4, false},
		"half a mm":        {[][]byte{text(part10.TagSpacingBetweenSlices, "0.5")}, [2]float64{1, 1}, true, 0.5, false},
		"decimal commas":   {[][]byte{text(part10.TagPixelSpacing, `0,5\0,25`)}, [2]float64{0.25, 0.5}, false, 0, false},
		"pixels of 0.5 mm": {[][]byte{text(part10.TagPixelSpacing, `0.5\0.25`)}, [2]float64{0.25, 0.5}, false, 0, false},
		"thickness of 0":   {[][]byte{text(part10.TagSliceThickness, "0")}, [2]float64{1, 1}, true, 0, false},
		"scaled direction": {[][]byte{position, text(part10.TagImageOrientationPatient, `3\0\0\0\0.1\0`)}, [2]float64{1, 1}, true, 0, true},
	} {
		var s Slice
		s.readPlane(attributes(t, c.elements...))
		if s.Spacing != c.spacing || s.NoPixelSpacing != c.assumed || s.Thickness != c.thick || s.Placed != c.placed {
			t.Errorf("%s: %+v", name, s)
		}
		if c.placed && (s.Position != volume.Vec{1, 2, 3} || s.Row != volume.Vec{1, 0, 0}) {
			t.Errorf("%s: at %v, row %v", name, s.Position, s.Row)
		}
	}
}

// TestReadDisplay pairs centres, widths and names of windows, leaves out those without a
// width, and names the unit of values.
func TestReadDisplay(t *testing.T) {
	s := newSlice(&Instance{}, attributes(t, text(part10.TagWindowCenter, `1\2\3\4`), text(part10.TagWindowWidth, `10\0\30`), text(part10.TagWindowCenterWidthExplanation, `a\b`)))
	if want := []volume.Window{{Center: 1, Width: 10, Name: "a"}, {Center: 3, Width: 30}}; !slices.Equal(s.Meta.Windows, want) {
		t.Errorf("windows %v, want %v", s.Meta.Windows, want)
	}
	for _, c := range []struct{ modality, rescale, imageType, want string }{
		{"CT", "", "AXIAL", "HU"}, {"CT", "", "LOCALIZER", ""}, {"CT", "US", "AXIAL", ""}, {"CT", "HU", "LOCALIZER", "HU"},
		{"MR", "", "", ""}, {"MR", "HU", "", "HU"}, {"PT", "", "", "BQML"}, {"NM", "", "", ""},
	} {
		s := newSlice(&Instance{}, attributes(t, text(part10.TagModality, c.modality), text(part10.TagRescaleType, c.rescale), text(part10.TagImageType, c.imageType), text(part10.TagUnits, "BQML")))
		if s.Unit != c.want {
			t.Errorf("%+v: unit %q", c, s.Unit)
		}
	}
}

// TestFrameOffsetRules places frames by a vector that begins with 0 and has a value for each,
// else by a spacing, unless frames follow each other in time.
func TestFrameOffsetRules(t *testing.T) {
	vector := func(v string) []byte { return text(part10.TagGridFrameOffsetVector, v) }
	pointer := func(tag part10.Tag) []byte {
		b := binary.LittleEndian.AppendUint16(nil, tag.Group())
		return part10.AppendElement(nil, part10.ExplicitLE, part10.TagFrameIncrementPointer, "AT", binary.LittleEndian.AppendUint16(b, tag.Element()))
	}
	spacing := text(part10.TagSpacingBetweenSlices, "2")
	for name, c := range map[string]struct {
		elements [][]byte
		want     string
	}{
		"vector":       {[][]byte{vector(`0\3\7`), spacing}, "[0 3 7]"},
		"from 1 on":    {[][]byte{vector(`1\3\7`), spacing}, "[0 2 4]"},
		"too short":    {[][]byte{vector(`0\3`), spacing}, "[0 2 4]"},
		"nothing":      {nil, "[]"},
		"no spacing":   {[][]byte{text(part10.TagSpacingBetweenSlices, "0")}, "[]"},
		"backwards":    {[][]byte{text(part10.TagSpacingBetweenSlices, "-2")}, "[-0 -2 -4]"},
		"time":         {[][]byte{spacing, pointer(part10.TagFrameTime)}, "[]"},
		"times":        {[][]byte{spacing, pointer(part10.TagFrameTimeVector)}, "[]"},
		"other vector": {[][]byte{spacing, pointer(part10.TagGridFrameOffsetVector)}, "[0 2 4]"},
	} {
		if got := fmt.Sprint(frameOffsets(attributes(t, c.elements...), 3)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestFrameLimit splits 16384 frames of a small file and refuses 16385, unless the file has
// 512 bytes for each.
func TestFrameLimit(t *testing.T) {
	for _, c := range []struct {
		frames int
		size   int64
		ok     bool
	}{{16384, 1, true}, {16385, 1, false}, {16385, 16385*512 - 1, false}, {16385, 16385 * 512, true}} {
		a := attributes(t, short(part10.TagRows, 1), short(part10.TagColumns, 1), short(part10.TagBitsAllocated, 8), text(part10.TagNumberOfFrames, fmt.Sprint(c.frames)))
		in := &Instance{Size: c.size}
		whole := newSlice(in, a)
		in.Slices = []*Slice{whole}
		in.splitImage(whole, part10.NewFile(), a)
		if in.Excluded.IsZero() != c.ok || c.ok && len(in.Slices) != c.frames || !c.ok && !strings.Contains(in.Excluded.String(), "16385 frames, and of a file of") {
			t.Errorf("%d frames in %d bytes: %d slices, %v", c.frames, c.size, len(in.Slices), in.Excluded)
		}
	}
}

// TestTilingGeometry finds tiles row by row, in an image that is not square, and copies
// them out and back.
func TestTilingGeometry(t *testing.T) {
	tl := &Tiling{across: 3, down: 2}
	tl.image.Cols, tl.image.Rows, tl.image.Allocated = 6, 4, 16
	image := make([]byte, 6*4*2)
	for i := range image {
		image[i] = byte(i)
	}
	for n, want := range [][2]int{{0, 0}, {2, 0}, {4, 0}, {0, 2}, {2, 2}, {4, 2}} {
		if col, row := tl.origin(n); col != want[0] || row != want[1] {
			t.Errorf("tile %d begins at %d, %d", n, col, row)
		}
		tile := tl.Tile(image, n)
		first := byte((want[1]*6 + want[0]) * 2)
		if len(tile) != 8 || tile[0] != first || tile[3] != first+3 || tile[4] != first+12 || cap(tile) != 8 {
			t.Errorf("tile %d: %v", n, tile)
		}
		back := slices.Clone(image)
		tl.SetTile(back, n, make([]byte, 8))
		tl.SetTile(back, n, tile)
		if !slices.Equal(back, image) {
			t.Errorf("tile %d is put back elsewhere", n)
		}
	}
	for _, c := range []struct {
		across, down int
		want         bool
	}{{3, 2, true}, {4, 2, false}, {3, 3, false}, {6, 4, true}} {
		tl.across, tl.down = c.across, c.down
		if tl.fits() != c.want {
			t.Errorf("%d x %d tiles fit: %v", c.across, c.down, !c.want)
		}
	}
}

// csa1 appends a header of before 2004, in which the first element sets what is added to
// lengths.
func csa1(name string, values ...string) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(le.AppendUint32(nil, 2), 77)
	element := func(name string, items int, values ...string) {
		var head [64 + 12]byte
		copy(head[:63], name)
		b = append(b, head[:]...)
		b = le.AppendUint32(le.AppendUint32(b, uint32(items)), 77)
		for _, v := range values {
			for _, n := range []int{len(v) + 1, 0, 77, 0} {
				b = le.AppendUint32(b, uint32(n))
			}
			b = append(append(b, v...), make([]byte, (4-len(v)%4)%4)...)
		}
	}
	element("first", 1, "")
	element(name, len(values), values...)
	return b
}

// TestCSAHeaders reads both forms of a CSA header and refuses damaged ones.
func TestCSAHeaders(t *testing.T) {
	second := AppendMosaicCSA(nil, 12, volume.Vec{0, -0.6, 0.8})
	got, err := csaValues(second, csaImages, csaNormal)
	if err != nil || fmt.Sprint(got) != "map[NumberOfImagesInMosaic:[12] SliceNormalVector:[0 -0.6 0.8]]" {
		t.Errorf("CSA2: %v, %v", got, err)
	}
	if got, err = csaValues(csa1(csaImages, "24"), csaImages); err != nil || fmt.Sprint(got) != "map[NumberOfImagesInMosaic:[24]]" {
		t.Errorf("CSA1: %v, %v", got, err)
	}
	if got, err = csaValues(second, csaNormal); err != nil || len(got) != 1 {
		t.Errorf("only what is asked for: %v, %v", got, err)
	}
	long := slices.Clone(second)
	binary.LittleEndian.PutUint32(long[16+csaTagBytes+4:], 1<<31-1)
	negative := slices.Clone(second)
	binary.LittleEndian.PutUint32(negative[16+csaTagBytes+4:], 1<<32-1)
	word := appendCSA(nil, []csaElement{{csaImages, "US", []string{"many"}}})
	for name, b := range map[string][]byte{
		"nothing": nil, "a beginning": second[:8], "no count": second[:15], "half an element": second[:40], "half an item": second[:16+csaTagBytes+10],
		"a long item": long, "a negative item": negative, "a word": word, "not finite": appendCSA(nil, []csaElement{{csaImages, "FD", []string{"inf"}}}),
	} {
		if got, err := csaValues(b, csaImages); !errors.Is(err, errCSA) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := csaValues(word, csaNormal); err != nil {
		t.Errorf("a word that is not asked for: %v", err)
	}
}

// TestDistinctionValues writes numbers in one form, whatever their VR.
func TestDistinctionValues(t *testing.T) {
	a := attributes(t, text(part10.TagEchoTime, "2.50 "), text(part10.TagStackID, "S1"),
		text(part10.TagConvolutionKernel, `B\30s`), short(part10.TagTemporalPositionIndex, 7))
	for _, c := range []struct {
		read func(part10.Attributes, part10.Tag) string
		tag  part10.Tag
		want string
	}{
		{single, part10.TagEchoTime, "2.5"}, {single, part10.TagStackID, "S1"}, {single, part10.TagTemporalPositionIndex, "7"}, {single, part10.TagKVP, ""},
		{joined, part10.TagConvolutionKernel, `B\30s`}, {joined, part10.TagEchoTime, "2.5"}, {joined, part10.TagKVP, ""},
	} {
		if got := c.read(a, c.tag); got != c.want {
			t.Errorf("%v: %q, want %q", c.tag, got, c.want)
		}
	}
}

// TestFoundWithoutPixels checks the kinds of sound files without Pixel Data.
func TestFoundWithoutPixels(t *testing.T) {
	for name, c := range map[string]struct {
		elements [][]byte
		kind     Kind
		excluded bool
		broken   bool
		slices   int
	}{
		"image":                   {[][]byte{text(part10.TagSOPClassUID, "1.2.840.10008.5.1.4.1.1.2")}, Image, false, true, 1},
		"report":                  {[][]byte{text(part10.TagSOPClassUID, "1.2.840.10008.5.1.4.1.1.88.11")}, NoImage, false, false, 0},
		"float":                   {[][]byte{text(part10.TagSOPClassUID, "1.2.840.10008.5.1.4.1.1.2"), part10.AppendElement(nil, part10.ExplicitLE, part10.TagFloatPixelData, "OF", make([]byte, 4))}, Image, true, false, 1},
		"double float":            {[][]byte{text(part10.TagSOPClassUID, "1.2.840.10008.5.1.4.1.1.2"), part10.AppendElement(nil, part10.ExplicitLE, part10.TagDoubleFloatPixelData, "OD", make([]byte, 8))}, Image, true, false, 1},
		"of unknown class, sized": {[][]byte{short(part10.TagRows, 3)}, Image, false, true, 1},
	} {
		// Without a class in the meta header, the class of the data set counts.
		b := append(make([]byte, 128), "DICM"...)
		b = append(b, text(part10.TagTransferSyntaxUID, part10.UIDExplicitLE)...)
		in, err := Read(context.Background(), fstest.MapFS{"x": {Data: slices.Concat(append([][]byte{b}, c.elements...)...)}}, "x")
		if err != nil || in.Kind != c.kind || (in.Excluded.String() != "") != c.excluded || (in.Err != nil) != c.broken || len(in.Slices) != c.slices {
			t.Errorf("%s: %+v, %v", name, in, err)
		}
	}
}

// failingFS opens nothing.
type failingFS struct{ err error }

func (f failingFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: f.err}
}

// TestReadWhatIsNoFile reports files that cannot be opened with advice that fits, folders as
// foreign, and a context that ended.
func TestReadWhatIsNoFile(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	for err, advice := range map[error]string{fs.ErrNotExist: "check that it exists", fs.ErrPermission: "check that it exists", errors.New("bad zip"): "copy it again from where it came"} {
		in, e := Read(ctx, failingFS{err}, "x")
		if e != nil || in.Kind != Foreign || in.Err == nil || !strings.HasPrefix(in.Err.Advice.String(), advice) || !errors.Is(in.Err, err) {
			t.Errorf("%v: %+v, %v", err, in, e)
		}
	}
	if in, err := Read(ctx, fstest.MapFS{"d/x": {}}, "d"); err != nil || in.Kind != Foreign || in.Err != nil {
		t.Errorf("a folder: %+v, %v", in, err)
	}
	cancel()
	if _, err := Read(ctx, fstest.MapFS{"x": {}}, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestPixelsThatAreGone refuses slices that the opened pixels do not have.
func TestPixelsThatAreGone(t *testing.T) {
	in := &Instance{Name: "x"}
	for name, c := range map[string]struct {
		f     *PixelFile
		frame int
		ok    bool
	}{
		"first":      {&PixelFile{pixels: make([]byte, 8), frameBytes: 4}, 0, true},
		"last":       {&PixelFile{pixels: make([]byte, 8), frameBytes: 4}, 1, true},
		"behind":     {&PixelFile{pixels: make([]byte, 8), frameBytes: 4}, 2, false},
		"half":       {&PixelFile{pixels: make([]byte, 7), frameBytes: 4}, 1, false},
		"compressed": {&PixelFile{compressed: [][][]byte{}, pixels: make([]byte, 8), frameBytes: 4}, 0, false},
	} {
		raw, err := c.f.Slice(&Slice{Instance: in, Frame: c.frame})
		if (err == nil) != c.ok || c.ok && len(raw) != 4 || err != nil && !strings.Contains(err.Error(), "changed since it was scanned") {
			t.Errorf("%s: %v, %v", name, raw, err)
		}
	}
	for name, c := range map[string]struct {
		syntax    string
		size      int64
		allocated int
		tiles     *Tiling
		want      bool
	}{
		"two frames": {part10.UIDExplicitLE, 24, 16, nil, true}, "less": {part10.UIDExplicitLE, 23, 16, nil, false}, "big endian": {part10.UIDExplicitBE, 24, 16, nil, true},
		"swapped in pairs": {part10.UIDExplicitBE, 24, 8, nil, false}, "bytes": {part10.UIDExplicitLE, 24, 8, nil, true}, "deflated": {part10.UIDDeflatedLE, 24, 16, nil, false},
		"compressed": {part10.UIDRLE, 24, 16, nil, false}, "mosaic": {part10.UIDExplicitLE, 24, 16, &Tiling{}, false},
	} {
		s := &Slice{Instance: &Instance{Syntax: part10.Syntaxes[c.syntax], Size: c.size, Tiles: c.tiles}}
		s.Format.Rows, s.Format.Cols, s.Format.Samples, s.Format.Allocated = 2, 3, 1, c.allocated
		if got := s.readByFrame(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestDimensionIndex labels frames by the dimensions that are not of space, if every frame has one index for each.
func TestDimensionIndex(t *testing.T) {
	pointers := []part10.Tag{part10.TagStackID, part10.TagInStackPositionNumber, part10.TagTemporalPositionIndex, part10.TagEffectiveEchoTime}
	for want, c := range map[string]struct {
		pointers []part10.Tag
		values   []int
	}{
		`3\2`: {pointers, []int{1, 7, 3, 2}},
		"3":   {pointers[:3], []int{1, 7, 3}},
		"":    {pointers, []int{1, 7, 3}},
	} {
		frame := &Slice{}
		frame.acquired.dimensions = c.values
		orderDimensions([]*Slice{frame}, c.pointers)
		if got := frame.Distinctions[dimensionDistinction]; got != want {
			t.Errorf("%v of %v: %q, want %q", c.values, c.pointers, got, want)
		}
	}
}
