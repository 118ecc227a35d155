package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
)

// stuffed returns data with a zero after each 0xFF.
func stuffed(data ...byte) []byte {
	return bytes.ReplaceAll(data, []byte{0xFF}, []byte{0xFF, 0})
}

// TestBitsOfEveryByte writes and reads four bytes of every kind that bits are tested in
// words for: 0xFF at each place, and values that differ from it by a bit.
func TestBitsOfEveryByte(t *testing.T) {
	kinds := []byte{0xFF, 0xFE, 0x7F, 0x80, 0x01, 0x00}
	for i := range 6 * 6 * 6 * 6 {
		b := []byte{kinds[i%6], kinds[i/6%6], kinds[i/36%6], kinds[i/216]}
		var w bitWriter
		w.put(binary.BigEndian.Uint32(b), 32)
		if !bytes.Equal(w.out, stuffed(b...)) || w.n != 0 {
			t.Fatalf("% x is written as % x", b, w.out)
		}
		r := bitReader{data: append(stuffed(b...), 0x55, 0xFF, markEOI)}
		for _, want := range append(b, 0x55) {
			r.fill()
			if got := r.take(8); got != int32(want) || r.ended() {
				t.Fatalf("% x: read %#x, want %#x", b, got, want)
			}
		}
		if r.fill(); r.ended() {
			t.Fatalf("% x: ended before a bit was used", b)
		}
		if r.take(1); !r.ended() {
			t.Fatalf("% x: a bit after the end", b)
		}
	}
	var w bitWriter
	w.put(0x7FF, 11)
	w.put(5, 3)
	if got := w.end(); !bytes.Equal(got, []byte{0xFF, 0, 0b11110111}) {
		t.Errorf("filled with ones: % x", got)
	}
}

// TestBitsAtTheEnd reads a stuffed 0xFF that ends the data, and one without its zero.
func TestBitsAtTheEnd(t *testing.T) {
	for what, c := range map[string]struct {
		data  []byte
		bytes []int32
	}{
		"stuffed":     {[]byte{0x12, 0xFF, 0}, []int32{0x12, 0xFF}},
		"not stuffed": {[]byte{0x12, 0xFF}, []int32{0x12}},
		"a marker":    {[]byte{0x12, 0xFF, 1, 2, 3, 4}, []int32{0x12}},
		"nothing":     {nil, nil},
	} {
		r := bitReader{data: c.data}
		for _, want := range c.bytes {
			r.fill()
			if got := r.take(8); got != want || r.ended() {
				t.Errorf("%s: %#x, want %#x", what, got, want)
			}
		}
		r.fill()
		if r.take(1) != 0 || !r.ended() {
			t.Errorf("%s: not ended", what)
		}
	}
}

// nibbles returns a table in which the code of the n-th symbol is the number n in 4 bits.
func nibbles(t *testing.T, symbols ...byte) *huffman {
	t.Helper()
	h, err := newHuffman([16]byte{3: byte(len(symbols))}, symbols)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestUndefinedCode(t *testing.T) {
	long, err := newHuffman([16]byte{15: 2}, []byte{7, 8}) // the codes 0 and 1 in 16 bits
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		h    *huffman
		data []byte
		want int
		err  error
	}{
		"short":          {nibbles(t, 3, 4), []byte{0x1F, 0xFF, 0}, 4, nil},
		"none short":     {nibbles(t, 3, 4), stuffed(0xFF, 0xFF, 0xFF), 0, errNoCode},
		"16 bits":        {long, []byte{0, 0, 0x80}, 7, nil},
		"16 bits, 1":     {long, []byte{0, 1, 0x80}, 8, nil},
		"none, 16 bits":  {long, []byte{0, 2, 0x80}, 0, errNoCode},
		"none, 16 ones":  {long, stuffed(0xFF, 0xFF, 0xFF, 0xFF), 0, errNoCode},
		"none in a tiny": {&huffman{last: [17]int32{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}}, []byte{0, 0, 0}, 0, errNoCode},
	} {
		r := bitReader{data: c.data}
		if got, err := r.symbol(c.h); got != c.want || err != c.err {
			t.Errorf("%s: %d, %v, want %d, %v", what, got, err, c.want, c.err)
		}
	}
}

