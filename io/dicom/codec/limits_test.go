package codec

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// checkRefusal reports an error that does not contain want, or any error if want is "".
func checkRefusal(t *testing.T, what string, err error, want string) {
	t.Helper()
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("%s: error %v, want %q", what, err, want)
	}
}

func TestSegments(t *testing.T) {
	for what, c := range map[string]struct{ stream, want string }{
		"a scan":             {"\xFF\xD8\xFF\xDA\x00\x03Hscan", ""},
		"fill bytes":         {"\xFF\xD8\xFF\xFF\xFF\xDA\x00\x03Hscan", ""},
		"another start":      {"\xFF\xD9\xFF\xDA\x00\x03Hscan", "does not start"},
		"another first byte": {"\xFE\xD8\xFF\xDA\x00\x03Hscan", "does not start"},
		"one byte":           {"\xFF", "does not start"},
		"nothing after":      {"\xFF\xD8", "ends too early"},
		"one byte after":     {"\xFF\xD8\xFF", "ends too early"},
		"fill bytes alone":   {"\xFF\xD8\xFF\xFF\xFF", "ends too early"},
		"no marker":          {"\xFF\xD8\x00\xDA\x00\x03Hscan", "a marker is missing"},
		"the end":            {"\xFF\xD8\xFF\xD9\xFF\xDA\x00\x03Hscan", "ends too early"},
		"no length":          {"\xFF\xD8\xFF\xDA\x00", "ends too early"},
		"a length of 1":      {"\xFF\xD8\xFF\xDA\x00\x01Hscan", "ends too early"},
		"beyond the end":     {"\xFF\xD8\xFF\xDA\x00\x08Hscan", "ends too early"},
	} {
		header, scan, err := eachSegment([]byte(c.stream), func(byte, []byte) error { return nil })
		checkRefusal(t, what, err, c.want)
		if err == nil && (string(header) != "H" || string(scan) != "scan") {
			t.Errorf("%s: header %q, scan %q", what, header, scan)
		}
	}
	if header, scan, err := eachSegment([]byte("\xFF\xD8\xFF\xDA\x00\x02"), nil); err != nil || len(header)+len(scan) != 0 {
		t.Errorf("the shortest: %q, %q, %v", header, scan, err)
	}
}

func TestFrameHeaders(t *testing.T) {
	body := func(precision, components, quantiser byte) []byte {
		return []byte{precision, 0, 3, 0, 4, components, 1, 0x11, quantiser}
	}
	for what, c := range map[string]struct {
		mark byte
		s    []byte
		want string
	}{
		"baseline, 8":         {markSOF0, body(8, 1, 0), ""},
		"baseline, 12":        {markSOF0, body(12, 1, 0), "SOF0 has 12 bits"},
		"extended, 8":         {markSOF1, body(8, 1, 0), ""},
		"extended, 12":        {markSOF1, body(12, 1, 3), ""},
		"extended, 11":        {markSOF1, body(11, 1, 0), "SOF1 has 11 bits"},
		"lossless, 1":         {markSOF3, body(1, 1, 0), "SOF3 has 1 bits"},
		"lossless, 2":         {markSOF3, body(2, 1, 0), ""},
		"lossless, 16":        {markSOF3, body(16, 1, 0), ""},
		"lossless, 17":        {markSOF3, body(17, 1, 0), "SOF3 has 17 bits"},
		"quantisation table":  {markSOF0, body(8, 1, 4), "SOF0 has 8 bits"},
		"short":               {markSOF0, body(8, 1, 0)[:8], "ends too early"},
		"too many components": {markSOF0, body(8, 2, 0), "ends too early"},
	} {
		var f jpegFrame
		checkRefusal(t, what, f.readFrame(c.mark, c.s), c.want)
		if c.want == "" && (f.rows != 3 || f.cols != 4 || f.components != 1 || f.component != 1) {
			t.Errorf("%s: %+v", what, f)
		}
	}
	f := jpegFrame{process: markSOF0}
	checkRefusal(t, "a second frame header", f.readFrame(markSOF0, body(8, 1, 0)), "two frame headers")

	for what, c := range map[string]struct {
		process byte
		s       []byte
		want    string
	}{
		"a scan":            {markSOF0, []byte{1, 7, 0x33, 0, 0, 0}, ""},
		"no frame":          {0, []byte{1, 7, 0x33, 0, 0, 0}, "no frame header"},
		"short":             {markSOF0, []byte{1, 7, 0x33, 0, 0}, "not one of a grey image"},
		"two components":    {markSOF0, []byte{2, 7, 0x33, 0, 0, 0}, "not one of a grey image"},
		"another component": {markSOF0, []byte{1, 8, 0x33, 0, 0, 0}, "of another component"},
		"DC table":          {markSOF0, []byte{1, 7, 0x40, 0, 0, 0}, "impossible Huffman table"},
		"AC table":          {markSOF0, []byte{1, 7, 0x04, 0, 0, 0}, "impossible Huffman table"},
	} {
		f := jpegFrame{process: c.process, component: 7}
		checkRefusal(t, "scan: "+what, f.readScan(c.s), c.want)
	}
}

