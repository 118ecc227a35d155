package instance

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/dicom/part10"
	"quell/volume"
)

// keeping returns a tokenized file in explicit little endian that holds one element whole.
func keeping(t part10.Tag, b []byte) *part10.File {
	return &part10.File{PixelIndex: -1, Syntax: part10.Syntaxes[part10.UIDExplicitLE], Kept: map[part10.Tag][]byte{t: b}}
}

// sequence encodes a sequence of items.
func sequence(t part10.Tag, items ...[]byte) []byte {
	return part10.AppendSequence(nil, part10.ExplicitLE, t, items...)
}

// creator is the owner of Siemens' private block.
func creator(v string) []byte {
	return part10.AppendElement(nil, part10.ExplicitLE, 0x00190010, "LO", []byte(v))
}

// TestDamagedKeptElements: an element that was kept whole and does not read is an error, or
// leaves a list empty; the image is excluded.
func TestDamagedKeptElements(t *testing.T) {
	noElement := append([]byte{0x29, 0, 0x10, 0x10, 'x', 'x'}, make([]byte, 10)...)
	for what, b := range map[string][]byte{"no element": noElement, "cut": noElement[:3]} {
		if g, n, err := readGroups(keeping(part10.TagSharedFunctionalGroupsSequence, b), part10.TagSharedFunctionalGroupsSequence, 1); err == nil || g != nil || n != 0 {
			t.Errorf("%s: groups %v, %d, %v", what, g, n, err)
		}
		if _, err := readGroup(keeping(part10.TagDetectorInformationSequence, b), part10.TagDetectorInformationSequence); err == nil {
			t.Errorf("%s: a group", what)
		}
		if tiles, err := readUIHTiles(keeping(part10.TagUIHFrameSequence, b)); err == nil || tiles != nil {
			t.Errorf("%s: tiles %v, %v", what, tiles, err)
		}
		if files := referencedFiles(keeping(part10.TagDirectoryRecordSequence, b)); files != nil {
			t.Errorf("%s: files %v", what, files)
		}
		whole := &Slice{Placed: true, Thickness: 1, Row: volume.Vec{1, 0, 0}, Column: volume.Vec{0, 1, 0}}
		if _, _, problem := readMosaicHeader(whole, keeping(part10.TagSiemensCSAImageHeader, b), part10.Attributes{}); problem.String() != "its Siemens header is damaged" {
			t.Errorf("%s: mosaic: %q", what, problem)
		}
		in := &Instance{}
		p := keeping(part10.TagUIHFrameSequence, b)
		if in.splitUIHTiles(&Slice{Instance: in}, p, part10.Attributes{}); !strings.Contains(in.Excluded.String(), "does not say where they lie") {
			t.Errorf("%s: tiled: %q", what, in.Excluded)
		}
		for _, tag := range []part10.Tag{part10.TagSharedFunctionalGroupsSequence, part10.TagPerFrameFunctionalGroupsSequence, part10.TagDetectorInformationSequence} {
			a := attributes(t, short(part10.TagRows, 1), short(part10.TagColumns, 1), short(part10.TagBitsAllocated, 8), text(part10.TagNumberOfFrames, "2"))
			in := &Instance{Name: "x"}
			if in.splitImage(newSlice(in, a), keeping(tag, b), a); in.Err == nil || !strings.Contains(in.Err.Error(), "its functional groups are damaged (") {
				t.Errorf("%s: %v: %v", what, tag, in.Err)
			}
		}
	}
	none := keeping(part10.TagPixelData, nil)
	if _, err := readGroup(none, part10.TagDetectorInformationSequence); err != nil {
		t.Errorf("no group: %v", err)
	}
	if g, n, err := readGroups(none, part10.TagSharedFunctionalGroupsSequence, 1); err != nil || g != nil || n != 0 {
		t.Errorf("no groups: %v, %d, %v", g, n, err)
	}
}

