package pixel

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"quell/io/dicom/codec"
	"quell/io/dicom/part10"
)

// valuesOf returns the decoded values of a data set in explicit little endian.
func valuesOf(t *testing.T, elements ...[]byte) part10.Attributes {
	t.Helper()
	b := part10.AppendFileMeta(nil, "1.2", "1.2.3", part10.UIDExplicitLE, "")
	p, err := part10.TokenizeBytes(slices.Concat(append([][]byte{b}, elements...)...), func(part10.Tag) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	a, err := part10.ReadValues(p)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// us and ds return one element.
func us(t part10.Tag, v int) []byte {
	return part10.AppendElement(nil, part10.ExplicitLE, t, "US", binary.LittleEndian.AppendUint16(nil, uint16(v)))
}

func ds(t part10.Tag, v string) []byte {
	return part10.AppendElement(nil, part10.ExplicitLE, t, "DS", []byte(v))
}

// TestReadFormat pins the limits of each attribute of the image pixel module, their
// defaults, and which problem is named.
func TestReadFormat(t *testing.T) {
	const (
		rows, cols = part10.TagRows, part10.TagColumns
		allocated  = part10.TagBitsAllocated
		padding    = part10.TagPixelPaddingValue
		limit      = part10.TagPixelPaddingRangeLimit
	)
	small := Format{Rows: 2, Cols: 3, Samples: 1, Allocated: 16, Stored: 16, High: 15, Slope: 1}
	with := func(change func(f *Format)) Format { f := small; change(&f); return f }
	base := slices.Concat(us(rows, 2), us(cols, 3), us(allocated, 16))
	for name, c := range map[string]struct {
		add     []byte
		want    Format
		problem string
	}{
		"defaults":         {nil, small, ""},
		"8 bits":           {us(allocated, 8), Format{Rows: 2, Cols: 3, Samples: 1, Allocated: 8, Stored: 8, High: 7, Slope: 1}, ""},
		"12 bits":          {us(part10.TagBitsStored, 12), with(func(f *Format) { f.Stored, f.High = 12, 11 }), ""},
		"signed":           {us(part10.TagPixelRepresentation, 1), with(func(f *Format) { f.Signed = true }), ""},
		"no sign":          {us(part10.TagPixelRepresentation, 2), small, ""},
		"rescale":          {slices.Concat(ds(part10.TagRescaleSlope, "2.5"), ds(part10.TagRescaleIntercept, "-7")), with(func(f *Format) { f.Slope, f.Intercept = 2.5, -7 }), ""},
		"one pixel":        {slices.Concat(us(rows, 1), us(cols, 1)), with(func(f *Format) { f.Rows, f.Cols = 1, 1 }), ""},
		"65535 pixels":     {us(rows, 65535), with(func(f *Format) { f.Rows = 65535 }), ""},
		"no rows":          {us(rows, 0), Format{}, "its image is 3 x 0 pixels"},
		"no columns":       {us(cols, 0), Format{}, "its image is 0 x 2 pixels"},
		"65536 rows":       {part10.AppendElement(nil, part10.ExplicitLE, rows, "UL", []byte{0, 0, 1, 0}), Format{}, "its image is 3 x 65536"},
		"65536 columns":    {part10.AppendElement(nil, part10.ExplicitLE, cols, "UL", []byte{0, 0, 1, 0}), Format{}, "its image is 65536 x 2"},
		"colour":           {us(part10.TagSamplesPerPixel, 3), Format{}, "colour image"},
		"24 bits":          {us(allocated, 24), Format{}, "24 bits allocated"},
		"64 bits":          {us(allocated, 64), Format{}, "64 bits allocated"},
		"large slope":      {ds(part10.TagRescaleSlope, "1e36"), Format{}, "lead out of range"},
		"large negative":   {ds(part10.TagRescaleSlope, "-1e36"), Format{}, "lead out of range"},
		"large intercept":  {ds(part10.TagRescaleIntercept, "-2e38"), Format{}, "lead out of range"},
		"in range":         {ds(part10.TagRescaleIntercept, "-1.7e38"), with(func(f *Format) { f.Intercept = -1.7e38 }), ""},
		"padding":          {us(padding, 9), with(func(f *Format) { f.Padding, f.PadLow, f.PadHigh = true, 9, 9 }), ""},
		"range":            {slices.Concat(us(padding, 9), us(limit, 12)), with(func(f *Format) { f.Padding, f.PadLow, f.PadHigh = true, 9, 12 }), ""},
		"range turned":     {slices.Concat(us(padding, 9), us(limit, 2)), with(func(f *Format) { f.Padding, f.PadLow, f.PadHigh = true, 2, 9 }), ""},
		"limit alone":      {us(limit, 2), small, ""},
		"signed padding":   {slices.Concat(us(part10.TagPixelRepresentation, 1), us(padding, 0xFFFE)), with(func(f *Format) { f.Signed, f.Padding, f.PadLow, f.PadHigh = true, true, -2, -2 }), ""},
		"32 bits, padding": {slices.Concat(us(allocated, 32), us(padding, 9)), Format{Rows: 2, Cols: 3, Samples: 1, Allocated: 32, Stored: 32, High: 31, Slope: 1}, ""},
	} {
		// Of an attribute that is there twice the first counts.
		f, problem := ReadFormat(valuesOf(t, c.add, base), part10.TagPixelData)
		if c.problem != "" {
			if !strings.Contains(problem.String(), c.problem) {
				t.Errorf("%s: %q, want %q", name, problem, c.problem)
			}
			continue
		}
		if problem.String() != "" || f != c.want {
			t.Errorf("%s: %+v, %q; want %+v", name, f, problem, c.want)
		}
	}
}

// TestBytesOfAnImage multiplies without an overflow of 32 bits.
func TestBytesOfAnImage(t *testing.T) {
	f := Format{Rows: 65535, Cols: 65535, Samples: 1, Allocated: 32}
	if got := f.Bytes(); got != 4*65535*65535 {
		t.Errorf("%d bytes", got)
	}
	if o := (Format{Rows: 65535, Cols: 2}); f.SameLayout(&o) || o.SameLayout(&Format{Rows: 1, Cols: 2}) || !o.SameLayout(&Format{Rows: 65535, Cols: 2, Allocated: 8}) {
		t.Error("images have one layout if rows and columns are equal")
	}
}

// TestEncodeClipping moves values to the ends of the stored range from half a step outside
// on.
func TestEncodeClipping(t *testing.T) {
	f := Format{Allocated: 8, Stored: 8, High: 7, Slope: 1}
	for _, c := range []struct {
		v       float32
		stored  byte
		clipped int64
	}{{255.4, 255, 0}, {255.6, 255, 1}, {-0.4, 0, 0}, {-0.6, 0, 1}, {0.5, 1, 0}} {
		raw := []byte{7}
		if n := f.Encode(raw, []float32{c.v}, nil); n != c.clipped || raw[0] != c.stored {
			t.Errorf("%g is stored as %d, %d clipped", c.v, raw[0], n)
		}
	}
}

// TestBesidePadding goes to the nearer side of the padding, and to the only one if the
// padding reaches an end of the stored range.
func TestBesidePadding(t *testing.T) {
	for _, c := range []struct {
		low, high int
		v         float64
		want      int64
	}{
		{10, 12, 10.9, 9}, {10, 12, 11, 13}, {10, 12, 11.1, 13}, {0, 3, 0, 4}, {1, 3, 1.1, 0},
		{250, 255, 255, 249}, {250, 254, 254, 255}, {0, 255, 7, 255},
	} {
		f := Format{Allocated: 8, Stored: 8, High: 7, Slope: 1, Padding: true, PadLow: c.low, PadHigh: c.high}
		if got := f.besidePadding(c.v, 0, 255); got != c.want {
			t.Errorf("%g beside %d..%d: %d, want %d", c.v, c.low, c.high, got, c.want)
		}
	}
	// The nearer side is nearer in the stored value, not of the real one.
	for v, want := range map[float64]int64{-4.55: 9, -4.45: 13} {
		f := Format{Allocated: 8, Stored: 8, High: 7, Slope: 0.5, Intercept: -10, Padding: true, PadLow: 10, PadHigh: 12}
		if got := f.besidePadding(v, 0, 255); got != want {
			t.Errorf("%g: %d, want %d", v, got, want)
		}
	}
	// The padding of the source stays if the result has its value.
	f := Format{Allocated: 8, Stored: 8, High: 7, Slope: 1, Padding: true, PadLow: 10, PadHigh: 12}
	raw := []byte{12, 12, 50, 50}
	f.Encode(raw, []float32{12, 10, 10, 12}, nil)
	if want := []byte{12, 9, 9, 13}; !bytes.Equal(raw, want) {
		t.Errorf("%v, want %v", raw, want)
	}
}

// TestExtremes ignores both ends of the padding, and finds nothing in padding alone.
func TestExtremes(t *testing.T) {
	f := Format{Allocated: 8, Stored: 8, High: 7, Signed: true, Padding: true, PadLow: -3, PadHigh: 5}
	raw := func(v ...int8) (b []byte) {
		for _, x := range v {
			b = append(b, byte(x))
		}
		return b
	}
	for _, c := range []struct {
		values []int8
		lo, hi int64
		found  bool
	}{{[]int8{-3, -4, 5, 6}, -4, 6, true}, {[]int8{-3, 5, 0}, 127, -128, false}, {[]int8{-128}, -128, -128, true}, {[]int8{127, 0}, 127, 127, true}} {
		if lo, hi, found := f.Extremes(raw(c.values...), len(c.values)); lo != c.lo || hi != c.hi || found != c.found {
			t.Errorf("%v: %d..%d, %v", c.values, lo, hi, found)
		}
	}
	f.Padding = false
	if lo, hi, _ := f.Extremes(raw(0, 1, 100), 2); lo != 0 || hi != 1 {
		t.Errorf("the first two values: %d..%d", lo, hi)
	}
}

// TestClearUnused zeroes overlays, and keeps signs that go on above the high bit.
func TestClearUnused(t *testing.T) {
	for _, c := range []struct {
		f         Format
		raw, want []uint16
	}{
		{Format{Allocated: 16, Stored: 12, High: 11}, []uint16{0xF123, 0x0FFF}, []uint16{0x0123, 0x0FFF}},
		{Format{Allocated: 16, Stored: 12, High: 15}, []uint16{0x123F, 0xFFF0}, []uint16{0x1230, 0xFFF0}},
		{Format{Allocated: 16, Stored: 12, High: 13}, []uint16{0xFFFF}, []uint16{0x3FFC}},
		{Format{Allocated: 16, Stored: 12, High: 11, Signed: true}, []uint16{0xF800, 0x07FF}, []uint16{0xF800, 0x07FF}},
		{Format{Allocated: 16, Stored: 12, High: 11, Signed: true}, []uint16{0xF800, 0x17FF}, []uint16{0x0800, 0x07FF}},
		{Format{Allocated: 16, Stored: 12, High: 11, Signed: true}, []uint16{0x7800, 0x07FF}, []uint16{0x0800, 0x07FF}},
		{Format{Allocated: 16, Stored: 16, High: 15, Signed: true}, []uint16{0xF800}, []uint16{0xF800}},
		{Format{Allocated: 16, Stored: 15, High: 14, Signed: true}, []uint16{0xC123, 0x3FFF}, []uint16{0xC123, 0x3FFF}},
		{Format{Allocated: 16, Stored: 15, High: 14, Signed: true}, []uint16{0xC123, 0xBFFF}, []uint16{0x4123, 0x3FFF}},
	} {
		var raw, want []byte
		for i := range c.raw {
			raw, want = binary.LittleEndian.AppendUint16(raw, c.raw[i]), binary.LittleEndian.AppendUint16(want, c.want[i])
		}
		if c.f.ClearUnused(raw); !bytes.Equal(raw, want) {
			t.Errorf("%+v: % x of %x, want % x", c.f, raw, c.raw, want)
		}
	}
}

// TestPaddingThatTheBitsCannotHold finds padding that was written over all allocated bits,
// as 63536 (-2000) around 12-bit values, anywhere in the image.
func TestPaddingThatTheBitsCannotHold(t *testing.T) {
	for _, c := range []struct {
		f         Format
		low, high int
		words     [9]uint16
		n         int
	}{
		{Format{Signed: false}, 4096, 4096, [9]uint16{4: 4096}, 1},
		{Format{Signed: false}, 4096, 4098, [9]uint16{0: 4095, 1: 4098, 4: 4096, 5: 4099}, 2},
		{Format{Signed: true}, -3000, -2049, [9]uint16{0: 0xF7FF, 4: 0xF448, 5: 0xF800}, 2}, // -2049, -3000, -2048
		// One end lies in the range: only that counts.
		{Format{Signed: false}, 4095, 5000, [9]uint16{4: 4096, 0: 4095}, 1},
		{Format{Signed: true}, -5000, -2048, [9]uint16{4: 0xF800}, 1},
	} {
		c.f.Rows, c.f.Cols, c.f.Samples, c.f.Allocated, c.f.Stored, c.f.High, c.f.Slope = 3, 3, 1, 16, 12, 11, 1
		c.f.Padding, c.f.PadLow, c.f.PadHigh = true, c.low, c.high
		var raw []byte
		for _, w := range c.words {
			raw = binary.LittleEndian.AppendUint16(raw, w)
		}
		mask := make([]bool, 9)
		if n := c.f.Mask(mask, raw, "MR"); n != c.n {
			t.Errorf("%d..%d in %x: %d pixels, want %d (%v)", c.low, c.high, c.words, n, c.n, mask)
		}
	}
}

// TestLowestValueIsPadding masks the lowest signed value anywhere, and the lowest unsigned
// one or the one above from the edge only.
func TestLowestValueIsPadding(t *testing.T) {
	for _, c := range []struct {
		signed bool
		value  int
		masked int
	}{{true, -128, 1}, {true, -127, 0}, {false, 0, 0}} {
		f := Format{Rows: 3, Cols: 3, Samples: 1, Allocated: 8, Stored: 8, High: 7, Signed: c.signed, Slope: 1, Padding: true, PadLow: c.value, PadHigh: c.value}
		raw := bytes.Repeat([]byte{50}, 9)
		raw[4] = byte(c.value)
		mask := make([]bool, 9)
		if n := f.Mask(mask, raw, "MR"); n != c.masked || mask[4] != (c.masked == 0) {
			t.Errorf("%d: %d masked", c.value, n)
		}
	}
}

// TestKeepEdge follows padding from each edge, side by side and not across corners, in an
// image that is not square.
func TestKeepEdge(t *testing.T) {
	for _, c := range []struct{ image, want string }{
		{"#####/#...#/#####", "#####/#####/#####"},
		{"##.##/#...#/#####", "##.##/#...#/#####"},
		{"#####/#...#/###.#", "#####/#...#/###.#"},
		{"#####/....#/#####", "#####/....#/#####"},
		{"#####/#..../#####", "#####/#..../#####"},
		{".####/#.###/#####", ".####/#####/#####"},
		{"######/#.####/#.####/#...##/###.##/###..#/######", "######/######/######/######/######/######/######"},
		{"######/#.####/#.####/#...##/###.##/###...", "######/#.####/#.####/#...##/###.##/###..."},
		{"###.../###.##/#...##/#.####/######", "###.../###.##/#...##/#.####/######"},
		{"######/..#.##/#..#.#/##.#.#/######", "######/..####/#..###/##.###/######"},
	} {
		rows := strings.Split(c.image, "/")
		var mask []bool
		for _, r := range rows {
			for _, p := range r {
				mask = append(mask, p == '#')
			}
		}
		remain := keepEdge(mask, len(rows[0]), len(rows))
		var got strings.Builder
		for i, valid := range mask {
			if i > 0 && i%len(rows[0]) == 0 {
				got.WriteByte('/')
			}
			if valid {
				got.WriteByte('#')
			} else {
				got.WriteByte('.')
			}
		}
		if got.String() != c.want || remain != strings.Count(c.want, ".") {
			t.Errorf("%s: %s, %d remain; want %s", c.image, got.String(), remain, c.want)
		}
	}
}

// TestStreamPrecision keeps every bit that is set, and takes at least 9 of a word.
func TestStreamPrecision(t *testing.T) {
	for _, c := range []struct {
		allocated, stored, high int
		word                    uint16
		want                    int
	}{
		{16, 12, 11, 0x0FFF, 12}, {16, 12, 11, 0x1000, 16}, {16, 12, 12, 0, 16}, {16, 8, 7, 0, 16}, {16, 9, 8, 0x01FF, 9}, {16, 9, 8, 0x0200, 16},
		{16, 16, 15, 0xFFFF, 16}, {8, 8, 7, 0, 8}, {8, 6, 5, 0, 8},
	} {
		f := Format{Allocated: c.allocated, Stored: c.stored, High: c.high}
		if got := f.Precision(binary.LittleEndian.AppendUint16([]byte{0, 0}, c.word)); got != c.want {
			t.Errorf("%d of %d bits, %#x: %d, want %d", c.stored, c.allocated, c.word, got, c.want)
		}
	}
}

// TestFits compresses explicit little endian pixels of at most 16 bits.
func TestFits(t *testing.T) {
	for _, c := range []struct {
		c         Compression
		enc       part10.Encoding
		allocated int
		want      bool
	}{
		{RLE, part10.ExplicitLE, 16, true}, {JPEGLossless, part10.ExplicitLE, 8, true}, {RLE, part10.ExplicitLE, 32, false},
		{RLE, part10.ExplicitBE, 16, false}, {RLE, part10.ImplicitLE, 16, false}, {Uncompressed, part10.ExplicitLE, 16, false}, {"", part10.ExplicitLE, 16, false},
	} {
		if got := c.c.Fits(c.enc, &Format{Allocated: c.allocated}); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	for c, ok := range map[Compression]bool{"": true, "none": true, "rle": true, "jpeg-lossless": true, "RLE": false, "zip": false} {
		if err := c.Check(); (err == nil) != ok {
			t.Errorf("%q: %v", c, err)
		}
	}
}

// TestEncapsulated writes the offset table that readers need, and states its own length.
func TestEncapsulated(t *testing.T) {
	streams := [][]byte{[]byte("first."), []byte("2nd."), []byte("the third.")}
	b := AppendEncapsulated(nil, streams)
	if int64(len(b)) != EncapsulatedBytes(Lengths(streams)) {
		t.Errorf("%d bytes, announced as %d", len(b), EncapsulatedBytes(Lengths(streams)))
	}
	table, items, err := part10.ReadFragments(b, part10.Element{Value: 12})
	if err != nil || len(items) != 3 {
		t.Fatalf("%v, %v", items, err)
	}
	for i, offset := range basicOffsets(table) {
		if items[i].Offset != offset || !bytes.Equal(items[i].Bytes, streams[i]) {
			t.Errorf("fragment %d at %d: %+v", i, offset, items[i])
		}
	}
}

// TestEncapsulatedBytes compares Pixel Data of two frames byte by byte.
func TestEncapsulatedBytes(t *testing.T) {
	want := "\xE0\x7F\x10\x00OB\x00\x00\xFF\xFF\xFF\xFF" + "\xFE\xFF\x00\xE0\x08\x00\x00\x00" + "\x00\x00\x00\x00\x0C\x00\x00\x00" +
		"\xFE\xFF\x00\xE0\x04\x00\x00\x00abcd" + "\xFE\xFF\x00\xE0\x02\x00\x00\x00ef" + "\xFE\xFF\xDD\xE0\x00\x00\x00\x00"
	if got := AppendEncapsulated(nil, [][]byte{[]byte("abcd"), []byte("ef")}); string(got) != want {
		t.Errorf("% x\nwant % x", got, want)
	}
}

// TestOffsetsBeyond4GB: the extended table has 64 bits, and fragments lie there.
func TestOffsetsBeyond4GB(t *testing.T) {
	const far = 5<<32 + 7
	file := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 0), far)
	p := &part10.File{Elements: []part10.Element{{Tag: part10.TagExtendedOffsetTable, VR: "OV", Length: 16, End: 16}}}
	offsets := extendedOffsets(file, p)
	if !slices.Equal(offsets, []int64{0, far}) {
		t.Fatalf("offsets %v", offsets)
	}
	items := []part10.Fragment{{Offset: 0, Bytes: []byte("a")}, {Offset: 7, Bytes: []byte("b")}, {Offset: far, Bytes: []byte("c")}}
	if got := fmt.Sprintf("%s", splitAt(items, 2, offsets)); got != "[[a b] [c]]" {
		t.Errorf("%s", got)
	}
	items[2].Offset = 5 << 32
	if got := splitAt(items, 2, offsets); got != nil {
		t.Errorf("%s", got)
	}
	p.Elements[0].Length = part10.UndefinedLength
	if got := extendedOffsets(file, p); got != nil {
		t.Errorf("a table without a length: %v", got)
	}
	if got := basicOffsets([]byte{1, 2, 3, 4, 0xFF, 0xFF, 0xFF, 0xFF, 9}); !slices.Equal(got, []int64{0x04030201, 0xFFFFFFFF}) {
		t.Errorf("the basic table: %v", got)
	}
}

// TestBitsInErrors: the sentence names allocated and stored bits and the high bit.
func TestBitsInErrors(t *testing.T) {
	for what, c := range map[string]struct {
		rows, cols, allocated, stored, high int
		want                                string
	}{
		"bits":        {1, 1, 16, 12, 10, "(16 allocated, 12 stored, high bit 10)"},
		"no rows":     {0, 7, 16, 16, 15, "its image is 7 x 0 pixels"},
		"the largest": {65535, 65535, 16, 16, 15, ""},
	} {
		_, problem := ReadFormat(valuesOf(t, us(part10.TagRows, c.rows), us(part10.TagColumns, c.cols), us(part10.TagBitsAllocated, c.allocated), us(part10.TagBitsStored, c.stored), us(part10.TagHighBit, c.high)), part10.TagPixelData)
		if (problem.String() == "") != (c.want == "") || !strings.Contains(problem.String(), c.want) {
			t.Errorf("%s: %q, want %q", what, problem, c.want)
		}
	}
}

// TestEncodeManyFrames encodes every frame by itself, without the byte that made all even.
func TestEncodeManyFrames(t *testing.T) {
	f := Format{Rows: 1, Cols: 3, Samples: 1, Allocated: 8, Stored: 8, High: 7}
	pixels := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 0}
	for _, c := range []Compression{RLE, JPEGLossless} {
		for i, s := range c.Encode(pixels, 3, &f) {
			raw, err := codec.Decode(c.SyntaxUID(), f.Info(), [][]byte{s})
			if err != nil || !bytes.Equal(raw[:3], pixels[3*i:3*i+3]) {
				t.Errorf("%s, frame %d: %v, %v", c, i, raw, err)
			}
		}
	}
}