// TestRestartMarkers skips fill bytes and unused bits, but no data.
func TestRestartMarkers(t *testing.T) {
	for what, c := range map[string]struct {
		data []byte
		used int // bits before the marker
		i    int
		ok   bool
	}{
		"just there":        {[]byte{0xAA, 0xFF, 0xD0, 0x55}, 8, 0, true},
		"seven bits left":   {[]byte{0xAA, 0xFF, 0xD1, 0x55}, 1, 1, true},
		"eight bits left":   {[]byte{0xAA, 0xBB, 0xFF, 0xD0, 0x55}, 8, 0, false},
		"fill bytes":        {[]byte{0xAA, 0xFF, 0xFF, 0xFF, 0xD7, 0x55}, 8, 15, true},
		"fill bytes alone":  {[]byte{0xAA, 0xFF, 0xFF}, 8, 0, false},
		"the marker's half": {[]byte{0xAA, 0xFF}, 8, 0, false},
		"another":           {[]byte{0xAA, 0xFF, 0xD1, 0x55}, 8, 0, false},
		"another byte":      {[]byte{0xAA, 0xFE, 0xD0, 0x55}, 8, 0, false},
		"a bit too many":    {[]byte{0xAA, 0xFF, 0xD0, 0x55}, 9, 0, false},
	} {
		r := bitReader{data: c.data}
		r.fill()
		r.take(c.used)
		if err := r.restart(c.i); (err == nil) != c.ok || err != nil && err != errRestart {
			t.Errorf("JPEG, %s: %v", what, err)
		}
		if r.fill(); c.ok && (r.take(8) != 0x55 || r.ended()) {
			t.Errorf("JPEG, %s: goes on elsewhere", what)
		}
	}
	for what, c := range map[string]struct {
		data []byte
		used int
		i    int
		ok   bool
	}{
		"just there":        {[]byte{0xAA, 0xFF, 0xD0, 0x55}, 8, 0, true},
		"15 bits left":      {[]byte{0, 0, 0xFF, 0xD1, 0x55}, 1, 1, true},
		"16 bits left":      {[]byte{0, 0, 0xFF, 0xD0, 0x55}, 0, 0, false},
		"fill bytes":        {[]byte{0xAA, 0xFF, 0xFF, 0xFF, 0xD7, 0x55}, 8, 15, true},
		"fill bytes alone":  {[]byte{0xAA, 0xFF, 0xFF}, 8, 0, false},
		"the marker's half": {[]byte{0xAA, 0xFF}, 8, 0, false},
		"another":           {[]byte{0xAA, 0xFF, 0xD1, 0x55}, 8, 0, false},
		"a bit too many":    {[]byte{0xAA, 0xFF, 0xD0, 0x55}, 9, 0, false},
	} {
		r := lsBits{data: c.data}
		r.take(c.used)
		if err := r.restart(c.i); (err == nil) != c.ok || err != nil && err != errRestart {
			t.Errorf("JPEG-LS, %s: %v", what, err)
		}
		if c.ok && (r.take(8) != 0x55 || r.ended()) {
			t.Errorf("JPEG-LS, %s: goes on elsewhere", what)
		}
	}
}

// TestLSBits: the byte after 0xFF has seven bits, and from 0x80 on it is a marker.
func TestLSBits(t *testing.T) {
	type part struct{ bits, want int }
	for what, c := range map[string]struct {
		data  []byte
		parts []part
	}{
		"stuffed":       {[]byte{0xFF, 0x7F, 0xA5}, []part{{8, 0xFF}, {7, 0x7F}, {8, 0xA5}}},
		"a marker":      {[]byte{0x5A, 0xFF, 0x80, 0xA5}, []part{{8, 0x5A}}},
		"0xFF at last":  {[]byte{0x5A, 0xFF}, []part{{8, 0x5A}}},
		"twice":         {[]byte{0xFF, 0x00, 0xFF, 0x01}, []part{{15, 0x7F80}, {8, 0xFF}, {7, 1}}},
		"no bits":       {[]byte{0xC0}, []part{{0, 0}, {1, 1}, {0, 0}, {7, 0x40}}},
		"across refill": {[]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, []part{{31, 0x01020304 >> 1}, {31, 0x05060708 >> 2 & (1<<31 - 1)}, {18, 0x0090A}}},
	} {
		r := lsBits{data: c.data}
		for i, p := range c.parts {
			if got := r.take(p.bits); got != p.want || r.ended() {
				t.Errorf("%s: part %d is %#x, want %#x, ended %v", what, i, got, p.want, r.ended())
			}
		}
		if r.take(1); !r.ended() {
			t.Errorf("%s: not ended", what)
		}
	}
}