// TestGroupsThatAreRead: attributes of each of the first items; a diffusion direction inside
// its group; of two groups of one kind the first.
func TestGroupsThatAreRead(t *testing.T) {
	position := func(v string) []byte {
		return sequence(part10.TagPlanePositionSequence, text(part10.TagImagePositionPatient, v))
	}
	value := func(tag part10.Tag, bits uint64) []byte {
		return part10.AppendElement(nil, part10.ExplicitLE, tag, "FD", binary.LittleEndian.AppendUint64(nil, bits))
	}
	const one, two = 0x3FF0000000000000, 0x4000000000000000
	gradient := sequence(part10.TagDiffusionGradientDirectionSequence, value(part10.TagDiffusionGradientOrientation, two))
	diffusion := sequence(part10.TagMRDiffusionSequence, slices.Concat(value(part10.TagDiffusionBValue, one), gradient))
	p := keeping(part10.TagPerFrameFunctionalGroupsSequence, sequence(part10.TagPerFrameFunctionalGroupsSequence,
		slices.Concat(diffusion, position(`1\2\3`), position(`7\8\9`)), position(`4\5\6`), position(`9\9\9`)))
	groups, n, err := readGroups(p, part10.TagPerFrameFunctionalGroupsSequence, 2)
	if err != nil || n != 3 || len(groups) != 2 {
		t.Fatalf("%d groups of %d items, %v", len(groups), n, err)
	}
	for i, want := range []string{"[1 2 3]", "[4 5 6]"} {
		if v, _ := groups[i].Numbers(part10.TagImagePositionPatient); fmt.Sprint(v) != want {
			t.Errorf("item %d: position %v", i, v)
		}
	}
	b, ok1 := groups[0].Number(part10.TagDiffusionBValue)
	d, ok2 := groups[0].Numbers(part10.TagDiffusionGradientOrientation)
	if !ok1 || !ok2 || b != 1 || fmt.Sprint(d) != "[2]" {
		t.Errorf("b-value %g, direction %v", b, d)
	}
	// A direction outside its group does not count, nor what another group has under its tag.
	other := sequence(part10.TagMREchoSequence, slices.Concat(value(part10.TagEffectiveEchoTime, one), gradient))
	p = keeping(part10.TagPerFrameFunctionalGroupsSequence, sequence(part10.TagPerFrameFunctionalGroupsSequence, other))
	if groups, _, err = readGroups(p, part10.TagPerFrameFunctionalGroupsSequence, 1); err != nil || len(groups[0].Set) != 1 {
		t.Errorf("%v, %v", groups, err)
	}
	// The gradient's own items are damaged.
	damaged := slices.Clone(diffusion)
	damaged[len(damaged)-len(gradient)+12] ^= 0x55
	p = keeping(part10.TagPerFrameFunctionalGroupsSequence, sequence(part10.TagPerFrameFunctionalGroupsSequence, damaged))
	if _, _, err = readGroups(p, part10.TagPerFrameFunctionalGroupsSequence, 1); err == nil {
		t.Error("a damaged direction is read")
	}
}

// TestReferencedFiles joins the parts of each path.
func TestReferencedFiles(t *testing.T) {
	id := func(v string) []byte { return text(part10.TagReferencedFileID, v) }
	p := keeping(part10.TagDirectoryRecordSequence, sequence(part10.TagDirectoryRecordSequence, id(`A\B `), text(part10.TagPatientName, "X"), id(""), id(`CC`)))
	if got := fmt.Sprint(referencedFiles(p)); got != "[A/B CC]" {
		t.Errorf("%s", got)
	}
	b := sequence(part10.TagDirectoryRecordSequence, id(`A\B `), id(`CC`))
	b[len(b)-len(id("CC"))-8] ^= 0x55 // the second item
	if got := referencedFiles(keeping(part10.TagDirectoryRecordSequence, b)); got != nil {
		t.Errorf("damaged: %v", got)
	}
}