func TestTables(t *testing.T) {
	table := func(head byte, n int) []byte { return append([]byte{head}, bytes.Repeat([]byte{5}, n)...) }
	for what, c := range map[string]struct {
		s    []byte
		want string
	}{
		"bytes":         {table(0x03, 64), ""},
		"words":         {table(0x13, 128), ""},
		"two":           {append(table(0, 64), table(0x11, 128)...), ""},
		"short":         {table(0x03, 63), "quantisation table is damaged"},
		"short words":   {table(0x13, 127), "quantisation table is damaged"},
		"a fifth":       {table(0x04, 64), "quantisation table is damaged"},
		"another width": {table(0x20, 192), "quantisation table is damaged"},
	} {
		var f jpegFrame
		checkRefusal(t, what, f.readQuantisers(c.s), c.want)
	}
	counts := func(head, n byte) []byte {
		return append(append([]byte{head}, make([]byte, 7)...), append([]byte{n}, make([]byte, 8)...)...)
	}
	for what, c := range map[string]struct {
		s    []byte
		want string
	}{
		"DC":             {append(counts(0x03, 2), 1, 2), ""},
		"AC":             {append(counts(0x13, 2), 1, 2), ""},
		"empty":          {counts(0, 0), ""},
		"short counts":   {counts(0, 0)[:16], "ends too early"},
		"short values":   {append(counts(0, 2), 1), "Huffman table is damaged"},
		"a fifth":        {append(counts(0x04, 2), 1, 2), "Huffman table is damaged"},
		"another class":  {append(counts(0x20, 2), 1, 2), "Huffman table is damaged"},
		"two in one":     {append(append(counts(0, 2), 1, 2), append(counts(0x11, 1), 9)...), ""},
		"a damaged rest": {append(append(counts(0, 2), 1, 2), 0), "ends too early"},
	} {
		var f jpegFrame
		checkRefusal(t, what, f.readHuffman(c.s), c.want)
	}
	var f jpegFrame
	if err := f.readHuffman(append(append(counts(0, 2), 1, 2), append(counts(0x11, 1), 9)...)); err != nil || f.dc[0] == nil || f.ac[1] == nil || f.ac[0] != nil || f.dc[1] != nil {
		t.Errorf("tables %v, %v, %v", f.dc, f.ac, err)
	}
}

// TestProcesses: of the frame markers of T.81 table B.1 three are decoded; the sentence names the others.
func TestProcesses(t *testing.T) {
	for n := byte(0); n < 16; n++ {
		want := fmt.Sprintf("JPEG process SOF%d is not decoded", n)
		switch n {
		case 0, 1, 3:
			want = "ends too early" // of its empty frame header
		case 4: // DHT
			want = "no frame header"
		case 8, 12: // reserved, and the conditions of arithmetic coding
			want = "no frame header"
		}
		b := appendSegment([]byte{0xFF, markSOI}, markSOF0+n)
		_, err := new(jpegFrame).readSegments(appendSegment(b, markSOS))
		checkRefusal(t, fmt.Sprintf("marker %X", markSOF0+n), err, want)
	}
	for want, b := range map[string][]byte{
		"ends too early":                     appendSegment(nil, markDRI, 1),
		"a Huffman table has too many codes": appendSegment(nil, markDHT, append(append([]byte{0, 3}, make([]byte, 15)...), 1, 2, 3)...),
		"no frame header":                    appendSegment(nil, markDRI, 1, 2),
	} {
		var f jpegFrame
		_, err := f.readSegments(appendSegment(append([]byte{0xFF, markSOI}, b...), markSOS))
		checkRefusal(t, want, err, want)
		if want == "no frame header" && f.restartInterval != 0x102 {
			t.Errorf("interval %d", f.restartInterval)
		}
	}
}