// TestGolombCodes decodes codes that begin in the bits loaded and end behind them.
func TestGolombCodes(t *testing.T) {
	write := func(groups ...[2]int) []byte { // pairs of a number and its bits
		var w bitWriter
		for _, g := range groups {
			for ; g[1] > 24; g[1] -= 24 {
				w.put(0, 24)
			}
			w.put(uint32(g[0]), g[1])
		}
		return append(w.end(), make([]byte, 16)...)
	}
	for what, c := range map[string]struct {
		skip, zeros, k, limit, qbpp int
		value, want                 int
	}{
		"none":                   {0, 0, 3, 32, 8, 5, 5},
		"some":                   {0, 6, 3, 32, 8, 5, 6<<3 | 5},
		"no bits":                {0, 9, 0, 32, 8, 0, 9},
		"the most but one":       {0, 22, 2, 32, 8, 1, 22<<2 | 1},
		"the most":               {0, 23, 2, 32, 8, 200, 201},
		"behind the loaded bits": {12, 53, 2, 64, 8, 2, 53<<2 | 2},
		"the most, behind them":  {12, 55, 2, 64, 8, 77, 78},
	} {
		n := c.k
		if most := c.limit - c.qbpp - 1; c.zeros == most {
			n = c.qbpp
		}
		r := lsBits{data: write([2]int{0, c.skip}, [2]int{1, c.zeros + 1}, [2]int{c.value, n})}
		r.take(c.skip)
		if got := r.golomb(c.k, c.limit, c.qbpp); got != c.want {
			t.Errorf("%s: %d, want %d", what, got, c.want)
		}
	}
}

// TestRunLengths: a run that its last bits make longer than the row is damaged; if the
// data have ended it is truncated.
func TestRunLengths(t *testing.T) {
	for what, c := range map[string]struct {
		data     []byte
		rest, n  int
		endOfRow bool
		err      string
	}{
		"to the end of the row":    {[]byte{0b10000000, 0}, 8, 8, true, ""},
		"a part of a segment":      {[]byte{0b01010000, 0}, 8, 5, false, ""},
		"a segment and a part":     {[]byte{0b10011000, 0}, 12, 8 + 3, false, ""},
		"as long as the row":       {[]byte{0b01010000, 0}, 5, 0, false, "longer than its row"},
		"beyond the row":           {[]byte{0b01110000, 0}, 5, 0, false, "longer than its row"},
		"beyond it and the stream": {nil, 0, 0, false, "ends too early"},
	} {
		s := lsScan{bits: lsBits{data: c.data}, runIndex: 13} // segments of 8 pixels, 3 bits
		n, endOfRow, err := s.runLength(c.rest)
		checkRefusal(t, what, err, c.err)
		if n != c.n || endOfRow != c.endOfRow {
			t.Errorf("%s: %d, %v", what, n, endOfRow)
		}
	}
}

// TestBlocks decodes the coefficients of a block from codes of four bits.
func TestBlocks(t *testing.T) {
	dc := nibbles(t, 0, 1, 15, 16)
	ac := nibbles(t, 0x00, 0xF0, 0x01, 0xE1, 0x02)
	var q [64]int32
	for i := range q {
		q[i] = int32(2 + i)
	}
	for what, c := range map[string]struct {
		data []byte
		last int32
		want map[int]int32 // by index in the stream
		err  error
	}{
		"empty":                  {[]byte{0x00}, 7, map[int]int32{0: 14}, nil},
		"a difference":           {[]byte{0b0001_1_000, 0b0_0000000}, 7, map[int]int32{0: 16}, nil},
		"15 bits":                {[]byte{0b0010_1000, 0, 0b000_0000_0, 0}, 0, map[int]int32{0: 2 << 14}, nil},
		"16 bits":                {[]byte{0b0011_0000, 0, 0, 0, 0}, 0, nil, errNoCode},
		"the first":              {[]byte{0b0000_0010, 0b1_0000_000}, 0, map[int]int32{1: 3}, nil},
		"two bits, negative":     {[]byte{0b0000_0100, 0b00_0000_00}, 0, map[int]int32{1: -9}, nil},
		"after sixteen":          {[]byte{0b0000_0001, 0b0010_1_000, 0b0_0000000}, 0, map[int]int32{17: 19}, nil},
		"the last":               {[]byte{0x01, 0x11, 0b0011_1_000}, 0, map[int]int32{63: 65}, nil},
		"behind the last":        {[]byte{0x01, 0x11, 0b0010_1_001, 0b1_1000000}, 0, nil, errNoCode},
		"an undefined DC code":   {[]byte{0x90, 0}, 0, nil, errNoCode},
		"an undefined AC code":   {[]byte{0x09, 0}, 0, nil, errNoCode},
		"sixteens up to the end": {[]byte{0x01, 0x11, 0x10}, 0, map[int]int32{}, nil},
	} {
		var b, want [64]int32
		for k, v := range c.want {
			want[zigzag[k]] = v
		}
		last := c.last
		r := bitReader{data: c.data}
		err := r.block(&b, dc, ac, &q, &last)
		if err != c.err || err == nil && b != want {
			t.Errorf("%s: %v, %v", what, b, err)
		}
	}
}