// TestMosaicHeaders: how many slices, and in which direction, on both sides of the possible ones.
func TestMosaicHeaders(t *testing.T) {
	csa := func(images, normal []string) []byte {
		return part10.AppendElement(nil, part10.ExplicitLE, part10.TagSiemensCSAImageHeader, "OB", appendCSA(nil, []csaElement{{csaImages, "US", images}, {csaNormal, "FD", normal}}))
	}
	up, down, tilted := []string{"0", "0", "1"}, []string{"0", "0", "-1"}, []string{"0", "0.046", "0.9989"}
	owner := creator("SIEMENS MR HEADER")
	count := part10.AppendElement(nil, part10.ExplicitLE, part10.TagSiemensMosaicImages, "US", []byte{9, 0})
	const silent = "its Siemens header does not say how many slices there are and in which direction"
	for what, c := range map[string]struct {
		change  func(s *Slice)
		csa     []byte
		own     [][]byte
		total   int
		z       float64
		problem string
	}{
		"upwards":              {nil, csa([]string{"5"}, up), nil, 5, 1, ""},
		"downwards":            {nil, csa([]string{"5"}, down), nil, 5, -1, ""},
		"one":                  {nil, csa([]string{"1"}, up), nil, 1, 1, ""},
		"none":                 {nil, csa([]string{"0"}, up), nil, 0, 0, silent},
		"the most":             {nil, csa([]string{"1024"}, up), nil, 1024, 1, ""},
		"one more":             {nil, csa([]string{"1025"}, up), nil, 0, 0, silent},
		"two numbers":          {nil, csa([]string{"5", "6"}, up), nil, 0, 0, silent},
		"a flat normal":        {nil, csa([]string{"5"}, up[:2]), nil, 0, 0, silent},
		"a rounded normal":     {nil, csa([]string{"5"}, []string{"0", "0.04", "0.9992"}), nil, 5, 1, ""},
		"another normal":       {nil, csa([]string{"5"}, tilted), nil, 0, 0, "its slice normal does not fit its orientation"},
		"no place":             {func(s *Slice) { s.Placed = false }, csa([]string{"5"}, up), nil, 0, 0, "its position or slice spacing is missing"},
		"no spacing":           {func(s *Slice) { s.Thickness = 0 }, csa([]string{"5"}, up), nil, 0, 0, "its position or slice spacing is missing"},
		"in another header":    {nil, csa(nil, up), [][]byte{owner, count}, 9, 1, ""},
		"of another maker":     {nil, csa(nil, up), [][]byte{creator("OTHER"), count}, 0, 0, silent},
		"in both":              {nil, csa([]string{"5"}, up), [][]byte{owner, count}, 5, 1, ""},
		"a header of another ": {nil, csa([]string{"5"}, up), [][]byte{owner}, 5, 1, ""},
	} {
		s := &Slice{Placed: true, Thickness: 2, Row: volume.Vec{1, 0, 0}, Column: volume.Vec{0, 1, 0}}
		if c.change != nil {
			c.change(s)
		}
		total, normal, problem := readMosaicHeader(s, keeping(part10.TagSiemensCSAImageHeader, c.csa), attributes(t, c.own...))
		if problem.String() != c.problem || c.problem == "" && (total != c.total || normal != volume.Vec{0, 0, c.z}) {
			t.Errorf("%s: %d, %v, %q", what, total, normal, problem)
		}
	}
}

// TestAppendedCSA compares the bytes of an element with the layout that csaValues describes.
func TestAppendedCSA(t *testing.T) {
	le := binary.LittleEndian
	b := appendCSA(nil, []csaElement{{"Name", "FD", []string{"1.5", "-2"}}})
	want := append([]byte("SV10\x04\x03\x02\x01"), 1, 0, 0, 0, 77, 0, 0, 0)
	want = append(append(want, "Name"...), make([]byte, 60)...)
	want = append(append(want, 2, 0, 0, 0), "FD\x00\x00"...)
	for _, n := range []uint32{0, 2, 77, 4, 4, 77, 4} { // type, items, mark; lengths of the first
		want = le.AppendUint32(want, n)
	}
	want = append(want, "1.5\x00"...)
	for _, n := range []uint32{3, 3, 77, 3} {
		want = le.AppendUint32(want, n)
	}
	want = append(want, "-2\x00\x00"...)
	if !slices.Equal(b, want) {
		t.Errorf("% x\nwant % x", b, want)
	}
	if got, err := csaValues(csa1(csaImages, "1024"), csaImages); err != nil || fmt.Sprint(got[csaImages]) != "[1024]" {
		t.Errorf("CSA1 that ends with its value: %v, %v", got, err)
	}
	short := csa1(csaImages, "1024")
	if got, err := csaValues(short[:len(short)-1], csaImages); err != nil || len(got) != 0 {
		t.Errorf("CSA1 whose last value is cut: %v, %v", got, err)
	}
}