// TestQuantisers reads values of one and of two bytes into the tables that are named.
func TestQuantisers(t *testing.T) {
	s := []byte{0x02}
	for i := range 64 {
		s = append(s, byte(200-i))
	}
	s = append(s, 0x11)
	for i := range 64 {
		s = append(s, byte(i), byte(3*i))
	}
	var f jpegFrame
	if err := f.readQuantisers(s); err != nil {
		t.Fatal(err)
	}
	for i := range 64 {
		if f.quantisers[2][i] != int32(200-i) || f.quantisers[1][i] != int32(i<<8|3*i) {
			t.Fatalf("value %d: %d, %d", i, f.quantisers[2][i], f.quantisers[1][i])
		}
	}
	if f.quantisers[0] != nil || f.quantisers[3] != nil {
		t.Error("other tables were set")
	}
	checkRefusal(t, "a single byte", f.readQuantisers([]byte{0}), "damaged")
	checkRefusal(t, "a rest of a byte", f.readQuantisers(append(s, 0)), "damaged")
	checkRefusal(t, "a rest of a byte", f.readHuffman([]byte{0}), "ends too early")
}

// TestJPEGLSDefaults compares with T.87 table C.3 and with its formulas for few bits and
// for near-lossless scans.
func TestJPEGLSDefaults(t *testing.T) {
	for _, c := range []struct {
		f    lsFrame
		want lsPreset
	}{
		{lsFrame{precision: 8}, lsPreset{255, 3, 7, 21, 64}},
		{lsFrame{precision: 12}, lsPreset{4095, 18, 67, 276, 64}},
		{lsFrame{precision: 16}, lsPreset{65535, 18, 67, 276, 64}},
		{lsFrame{precision: 8, near: 3}, lsPreset{255, 12, 22, 42, 64}},
		{lsFrame{precision: 2}, lsPreset{3, 2, 3, 3, 64}},
		{lsFrame{precision: 7}, lsPreset{127, 2, 3, 10, 64}},
		{lsFrame{precision: 8, preset: lsPreset{maxVal: 128}}, lsPreset{128, 3, 7, 21, 64}},
		{lsFrame{precision: 8, preset: lsPreset{t1: 4, t2: 4, t3: 4, reset: 3}}, lsPreset{255, 4, 4, 4, 3}},
		{lsFrame{precision: 8, preset: lsPreset{t3: 255}}, lsPreset{255, 3, 7, 255, 64}},
		{lsFrame{precision: 8, near: 85}, lsPreset{255, 86, 86, 86, 64}},
		{lsFrame{precision: 6, near: 30}, lsPreset{63, 31, 31, 31, 64}},
		{lsFrame{precision: 7, near: 1}, lsPreset{127, 4, 8, 17, 64}},
		{lsFrame{precision: 4}, lsPreset{15, 2, 3, 4, 64}},
		{lsFrame{precision: 5, near: 1}, lsPreset{31, 3, 5, 9, 64}},
		{lsFrame{precision: 6, near: 2}, lsPreset{63, 6, 11, 19, 64}},
		{lsFrame{precision: 6, near: 20}, lsPreset{63, 60, 60, 60, 64}},
		{lsFrame{precision: 7, preset: lsPreset{maxVal: 84}}, lsPreset{84, 2, 3, 7, 64}},
		{lsFrame{precision: 7, preset: lsPreset{maxVal: 85}}, lsPreset{85, 2, 3, 10, 64}},
		{lsFrame{precision: 9, preset: lsPreset{maxVal: 383}}, lsPreset{383, 3, 7, 21, 64}},
		{lsFrame{precision: 9, preset: lsPreset{maxVal: 384}}, lsPreset{384, 4, 11, 38, 64}},
		{lsFrame{precision: 9, near: 4, preset: lsPreset{maxVal: 384}}, lsPreset{384, 16, 31, 66, 64}},
		{lsFrame{precision: 8, near: 80}, lsPreset{255, 243, 243, 243, 64}},
	} {
		f := c.f
		if err := f.setDefaults(); err != nil || f.preset != c.want {
			t.Errorf("%+v: %v, %v, want %v", c.f, f.preset, err, c.want)
		}
	}
	for _, f := range []lsFrame{
		{precision: 8, preset: lsPreset{maxVal: 256}},
		{precision: 8, near: 128},
		{precision: 16, near: 256},
		{precision: 8, near: 2, preset: lsPreset{t1: 2}},
		{precision: 8, preset: lsPreset{t1: 5, t2: 4}},
		{precision: 8, preset: lsPreset{t2: 9, t3: 8}},
		{precision: 8, preset: lsPreset{t3: 256}},
		{precision: 8, preset: lsPreset{reset: 2}},
	} {
		checkRefusal(t, "coding parameters", f.setDefaults(), "contradict each other")
	}
	if f := (lsFrame{precision: 8, near: 127}); f.setDefaults() != nil {
		t.Error("the largest NEAR is refused")
	}
}