// TestPackedSamples: 8, 16 and 32 bits, sign-extended as the header says.
func TestPackedSamples(t *testing.T) {
	for what, c := range map[string]struct {
		info      Info
		precision int
		sample    int32
		want      []byte
	}{
		"8":                   {Info{BitsAllocated: 8}, 8, 0x1F5, []byte{0xF5}},
		"16":                  {Info{BitsAllocated: 16}, 16, 0xA1B2, []byte{0xB2, 0xA1}},
		"12 of 16":            {Info{BitsAllocated: 16}, 12, 0xFABC, []byte{0xBC, 0x0A}},
		"12 of 16, signed":    {Info{BitsAllocated: 16, Signed: true}, 12, 0x0ABC, []byte{0xBC, 0xFA}},
		"32":                  {Info{BitsAllocated: 32}, 32, 0x12345678, []byte{0x78, 0x56, 0x34, 0x12}},
		"20 of 32, signed":    {Info{BitsAllocated: 32, Signed: true}, 20, 0x8ABCD, []byte{0xCD, 0xAB, 0xF8, 0xFF}},
		"20 of 32, unsigned":  {Info{BitsAllocated: 32}, 20, -0x75433, []byte{0xCD, 0xAB, 0x08, 0x00}},
		"a bit of 8, signed":  {Info{BitsAllocated: 8, Signed: true}, 1, 1, []byte{0xFF}},
		"a bit of 8, as 0..1": {Info{BitsAllocated: 8}, 1, 1, []byte{1}},
	} {
		if got := appendSamples(nil, c.info, c.precision, []int32{c.sample}); !bytes.Equal(got, c.want) {
			t.Errorf("%s: % x, want % x", what, got, c.want)
		}
		word := binary.LittleEndian.AppendUint32(nil, uint32(c.sample))
		if got := packWords(c.info, c.precision, slices.Concat(word, word)); !bytes.Equal(got, slices.Concat(c.want, c.want)) {
			t.Errorf("%s: packed as % x", what, got)
		}
	}
	// More samples than are converted at a time.
	words := make([]byte, 4*2500)
	for i := range 2500 {
		binary.LittleEndian.PutUint32(words[4*i:], uint32(i))
	}
	got := packWords(Info{Rows: 50, Cols: 50, BitsAllocated: 16}, 16, words)
	for i := range 2500 {
		if binary.LittleEndian.Uint16(got[2*i:]) != uint16(i) {
			t.Fatalf("sample %d is % x", i, got[2*i:2*i+2])
		}
	}
}

// TestShortestLosslessScan: a pixel takes at least a bit.
func TestShortestLosslessScan(t *testing.T) {
	info := Info{Rows: 2, Cols: 8, BitsAllocated: 8}
	stream := func(scan ...byte) []byte {
		b := appendSegment([]byte{0xFF, markSOI}, markSOF3, 8, 0, 2, 0, 8, 1, 1, 0x11, 0)
		b = appendSegment(b, markDHT, append(append([]byte{0, 1}, make([]byte, 15)...), 0)...) // the code 0: no difference
		return append(appendSegment(b, markSOS, 1, 1, 0, 1, 0, 0), scan...)
	}
	if got, err := decodeJPEG(stream(0, 0), info); err != nil || !bytes.Equal(got, bytes.Repeat([]byte{128}, 16)) {
		t.Errorf("two bytes: % x, %v", got, err)
	}
	if _, err := decodeJPEG(stream(0), info); !errors.Is(err, errTruncated) {
		t.Errorf("one byte: %v", err)
	}
}

// TestMissingTables: a DCT scan needs all three.
func TestMissingTables(t *testing.T) {
	for missing := range 4 {
		f := jpegFrame{precision: 8, rows: 1, cols: 1, dcTable: 1, acTable: 2, quantiser: 3}
		f.dc[1], f.ac[2], f.quantisers[3] = nibbles(t, 0), nibbles(t, 0), &[64]int32{}
		switch missing {
		case 0:
			f.dc[1] = nil
		case 1:
			f.ac[2] = nil
		case 2:
			f.quantisers[3] = nil
		}
		want := "one of the scan's tables is missing"
		if missing == 3 {
			want = ""
		}
		out := make([]uint16, 1)
		checkRefusal(t, "tables", f.decodeDCT(out, []byte{0, 0}), want)
		if missing == 3 && out[0] != 128 {
			t.Errorf("pixel %d", out[0])
		}
	}
}

