package codec

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

func readFact(t *testing.T, name string) *fact {
	t.Helper()
	for _, f := range readFacts(t) {
		if f.Name == name {
			return &f
		}
	}
	t.Fatalf("no stream %s", name)
	return nil
}

// TestManyTiles decodes a stream with a header that has one pixel per tile, more
// tiles than the stream can contain.
func TestManyTiles(t *testing.T) {
	f := readFact(t, "mr-j2k")
	stream := f.stream(t)
	binary.BigEndian.PutUint32(stream[24:], 1)
	binary.BigEndian.PutUint32(stream[28:], 1)
	if _, err := f.decode(stream); err == nil || !strings.Contains(err.Error(), "tiles") {
		t.Error(err)
	}
}

// TestMissingTiles ends streams after each of their tiles, with an end marker. OpenJPEG
// would leave the others blank without an error.
func TestMissingTiles(t *testing.T) {
	for _, name := range []string{"mr-j2k-tiles", "mr-ht-tiles"} {
		f := readFact(t, name)
		stream := f.stream(t)
		size, err := readSize(stream)
		if err != nil {
			t.Fatal(err)
		}
		at, err := mainHeaderEnd(stream)
		if err != nil {
			t.Fatal(err)
		}
		tiles := 0
		for ; marker(stream, at) == markSOT; tiles++ {
			cut := append(slices.Clone(stream[:at]), 0xFF, 0xD9)
			if _, err := f.decode(cut); err == nil {
				t.Errorf("%s decodes from %d tiles", name, tiles)
			}
			at += int(binary.BigEndian.Uint32(stream[at+6:]))
		}
		if tiles != size.down*size.across || tiles < 4 {
			t.Errorf("%s: %d tiles of %d x %d", name, tiles, size.across, size.down)
		}
	}
}