func TestJPEGLSHeaders(t *testing.T) {
	frame := func(precision byte) []byte { return []byte{precision, 0, 3, 0, 4, 1} }
	preset := []byte{1, 0, 255, 0, 3, 0, 7, 0, 21, 0, 64}
	for what, c := range map[string]struct {
		read func(f *lsFrame, s []byte) error
		f    lsFrame
		s    []byte
		want string
	}{
		"2 bits":            {(*lsFrame).readFrame, lsFrame{}, frame(2), ""},
		"16 bits":           {(*lsFrame).readFrame, lsFrame{}, frame(16), ""},
		"1 bit":             {(*lsFrame).readFrame, lsFrame{}, frame(1), "1 bits for a pixel"},
		"17 bits":           {(*lsFrame).readFrame, lsFrame{}, frame(17), "17 bits for a pixel"},
		"a short frame":     {(*lsFrame).readFrame, lsFrame{}, frame(8)[:5], "damaged"},
		"a second frame":    {(*lsFrame).readFrame, lsFrame{components: 1}, frame(8), "damaged"},
		"a scan":            {(*lsFrame).readScan, lsFrame{components: 1}, []byte{1, 1, 0, 9, 0, 0}, ""},
		"a scan alone":      {(*lsFrame).readScan, lsFrame{}, []byte{1, 1, 0, 0, 0, 0}, "no frame header"},
		"a short scan":      {(*lsFrame).readScan, lsFrame{components: 1}, []byte{1, 1, 0, 0, 0}, "grey"},
		"two components":    {(*lsFrame).readScan, lsFrame{components: 1}, []byte{2, 1, 0, 0, 0, 0}, "grey"},
		"interval, 1 byte":  {(*lsFrame).readInterval, lsFrame{}, []byte{1}, "restart interval"},
		"interval, 2 bytes": {(*lsFrame).readInterval, lsFrame{}, []byte{1, 2}, ""},
		"interval, 4 bytes": {(*lsFrame).readInterval, lsFrame{}, []byte{0, 0, 1, 2}, ""},
		"interval, 5 bytes": {(*lsFrame).readInterval, lsFrame{}, []byte{0, 0, 0, 1, 2}, "restart interval"},
		"preset":            {(*lsFrame).readPreset, lsFrame{}, preset, ""},
		"a short preset":    {(*lsFrame).readPreset, lsFrame{}, preset[:10], "this type of preset"},
		"no preset":         {(*lsFrame).readPreset, lsFrame{}, nil, "this type of preset"},
		"preset of type 4":  {(*lsFrame).readPreset, lsFrame{}, append([]byte{4}, preset[1:]...), "this type of preset"},
		"a mapping table":   {(*lsFrame).readPreset, lsFrame{}, []byte{2}, "mapping tables"},
		"more of a mapping": {(*lsFrame).readPreset, lsFrame{}, []byte{3}, "mapping tables"},
	} {
		f := c.f
		checkRefusal(t, what, c.read(&f, c.s), c.want)
		if strings.HasPrefix(what, "interval") && c.want == "" && f.interval != 0x102 {
			t.Errorf("%s: %d", what, f.interval)
		}
		if what == "preset" && f.preset != (lsPreset{255, 3, 7, 21, 64}) || what == "a scan" && f.near != 9 {
			t.Errorf("%s: %+v", what, f)
		}
	}
}