// TestScanBytes estimates a scan of 8000 bits, and a little more for stuffed bytes.
func TestScanBytes(t *testing.T) {
	lengths, values := [16]byte{1, 1}, []byte{3, 16} // 1 + 3 bits, and 2 + 0
	if got := scanBytes([17]int{3: 1900, 16: 200}, lengths, values); got != 1000+7 {
		t.Errorf("%d bytes", got)
	}
}

// TestUndefinedCodesInScans end a scan at once, and so does a category beyond 16.
func TestUndefinedCodesInScans(t *testing.T) {
	table := nibbles(t, 0, 16, 17, 3)
	for what, c := range map[string]struct {
		data []byte
		want error
	}{"none": {[]byte{0x00, 0x00}, nil}, "32768": {[]byte{0x01, 0x00}, nil}, "category 17": {[]byte{0x02, 0, 0, 0}, errNoCode}, "undefined": {[]byte{0x0F, 0, 0, 0}, errNoCode}, "early": {[]byte{0x00}, errTruncated}} {
		f := jpegFrame{precision: 8, rows: 1, cols: 4, start: 1}
		f.dc[0] = table
		out := make([]uint16, 4)
		if err := f.decodeLossless(out, c.data); err != c.want {
			t.Errorf("lossless, %s: %v", what, err)
		}
		if c.want == nil && (out[0] != 128 || out[3] != 128+map[string]uint16{"32768": 1 << 15}[what]) {
			t.Errorf("lossless, %s: %v", what, out)
		}
		f = jpegFrame{precision: 8, rows: 1, cols: 16}
		f.dc[0], f.ac[0], f.quantisers[0] = table, nibbles(t, 0), &[64]int32{}
		want := c.want
		if what == "32768" { // no category of DCT
			want = errNoCode
		}
		// The codes of a first block, and of a second.
		data := append([]byte{0x00}, c.data...)
		if what == "32768" || what == "category 17" || what == "undefined" {
			data[1] <<= 4
		}
		if what == "early" {
			data = data[:1]
		}
		if err := f.decodeDCT(make([]uint16, 16), data); err != want {
			t.Errorf("DCT, %s: %v, want %v", what, err, want)
		}
	}
}

// TestMarkerAtTheEnd of the data is found, and nothing is read behind it.
func TestMarkerAtTheEnd(t *testing.T) {
	r := bitReader{data: []byte{0xAA, 0xFF, 0xD0}}
	r.fill()
	r.take(8)
	if err := r.restart(0); err != nil {
		t.Errorf("JPEG: %v", err)
	}
	l := lsBits{data: []byte{0xAA, 0xFF, 0xD0}}
	l.take(8)
	if err := l.restart(0); err != nil {
		t.Errorf("JPEG-LS: %v", err)
	}
	if l.take(1); !l.ended() {
		t.Error("JPEG-LS: a bit behind the marker")
	}
}

// TestShapes reads the frame header of six bytes and more, of the first frame alone.
func TestShapes(t *testing.T) {
	frame := func(mark byte, body ...byte) []byte { return appendSegment([]byte{0xFF, markSOI}, mark, body...) }
	for what, c := range map[string]struct {
		b  []byte
		ok bool
	}{
		"SOF0": {frame(markSOF0, 8, 0, 3, 0, 4, 1), true}, "SOF1": {frame(markSOF1, 8, 0, 3, 0, 4, 1), true}, "SOF3": {frame(markSOF3, 8, 0, 3, 0, 4, 1), true},
		"SOF55": {frame(markSOF55, 8, 0, 3, 0, 4, 1, 9), true}, "five bytes": {frame(markSOF0, 8, 0, 3, 0, 4), false}, "a table": {frame(markDHT, 8, 0, 3, 0, 4, 1), false},
		"two": {appendSegment(frame(markSOF0, 8, 0, 3, 0, 4, 1), markSOF0, 9, 0, 9, 0, 9, 9), true}, "nothing": {nil, false},
	} {
		rows, cols, components, precision, ok := shapeJPEG(c.b)
		if ok != c.ok || ok && (rows != 3 || cols != 4 || components != 1 || precision != 8) {
			t.Errorf("%s: %d x %d, %d, %d, %v", what, rows, cols, components, precision, ok)
		}
	}
}