// TestMissingEnd removes the end marker, which some writers omit, and adds padding after
// it.
func TestMissingEnd(t *testing.T) {
	for _, f := range readFacts(t) {
		stream := f.stream(t)
		if decoders[f.Syntax] != jpeg2000 || bytes.HasPrefix(stream, jp2Signature) {
			continue
		}
		want, err := f.decode(stream)
		if err != nil {
			t.Fatal(err)
		}
		whole, ok := bytes.CutSuffix(stream, []byte{0xFF, 0xD9})
		if !ok {
			t.Fatalf("%s has no end marker", f.Name)
		}
		for _, s := range [][]byte{whole, append(slices.Clone(stream), 0), append(slices.Clone(stream), make([]byte, 9)...)} {
			if got, err := f.decode(s); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
		if _, err := f.decode(whole[:len(whole)-1]); err == nil {
			t.Errorf("%s decodes without its last byte", f.Name)
		}
	}
}

// TestBoxes finds the codestream in JP2 boxes with short, long and open lengths.
func TestBoxes(t *testing.T) {
	box := func(n uint32, kind string, body string) string {
		return string(binary.BigEndian.AppendUint32(nil, n)) + kind + body
	}
	long := func(n uint64, kind string, body string) string {
		return box(1, kind, string(binary.BigEndian.AppendUint64(nil, n))+body)
	}
	const none = "the JP2 boxes contain no codestream"
	for what, c := range map[string]struct{ boxes, want, err string }{
		"short":                  {box(12, "jp2c", "code"), "code", ""},
		"long":                   {long(20, "jp2c", "code"), "code", ""},
		"to the end":             {box(0, "jp2c", "code"), "code", ""},
		"empty":                  {box(8, "jp2c", ""), "", ""},
		"long and empty":         {long(16, "jp2c", ""), "", ""},
		"before another":         {box(12, "jp2c", "code") + box(8, "free", ""), "code", ""},
		"after others":           {box(9, "jp2h", "x") + long(17, "free", "y") + box(12, "jp2c", "code"), "code", ""},
		"none":                   {box(9, "jp2h", "x"), "", none},
		"behind an open one":     {box(0, "jp2h", "") + box(12, "jp2c", "code"), "", none},
		"shorter than its head":  {box(7, "jp2c", "code"), "", none},
		"long, shorter":          {long(15, "jp2c", "code"), "", none},
		"beyond the end":         {box(13, "jp2c", "code"), "", none},
		"long, beyond the end":   {long(21, "jp2c", "code"), "", none},
		"a cut length":           {box(1, "jp2c", "code"), "", none},
		"seven bytes of a head":  {box(12, "jp2", ""), "", none},
		"a length of 64 bits":    {long(1<<63, "jp2c", "code"), "", none},
		"nothing":                {"", "", none},
		"long, but in 15 bytes ": {box(1, "jp2c", "1234567"), "", none},
	} {
		got, err := codestream([]byte(string(jp2Signature) + c.boxes))
		checkRefusal(t, what, err, c.err)
		if string(got) != c.want {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
	}
	if got, err := codestream([]byte("bare")); string(got) != "bare" || err != nil {
		t.Errorf("no boxes: %q, %v", got, err)
	}
}

// sizeSegment is a main header of one component: SOC and SIZ.
func sizeSegment(components uint16, depth, dx, dy byte, size ...uint32) []byte {
	b := append(slices.Clone(startOfJ2K), 0, 41, 0, 0)
	for _, v := range size {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	b = binary.BigEndian.AppendUint16(b, components)
	return append(b, depth, dx, dy)
}

// TestSizes reads image and tile sizes (T.800 A.5.1) on both sides of the possible ones.
func TestSizes(t *testing.T) {
	const impossible, subsampled = "image or tile size is impossible", "subsampled"
	for what, c := range map[string]struct {
		b    []byte
		want imageSize
		err  string
	}{
		"plain":                   {sizeSegment(1, 7, 1, 1, 40, 30, 0, 0, 40, 30, 0, 0), imageSize{30, 40, 1, 8, 1, 1}, ""},
		"16 bits, signed":         {sizeSegment(1, 0x8F, 1, 1, 40, 30, 0, 0, 40, 30, 0, 0), imageSize{30, 40, 1, 16, 1, 1}, ""},
		"moved":                   {sizeSegment(1, 7, 1, 1, 45, 36, 5, 6, 40, 30, 5, 6), imageSize{30, 40, 1, 8, 1, 1}, ""},
		"tiles":                   {sizeSegment(1, 7, 1, 1, 40, 30, 0, 0, 20, 10, 0, 0), imageSize{30, 40, 1, 8, 3, 2}, ""},
		"narrow tiles at the end": {sizeSegment(1, 7, 1, 1, 41, 31, 0, 0, 20, 10, 0, 0), imageSize{31, 41, 1, 8, 4, 3}, ""},
		"tiles before the image":  {sizeSegment(1, 7, 1, 1, 41, 31, 2, 2, 40, 30, 1, 1), imageSize{29, 39, 1, 8, 1, 1}, ""},
		"one pixel":               {sizeSegment(1, 7, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0), imageSize{1, 1, 1, 8, 1, 1}, ""},
		"no columns":              {sizeSegment(1, 7, 1, 1, 5, 30, 5, 0, 40, 30, 0, 0), imageSize{}, impossible},
		"no rows":                 {sizeSegment(1, 7, 1, 1, 40, 5, 0, 5, 40, 30, 0, 0), imageSize{}, impossible},
		"no tile columns":         {sizeSegment(1, 7, 1, 1, 40, 30, 0, 0, 0, 30, 0, 0), imageSize{}, impossible},
		"no tile rows":            {sizeSegment(1, 7, 1, 1, 40, 30, 0, 0, 40, 0, 0, 0), imageSize{}, impossible},
		"tiles right of it":       {sizeSegment(1, 7, 1, 1, 40, 30, 0, 0, 40, 30, 1, 0), imageSize{}, impossible},
		"tiles below it":          {sizeSegment(1, 7, 1, 1, 40, 30, 0, 0, 40, 30, 0, 1), imageSize{}, impossible},
		"every second column":     {sizeSegment(1, 7, 2, 1, 40, 30, 0, 0, 40, 30, 0, 0), imageSize{}, subsampled},
		"every second row":        {sizeSegment(1, 7, 1, 2, 40, 30, 0, 0, 40, 30, 0, 0), imageSize{}, subsampled},
		"three components":        {sizeSegment(3, 7, 2, 2, 40, 30, 0, 0, 40, 30, 0, 0), imageSize{30, 40, 3, 8, 1, 1}, ""},
		"cut":                     {sizeSegment(1, 7, 1, 1, 40, 30, 0, 0, 40, 30, 0, 0)[:44], imageSize{}, "ends too early"},
		"something else":          {[]byte("\xFF\x4F\xFF\x52 and more"), imageSize{}, "does not start"},
	} {
		got, err := readSize(c.b)
		checkRefusal(t, what, err, c.err)
		if err == nil && got != c.want {
			t.Errorf("%s: %+v, want %+v", what, got, c.want)
		}
		if _, _, _, _, ok := shapeJPEG2000(c.b); ok != (c.err == "") {
			t.Errorf("%s: has a shape: %v", what, ok)
		}
	}
}

// TestTileParts walks tile-parts of 14 bytes: two tiles, and every way in which one can be damaged.
func TestTileParts(t *testing.T) {
	main := []byte{0xFF, 0x4F, 0xFF, 0x52, 0, 3, 9, 0xFF, 0x5C, 0, 2} // SOC and two segments
	part := func(tile uint16, length uint32, parts byte, body string) []byte {
		b := binary.BigEndian.AppendUint16([]byte{0xFF, 0x90, 0, 10}, tile)
		b = binary.BigEndian.AppendUint32(b, length)
		return append(append(b, 0, parts, 0xFF, 0x93), body...)
	}
	end := []byte{0xFF, 0xD9}
	for what, c := range map[string]struct {
		parts [][]byte
		added bool
		err   string
	}{
		"both":                   {[][]byte{part(0, 14, 1, ""), part(1, 15, 1, "x"), end}, false, ""},
		"in another order":       {[][]byte{part(1, 14, 0, ""), part(0, 14, 1, ""), end}, false, ""},
		"no end marker":          {[][]byte{part(0, 14, 1, ""), part(1, 14, 1, "")}, true, ""},
		"the last one open":      {[][]byte{part(0, 14, 1, ""), part(1, 0, 1, "xyz")}, false, ""},
		"two parts of one":       {[][]byte{part(0, 14, 0, ""), part(1, 14, 1, ""), part(0, 14, 2, ""), end}, false, ""},
		"one of two parts":       {[][]byte{part(0, 14, 2, ""), part(1, 14, 1, ""), end}, false, "tile 1 of 2 is incomplete"},
		"fewer parts said later": {[][]byte{part(0, 14, 3, ""), part(1, 14, 1, ""), part(0, 14, 2, ""), end}, false, "tile 1 of 2 is incomplete"},
		"no second tile":         {[][]byte{part(0, 14, 1, ""), part(0, 14, 1, ""), end}, false, "tile 2 of 2 is incomplete"},
		"a third tile":           {[][]byte{part(0, 14, 1, ""), part(2, 14, 1, ""), end}, false, "a tile 3 of 2"},
		"shorter than its head":  {[][]byte{part(0, 13, 1, ""), part(1, 14, 1, ""), end}, false, "ends too early"},
		"beyond the end":         {[][]byte{part(0, 14, 1, ""), part(1, 15, 1, "")}, false, "ends too early"},
		"cut in its head":        {[][]byte{part(0, 14, 1, ""), part(1, 14, 1, "")[:13]}, false, "ends too early"},
	} {
		b := slices.Concat(append([][]byte{main}, c.parts...)...)
		if len(b) < 2*tilePartHeader {
			t.Fatalf("%s: too short", what)
		}
		got, err := imageSize{down: 2, across: 1}.checkTiles(b)
		checkRefusal(t, what, err, c.err)
		want := b
		if c.added {
			want = slices.Concat(b, end)
		}
		if err == nil && !bytes.Equal(got, want) {
			t.Errorf("%s: % x", what, got)
		}
	}
	for what, c := range map[string]struct {
		b    []byte
		want int
		err  string
	}{
		"two segments":         {append(slices.Clone(main), 0xFF, 0x90), len(main), ""},
		"a length of 1":        {[]byte{0xFF, 0x4F, 0xFF, 0x52, 0, 1, 0xFF, 0x90}, 0, "main header is damaged"},
		"no marker":            {[]byte{0xFF, 0x4F, 0xFE, 0x52, 0, 2, 0xFF, 0x90}, 0, "main header is damaged"},
		"cut":                  {[]byte{0xFF, 0x4F, 0xFF, 0x52, 0}, 0, "ends too early"},
		"no tiles":             {main, 0, "ends too early"},
		"half a marker behind": {append(slices.Clone(main), 0xFF), 0, "ends too early"},
	} {
		got, err := mainHeaderEnd(c.b)
		checkRefusal(t, what, err, c.err)
		if got != c.want {
			t.Errorf("%s: %d, want %d", what, got, c.want)
		}
	}
	for _, c := range []struct {
		size imageSize
		n    int
		err  string
	}{
		{imageSize{down: 2, across: 3}, 6*tilePartHeader - 1, "cannot hold 3 x 2 tiles"},
		{imageSize{down: 2, across: 3}, 6 * tilePartHeader, "ends too early"},
		{imageSize{down: 85, across: 0}, 84, "cannot hold"}, {imageSize{down: 0, across: 85}, 84, "cannot hold"},
	} {
		_, err := c.size.checkTiles(make([]byte, c.n)[:c.n])
		if c.err == "ends too early" {
			_, err = c.size.checkTiles(append(slices.Clone(main), bytes.Repeat([]byte{0xFF, 0x5C, 0, 2}, c.n/4)...)[:c.n])
		}
		checkRefusal(t, "tiles in too few bytes", err, c.err)
	}
}