// TestCompressedLimits: a frame takes at least 8 bytes, and its codec's least for the pixels.
func TestCompressedLimits(t *testing.T) {
	const ls = "1.2.840.10008.1.2.4.80"
	for what, c := range map[string]struct {
		syntax             string
		rows, cols, frames int
		length             uint32
		n                  int64
		want               string
	}{
		"eight bytes each":   {ls, 2, 4, 3, part10.UndefinedLength, 24, ""},
		"one byte less":      {ls, 2, 4, 3, part10.UndefinedLength, 23, "it contains 23 bytes of JPEG-LS"},
		"one image":          {ls, 2, 4, 1, part10.UndefinedLength, 7, "too few for 1 image of 4 x 2 pixels"},
		"RLE, 64 each":       {part10.UIDRLE, 64, 100, 3, part10.UndefinedLength, 300, ""},
		"RLE, less":          {part10.UIDRLE, 64, 100, 3, part10.UndefinedLength, 299, "too few for 3 images of 100 x 64 pixels"},
		"not in fragments":   {ls, 2, 4, 1, 100, 100, "its pixel data is not in fragments"},
		"not in fragments 0": {ls, 2, 4, 1, 0, 0, "its pixel data is not in fragments"},
	} {
		in := &Instance{Name: "x", Syntax: part10.Syntaxes[c.syntax]}
		s := &Slice{Instance: in}
		s.Format.Rows, s.Format.Cols = c.rows, c.cols
		err := in.checkCompressed(s, part10.Element{Length: c.length, Value: 1000, End: 1000 + c.n}, c.frames)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
}

// TestAspectRatioBelowOne.
func TestAspectRatioBelowOne(t *testing.T) {
	for ratio, want := range map[string]float64{`1\2`: 0.5, `2\1`: 2, `-1\2`: 1, `0\2`: 1, `1\-2`: 1} {
		var s Slice
		if s.readPlane(attributes(t, text(part10.TagPixelAspectRatio, ratio))); s.Spacing != [2]float64{1, want} {
			t.Errorf("%s: %v", ratio, s.Spacing)
		}
	}
}

// TestPlaceOfOneFrame is the place of the file; two frames need an offset each.
func TestPlaceOfOneFrame(t *testing.T) {
	for frames, placed := range map[string]bool{"1": true, "2": false} {
		a := attributes(t, short(part10.TagRows, 1), short(part10.TagColumns, 1), short(part10.TagBitsAllocated, 8), text(part10.TagNumberOfFrames, frames),
			text(part10.TagImagePositionPatient, `1\2\3`), text(part10.TagImageOrientationPatient, `1\0\0\0\1\0`))
		in := &Instance{SOPClass: "1.2.840.10008.5.1.4.1.1.4.1"}
		whole := newSlice(in, a)
		whole.readPlane(a)
		in.splitImage(whole, part10.NewFile(), a)
		for i, s := range in.Slices {
			if s.Placed != placed {
				t.Errorf("%s frames: frame %d is placed: %v", frames, i, s.Placed)
			}
		}
		if fmt.Sprint(len(in.Slices)) != frames || in.Err != nil || in.Excluded.String() != "" {
			t.Errorf("%s frames: %+v", frames, in)
		}
	}
}

// TestKernelOfAFrame replaces the kernel of the file, if the frame has one.
func TestKernelOfAFrame(t *testing.T) {
	pixels := [][]byte{short(part10.TagRows, 1), short(part10.TagColumns, 1), short(part10.TagBitsAllocated, 8)}
	for kernel, want := range map[string]string{"": "B30", "B80": "B80"} {
		s := &Slice{Instance: &Instance{}}
		s.Meta.Kernel = "B30"
		if problem := s.readFrame(attributes(t, append(slices.Clone(pixels), text(part10.TagConvolutionKernel, kernel))...)); problem.String() != "" || s.Meta.Kernel != want {
			t.Errorf("%q: kernel %q, %s", kernel, s.Meta.Kernel, problem)
		}
	}
	s := &Slice{Instance: &Instance{}}
	if problem := s.readFrame(attributes(t, append(slices.Clone(pixels), short(part10.TagBitsAllocated, 64))...)); problem.String() != "" {
		t.Errorf("the first of two elements counts: %s", problem)
	}
}

// TestTilesDown has as many rows of tiles as are needed, and at most 1024 tiles.
func TestTilesDown(t *testing.T) {
	for n, want := range map[int][2]int{1: {1, 1}, 2: {2, 1}, 3: {2, 2}, 4: {2, 2}, 5: {3, 2}, 7: {3, 3}, 1024: {32, 32}, 1025: {}} {
		items := make([][]byte, n)
		for i := range items {
			items[i] = text(part10.TagImagePositionPatient, fmt.Sprintf(`1\2\%d`, i))
		}
		in := &Instance{}
		whole := &Slice{Instance: in}
		whole.Format.Cols, whole.Format.Rows = 960, 960
		in.splitUIHTiles(whole, keeping(part10.TagUIHFrameSequence, sequence(part10.TagUIHFrameSequence, items...)), attributes(t, text(part10.TagImageOrientationPatient, `1\0\0\0\1\0`)))
		if want == [2]int{} {
			if in.Excluded.String() == "" {
				t.Errorf("%d tiles are read", n)
			}
			continue
		}
		if in.Excluded.String() != "" || len(in.Slices) != n || in.Tiles.across != want[0] || in.Tiles.down != want[1] || in.Slices[n-1].Position != (volume.Vec{1, 2, float64(n - 1)}) {
			t.Errorf("%d tiles: %q, %+v", n, in.Excluded, in.Tiles)
		}
	}
}

// TestWhatIsTiled: by its image type, or by a private sequence of its maker.
func TestWhatIsTiled(t *testing.T) {
	kept, none := keeping(part10.TagUIHFrameSequence, sequence(part10.TagUIHFrameSequence)), keeping(part10.TagPixelData, nil)
	for what, c := range map[string]struct {
		imageType string
		p         *part10.File
		want      bool
	}{
		"type": {"VFRAME", none, true}, "sequence": {"M", kept, true}, "no sequence": {"M", none, false},
	} {
		if got := hasUIHTiles(&Slice{ImageType: []string{"ORIGINAL", c.imageType}}, c.p); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}

// TestSpacingOfAMosaic is assumed to be the thickness unless the file says how far slices are apart.
func TestSpacingOfAMosaic(t *testing.T) {
	csa := part10.AppendElement(nil, part10.ExplicitLE, part10.TagSiemensCSAImageHeader, "OB", AppendMosaicCSA(nil, 4, volume.Vec{0, 0, 1}))
	for spacing, assumed := range map[string]bool{"0.5": false, "2": false, "0": true, "-1": true, "": true} {
		in := &Instance{}
		whole := &Slice{Instance: in, Placed: true, Thickness: 2, Row: volume.Vec{1, 0, 0}, Column: volume.Vec{0, 1, 0}, Spacing: [2]float64{1, 3}}
		whole.Format.Cols, whole.Format.Rows = 8, 12
		in.splitMosaic(whole, keeping(part10.TagSiemensCSAImageHeader, csa), attributes(t, text(part10.TagSpacingBetweenSlices, spacing)))
		if in.Excluded.String() != "" || len(in.Slices) != 4 || whole.SpacingFromThickness != assumed {
			t.Fatalf("%q: %q, assumed %v", spacing, in.Excluded, whole.SpacingFromThickness)
		}
		// The first pixel of a slice is half of the difference in size further in.
		if got := in.Slices[3].Position; got != (volume.Vec{2, 9, 6}) {
			t.Errorf("%q: the last slice lies at %v", spacing, got)
		}
	}
}

// TestTilesThatDoNotFit leave the image as it was.
func TestTilesThatDoNotFit(t *testing.T) {
	csa := part10.AppendElement(nil, part10.ExplicitLE, part10.TagSiemensCSAImageHeader, "OB", AppendMosaicCSA(nil, 4, volume.Vec{0, 0, 1}))
	position := text(part10.TagImagePositionPatient, `1\2\3`)
	tiles := sequence(part10.TagUIHFrameSequence, position, position, position, position)
	oriented := attributes(t, text(part10.TagImageOrientationPatient, `1\0\0\0\1\0`))
	for what, c := range map[string]struct {
		split func(in *Instance, whole *Slice)
		want  string
	}{
		"Siemens": {func(in *Instance, whole *Slice) {
			in.splitMosaic(whole, keeping(part10.TagSiemensCSAImageHeader, csa), oriented)
		}, "4 slices do not fit its 9 x 8 pixels"},
		"United Imaging": {func(in *Instance, whole *Slice) {
			in.splitUIHTiles(whole, keeping(part10.TagUIHFrameSequence, tiles), oriented)
		}, "4 slices do not fit its 9 x 8 pixels"},
		"without a direction": {func(in *Instance, whole *Slice) {
			whole.Format.Cols, whole.Placed = 8, false
			in.splitUIHTiles(whole, keeping(part10.TagUIHFrameSequence, tiles), attributes(t))
		}, "its private header does not say where they lie"},
		"without tiles": {func(in *Instance, whole *Slice) {
			in.splitUIHTiles(whole, keeping(part10.TagUIHFrameSequence, sequence(part10.TagUIHFrameSequence)), oriented)
		}, "its private header does not say where they lie"},
	} {
		in := &Instance{}
		whole := &Slice{Instance: in, Placed: true, Thickness: 2, Row: volume.Vec{1, 0, 0}, Column: volume.Vec{0, 1, 0}, Spacing: [2]float64{1, 1}}
		whole.Format.Cols, whole.Format.Rows = 9, 8
		in.Slices = []*Slice{whole}
		if c.split(in, whole); !strings.Contains(in.Excluded.String(), c.want) || in.Tiles != nil || len(in.Slices) != 1 || in.Slices[0] != whole {
			t.Errorf("%s: %q, %d slices, %v", what, in.Excluded, len(in.Slices), in.Tiles)
		}
	}
}

// TestPixelsOfUnknownLength: pixels that are not compressed state their length, and have enough bytes.
func TestPixelsOfUnknownLength(t *testing.T) {
	a := attributes(t, short(part10.TagRows, 2), short(part10.TagColumns, 3), short(part10.TagBitsAllocated, 16), text(part10.TagNumberOfFrames, "2"))
	for length, want := range map[uint32]string{
		part10.UndefinedLength: "its pixel data has no length though it is not compressed", 24: "", 25: "",
		23: "it contains 23 bytes of pixels where 2 images of 3 x 2 pixels need 24",
	} {
		in := &Instance{Name: "x", Syntax: part10.Syntaxes[part10.UIDExplicitLE]}
		in.readImage(newSlice(in, a), a, part10.Element{VR: "OW", Length: length, Value: 77})
		if (in.Err == nil) != (want == "") || in.Err != nil && !strings.Contains(in.Err.Error(), want) || in.pixelOffset != 77 || in.pixelVR != "OW" {
			t.Errorf("%d bytes: %v", length, in.Err)
		}
	}
}

// TestSourcesThatAreNoImages are not the files that were loaded; damaged ones say
// so.
func TestSourcesThatAreNoImages(t *testing.T) {
	head := part10.AppendFileMeta(nil, "1.2", "1.2.3", part10.UIDExplicitLE, "")
	report := append(slices.Clone(head), text(part10.TagSOPClassUID, "1.2.840.10008.5.1.4.1.1.88.11")...)
	for what, c := range map[string]struct {
		b    []byte
		want string
	}{"a report": {report, "the source file is not the one that was loaded"}, "cut": {report[:len(report)-3], "the source file is damaged ("}, "text": {[]byte("text"), "x: "}} {
		if d, in, err := OpenSource("x", c.b); err == nil || !strings.Contains(err.Error(), c.want) || in != nil || d.File != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestShortFiles: a file too short for the preamble of DICOM is foreign, one that ends behind it is truncated.
func TestShortFiles(t *testing.T) {
	whole := append(append(make([]byte, 128), "DICM"...), text(part10.TagTransferSyntaxUID, part10.UIDExplicitLE)...)
	bare := text(part10.TagImageType, strings.Repeat("A", 200)) // without a preamble
	for what, c := range map[string]struct {
		b      []byte
		kind   Kind
		broken bool
	}{
		"before DICM":     {whole[:131], Foreign, false},
		"behind DICM":     {whole[:132], Image, true},
		"in an element":   {whole[:140], Image, true},
		"bare, 20 bytes":  {bare[:20], Foreign, false},
		"bare, 131 bytes": {bare[:131], Foreign, false},
		"bare, 132 bytes": {bare[:132], Image, true},
	} {
		in, err := Read(t.Context(), fstest.MapFS{"x": {Data: c.b}}, "x")
		if err != nil || in.Kind != c.kind || (in.Err != nil) != c.broken {
			t.Errorf("%s: kind %v, %v, %v", what, in.Kind, in.Err, err)
		}
	}
}

// failingReader fails after its first bytes.
type failingReader struct {
	n   int
	err error
}

func (f failingReader) ReadAt(b []byte, _ int64) (int, error) { return min(f.n, len(b)), f.err }

// TestFramesThatCannotBeRead: a shorter file has changed, another error is the disk's.
func TestFramesThatCannotBeRead(t *testing.T) {
	broken := errors.New("broken disk")
	for what, c := range map[string]struct {
		r    failingReader
		want string
	}{
		"whole":         {failingReader{4, nil}, ""},
		"the last":      {failingReader{4, io.EOF}, ""},
		"the end":       {failingReader{3, io.EOF}, "the file changed since it was scanned"},
		"nothing":       {failingReader{0, io.ErrUnexpectedEOF}, "x: "},
		"a broken disk": {failingReader{2, broken}, "broken disk"},
	} {
		s := &Slice{Instance: &Instance{Name: "x", Syntax: part10.Syntaxes[part10.UIDExplicitLE], pixelVR: "OW"}}
		s.Format.Allocated = 16
		raw, err := (&PixelFile{reader: c.r, frameBytes: 4}).Slice(s)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || err == nil && len(raw) != 4 {
			t.Errorf("%s: % x, %v", what, raw, err)
		}
		if what == "a broken disk" && strings.Contains(err.Error(), "changed") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestPixelsAlone opens a file with its pixels as the only element, and no file of another
// syntax.
func TestPixelsAlone(t *testing.T) {
	file := func(syntax string) []byte {
		b := part10.AppendFileMeta(nil, "1.2", "1.2.3", syntax, "")
		return part10.AppendElement(b, part10.ExplicitLE, part10.TagPixelData, "OW", []byte{1, 2, 3, 4})
	}
	p, err := part10.TokenizeBytes(file(part10.UIDExplicitLE), nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		of string
		b  []byte
		ok bool
	}{
		"alone":           {part10.UIDExplicitLE, file(part10.UIDExplicitLE), true},
		"another syntax":  {part10.UIDImplicitLE, file(part10.UIDExplicitLE), false},
		"was deflated":    {part10.UIDDeflatedLE, file(part10.UIDExplicitLE), true},
		"no pixels":       {part10.UIDExplicitLE, file(part10.UIDExplicitLE)[:len(file(part10.UIDExplicitLE))-16], false},
		"cut":             {part10.UIDExplicitLE, file(part10.UIDExplicitLE)[:len(file(part10.UIDExplicitLE))-1], false},
		"was compressed ": {part10.UIDRLE, file(part10.UIDExplicitLE), false},
	} {
		in := &Instance{Name: "x", Syntax: part10.Syntaxes[c.of], Size: int64(len(c.b)), pixelOffset: p.Elements[0].Value}
		s := &Slice{Instance: in}
		s.Format.Rows, s.Format.Cols, s.Format.Samples, s.Format.Allocated = 1, 2, 1, 16
		f, err := s.OpenPixels(slices.Clone(c.b))
		if (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), "changed since it was scanned") {
			t.Errorf("%s: %v", what, err)
		}
		if err == nil && !slices.Equal(f.pixels, []byte{1, 2, 3, 4}) {
			t.Errorf("%s: % x", what, f.pixels)
		}
		if strings.HasPrefix(what, "was") {
			continue
		}
		if err := in.checkUnchanged(strings.NewReader(string(c.b))); (err == nil) != c.ok {
			t.Errorf("%s: unchanged: %v", what, err)
		}
		in.pixelOffset++
		if err := in.checkUnchanged(strings.NewReader(string(c.b))); err == nil {
			t.Errorf("%s: the pixels moved", what)
		}
	}
}