func TestLosslessScans(t *testing.T) {
	table, err := newHuffman([16]byte{1, 1}, []byte{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		start, pointTransform, interval int
		table                           *huffman
		want                            string
	}{
		"as it is":               {1, 0, 0, table, ""},
		"predictor 7":            {7, 0, 0, table, ""},
		"predictor 0":            {0, 0, 0, table, "predictor 0"},
		"predictor 8":            {8, 0, 0, table, "predictor 8"},
		"all bits but one":       {1, 7, 0, table, ""},
		"all bits":               {1, 8, 0, table, "point transform 8 of 8 bits"},
		"a part of a row":        {1, 0, 6, table, "ends within a row"},
		"an interval of a row":   {1, 0, 4, table, "restart marker is missing"},
		"no table":               {1, 0, 0, nil, "Huffman table is missing"},
		"an interval of 3 rows ": {1, 0, 12, table, ""},
	} {
		f := jpegFrame{precision: 8, rows: 2, cols: 4, start: c.start, pointTransform: c.pointTransform, restartInterval: c.interval}
		f.dc[0] = c.table
		checkRefusal(t, what, f.decodeLossless(make([]uint16, 8), []byte{0, 0, 0, 0}), c.want)
	}
	f := readFact(t, "mr-lossless-restarts")
	s := slices.Clone(f.stream(t))
	at := segment(t, s, markSOS)
	s[at+segment(t, s[at:], markRST0)+1]++
	_, err = f.decode(s)
	checkRefusal(t, "another restart marker", err, "restart marker is missing")
}

func TestPossibleSizes(t *testing.T) {
	const rleUID, lsUID = "1.2.840.10008.1.2.5", "1.2.840.10008.1.2.4.80"
	for _, c := range []struct {
		uid       string
		pixels, n int64
		want      bool
	}{
		{rleUID, 64*10 + 63, 10, true}, {rleUID, 64 * 11, 10, false},
		{lsUID, 1 << 22, 0, true}, {lsUID, 1<<22 + 1, 255, false}, {lsUID, 1<<22 + 1, 256, true},
		{"1.2.3", 1, 1, false},
	} {
		if got := CanHold(c.uid, c.pixels, c.n); got != c.want {
			t.Errorf("%d pixels in %d bytes of %s: %v", c.pixels, c.n, c.uid, got)
		}
	}
	for what, c := range map[string]struct {
		info Info
		want string
	}{
		"no rows":          {Info{Rows: 0, Cols: 1, BitsAllocated: 8}, "an image of 1 x 0 pixels"},
		"no columns":       {Info{Rows: 1, Cols: 0, BitsAllocated: 8}, "an image of 0 x 1 pixels"},
		"too many rows":    {Info{Rows: 1<<16 + 1, Cols: 1, BitsAllocated: 8}, "an image of 1 x 65537 pixels"},
		"too many columns": {Info{Rows: 1, Cols: 1<<16 + 1, BitsAllocated: 8}, "an image of 65537 x 1 pixels"},
		"the most rows":    {Info{Rows: 1 << 16, Cols: 1, BitsAllocated: 8}, "cannot hold"},
		"the most columns": {Info{Rows: 1, Cols: 1 << 16, BitsAllocated: 8}, "cannot hold"},
		"24 bits":          {Info{Rows: 1, Cols: 1, BitsAllocated: 24}, "24 bits allocated"},
	} {
		_, err := Decode(rleUID, c.info, [][]byte{make([]byte, 70)})
		checkRefusal(t, what, err, c.want)
	}
	_, err := Decode("1.2.3", Info{}, nil)
	checkRefusal(t, "an unknown syntax", err, "no decoder for transfer syntax 1.2.3")
	info := Info{Rows: 3, Cols: 4, BitsAllocated: 16}
	for precision, want := range map[int]string{0: "0 bits", 1: "", 16: "", 17: "17 bits"} {
		checkRefusal(t, "precision", info.checkShape(3, 4, 1, precision), want)
	}
	checkRefusal(t, "rows", info.checkShape(4, 4, 1, 8), "holds 4 x 4 pixels")
	checkRefusal(t, "columns", info.checkShape(3, 3, 1, 8), "holds 3 x 3 pixels")
	checkRefusal(t, "both", info.checkShape(5, 6, 1, 8), "the stream holds 6 x 5 pixels, the header says 4 x 3")
}

func TestRLESegments(t *testing.T) {
	info := Info{Rows: 1, Cols: 2, BitsAllocated: 16}
	stream := func(n, first, second uint32) []byte {
		s := make([]byte, 64)
		for i, v := range []uint32{n, first, second} {
			binary.LittleEndian.PutUint32(s[4*i:], v)
		}
		return append(s, 1, 0xAA, 0xBB, 0xFF, 0xCC) // two literals, one byte twice
	}
	for what, c := range map[string]struct {
		s    []byte
		want string
	}{
		"intact":                     {stream(2, 64, 67), ""},
		"in the header":              {stream(2, 63, 67), "segment 1 is outside"},
		"the wrong way round":        {stream(2, 68, 67), "segment 1 is outside"},
		"the second in the header":   {stream(2, 64, 63), "segment 1 is outside"},
		"at the end":                 {stream(2, 64, 69), "ends too early"},
		"beyond the end":             {stream(2, 64, 70), "segment 1 is outside"},
		"one segment for two bytes":  {stream(1, 64, 0), "1 segments"},
		"a short header":             {stream(2, 64, 67)[:63], "ends too early"},
		"the second ends too early":  {stream(2, 64, 67)[:68], "ends too early"},
		"the first cut by the other": {stream(2, 64, 66), "ends too early"},
	} {
		got, err := decodeRLE(c.s, info)
		checkRefusal(t, what, err, c.want)
		if err == nil && !bytes.Equal(got, []byte{0xCC, 0xAA, 0xCC, 0xBB}) {
			t.Errorf("%s: % x", what, got)
		}
	}
	for src, want := range map[string]string{"\x03abcd": "ab", "\xFEx": "xx", "\x00a\x00b": "ab", "\x01abrest": "ab", "\x00a": "", "\x01a": "", "\x00": "", "": ""} {
		dst := make([]byte, 2)
		if ok := unpackBits(dst, 1, []byte(src)); ok != (want != "") || ok && string(dst) != want {
			t.Errorf("%q: %q, %v", src, dst, ok)
		}
		dst = []byte{9, 9, 9, 9}
		if ok := unpackBits(dst[1:], 2, []byte(src)); ok && (dst[0] != 9 || dst[2] != 9 || dst[1] != want[0] || dst[3] != want[1]) {
			t.Errorf("%q, every second byte: %q", src, dst)
		}
	}
	dst := make([]byte, 3)
	if !unpackBits(dst, 1, []byte{0x80, 0x00, 5, 0x81, 7}) || !bytes.Equal(dst, []byte{5, 7, 7}) {
		t.Errorf("no operation, a literal and a long run: % x", dst)
	}
}

// TestWhiteIsClipped: pixels beyond the stored bits of an unsigned lossy image are white;
// pixels of a signed image and of one that fills its bits are kept.
func TestWhiteIsClipped(t *testing.T) {
	f := readFact(t, "u8-baseline")
	decode := func(bits int, signed bool) []byte {
		t.Helper()
		info := f.info()
		info.Bits, info.Signed = bits, signed
		p, err := Decode(f.Syntax, info, [][]byte{f.stream(t)})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	plain := decode(0, false)
	if largest := slices.Max(plain); largest <= 127 {
		t.Fatalf("the largest pixel is %d; the test needs one beyond 127", largest)
	}
	for i, p := range decode(7, false) {
		if p != min(plain[i], 127) {
			t.Fatalf("pixel %d is %d, want %d", i, p, min(plain[i], 127))
		}
	}
	for i, p := range decode(1, false) {
		if p != min(plain[i], 1) {
			t.Fatalf("of one bit: pixel %d is %d", i, p)
		}
	}
	if !bytes.Equal(decode(8, false), plain) || !bytes.Equal(decode(7, true), plain) {
		t.Error("pixels were clipped")
	}
}