// TestFrameFragments assigns fragments to frames by the extended table, the basic table,
// their number and the start of their streams, in this order.
func TestFrameFragments(t *testing.T) {
	const jpeg = "\xFF\xD8\xFF"
	offsets64 := func(v ...uint64) (b []byte) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint64(b, x)
		}
		return b
	}
	offsets32 := func(v ...uint32) (b []byte) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, x)
		}
		return b
	}
	four := []string{"a.", "b.", "c.", "d."} // at 0, 10, 20, 30
	for name, c := range map[string]struct {
		frames   string
		extended []byte
		table    []byte
		items    []string
		want     string
	}{
		"one frame":               {"1", nil, offsets32(0, 10), four, "[[a. b. c. d.]]"},
		"no number":               {"", nil, nil, four, "[[a. b. c. d.]]"},
		"a negative number":       {"-3", nil, nil, four, "[[a. b. c. d.]]"},
		"a long number":           {"0000000000002", nil, offsets32(0, 20), four, "[[a. b. c. d.]]"},
		"12 characters":           {"000000000002", nil, offsets32(0, 20), four, "[[a. b.] [c. d.]]"},
		"extended":                {"2", offsets64(0, 10), offsets32(0, 20), four, "[[a.] [b. c. d.]]"},
		"basic":                   {"2", nil, offsets32(0, 20), four, "[[a. b.] [c. d.]]"},
		"wrong extended":          {"4", offsets64(0, 10, 20, 31), nil, four, "[[a.] [b.] [c.] [d.]]"},
		"as many as frames":       {"4", nil, nil, four, "[[a.] [b.] [c.] [d.]]"},
		"JPEG":                    {"2", nil, nil, []string{jpeg + ".", "b.", jpeg + "."}, "[[" + jpeg + ". b.] [" + jpeg + ".]]"},
		"JPEG 2000":               {"2", nil, nil, []string{"\xFF\x4F\xFF\x51", "b.", "\x00\x00\x00\x0CjP"}, "[[\xFF\x4F\xFF\x51 b.] [\x00\x00\x00\x0CjP]]"},
		"streams that begin late": {"2", nil, nil, []string{"a.", jpeg + ".", jpeg + "."}, "which of its 3 fragments make which of 2 frames cannot be determined"},
		"too few":                 {"5", nil, nil, four, "4 fragments for 5 frames"},
		"none":                    {"2", nil, nil, nil, "it has no fragment of pixels"},
	} {
		b := part10.AppendFileMeta(nil, "1.2", "1.2.3", part10.UIDJPEGBaseline, "")
		if c.frames != "" {
			b = part10.AppendElement(b, part10.ExplicitLE, part10.TagNumberOfFrames, "IS", []byte(c.frames))
		}
		if c.extended != nil {
			b = part10.AppendElement(b, part10.ExplicitLE, part10.TagExtendedOffsetTable, "OV", c.extended)
		}
		b = part10.AppendElementHeader(b, part10.ExplicitLE, part10.TagPixelData, "OB", part10.UndefinedLength)
		b = part10.AppendItem(b, part10.ExplicitLE, c.table)
		for _, item := range c.items {
			b = part10.AppendItem(b, part10.ExplicitLE, []byte(item))
		}
		b = part10.AppendElementHeader(b, part10.ExplicitLE, part10.TagSequenceDelimitation, "", 0)
		p, err := part10.TokenizeBytes(b, nil)
		if err != nil {
			t.Fatal(err)
		}
		frames, err := FrameFragments(b, p)
		got := fmt.Sprintf("%s", frames)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestWholeIntercepts decodes with whole intercepts around 2^23, from which on the fast
// conversion of whole numbers would be rounded.
func TestWholeIntercepts(t *testing.T) {
	for _, intercept := range []float64{1<<23 - 1, 1 << 23, 1<<24 + 1, -(1<<23 - 1), -(1 << 23), 1 << 40} {
		f := Format{Allocated: 16, Stored: 16, High: 15, Slope: 1, Intercept: intercept}
		var raw []byte
		for i := range 64 {
			raw = binary.LittleEndian.AppendUint16(raw, uint16(1021*i))
		}
		got := make([]float32, 64)
		f.Decode(got, raw)
		for i, v := range got {
			if want := float32(float64(1021*i) + intercept); math.Float32bits(v) != math.Float32bits(want) {
				t.Fatalf("intercept %g: value %d is %g, want %g", intercept, i, v, want)
			}
		}
	}
}
