package codec

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// segment returns the offset of a marker segment.
func segment(t *testing.T, stream []byte, mark byte) int {
	t.Helper()
	at := bytes.Index(stream, []byte{0xFF, mark})
	if at < 0 {
		t.Fatalf("no marker %X", mark)
	}
	return at
}

// TestRefused decodes streams with features of the standards that no scanner uses. The
// error names the feature.
func TestRefused(t *testing.T) {
	const markSOF2, markSOF9 = 0xC2, 0xC9 // progressive, arithmetic coding
	mapping := []byte{0xFF, markLSE, 0, 7, 2, 1, 1, 10, 20}
	interval := func(n ...byte) []byte { return append([]byte{0xFF, markDRI, 0, byte(2 + len(n))}, n...) }
	for name, c := range map[string]struct {
		stream string
		edit   func(t *testing.T, s []byte) []byte
		want   string
	}{
		"progressive": {"u8-baseline", func(t *testing.T, s []byte) []byte {
			s[segment(t, s, markSOF0)+1] = markSOF2
			return s
		}, "JPEG process SOF2 is not decoded"},
		"arithmetic": {"mr-extended", func(t *testing.T, s []byte) []byte {
			s[segment(t, s, markSOF1)+1] = markSOF9
			return s
		}, "JPEG process SOF9 is not decoded"},
		"JPEG in colour": {"mr-lossless-sv1", func(t *testing.T, s []byte) []byte {
			at := segment(t, s, markSOF3)
			s[at+3], s[at+9] = 17, 3
			return slices.Insert(s, at+13, 2, 0x11, 0, 3, 0x11, 0)
		}, "3 components for a grey image"},
		"JPEG-LS in colour": {"u8-ls", func(t *testing.T, s []byte) []byte {
			at := segment(t, s, markSOF55)
			s[at+3], s[at+9] = 17, 3
			return slices.Insert(s, at+13, 2, 0x11, 0, 3, 0x11, 0)
		}, "3 components for a grey image"},
		"mapping table": {"u8-ls", func(t *testing.T, s []byte) []byte {
			return slices.Insert(s, segment(t, s, markSOS), mapping...)
		}, "mapping tables are not decoded"},
		"mapped scan": {"u8-ls", func(t *testing.T, s []byte) []byte {
			s[segment(t, s, markSOS)+6] = 1
			return s
		}, "mapping tables and point transforms are not decoded"},
		"point transform": {"u8-ls", func(t *testing.T, s []byte) []byte {
			s[segment(t, s, markSOS)+9] = 2
			return s
		}, "mapping tables and point transforms are not decoded"},
		"wide interval": {"u8-ls", func(t *testing.T, s []byte) []byte {
			return slices.Insert(s, segment(t, s, markSOS), interval(0, 0, 0, 0, 9)...)
		}, "its restart interval is damaged"},
		"no restart markers": {"u8-ls", func(t *testing.T, s []byte) []byte {
			return slices.Insert(s, segment(t, s, markSOS), interval(0, 9)...)
		}, "a restart marker is missing"},
		"another restart marker": {"u8-ls-restarts", func(t *testing.T, s []byte) []byte {
			s[segment(t, s, markRST0+2)+1]++
			return s
		}, "a restart marker is missing"},
		"restart within a row": {"mr-lossless-restarts", func(t *testing.T, s []byte) []byte {
			s[segment(t, s, markDRI)+5]++
			return s
		}, "a restart interval ends within a row"},
		"point transform of all bits": {"mr-lossless-restarts", func(t *testing.T, s []byte) []byte {
			s[segment(t, s, markSOS)+9] = s[segment(t, s, markSOF3)+4]
			return s
		}, "point transform 12 of 12 bits"},
		"a tile without its second part": {"mr-j2k", func(t *testing.T, s []byte) []byte {
			s[segment(t, s, markSOT&0xFF)+11] = 2
			return s
		}, "tile 1 of 1 is incomplete"},
		"JPEG 2000 in colour": {"mr-j2k", func(_ *testing.T, s []byte) []byte {
			s[41] = 3
			return s
		}, "3 components for a grey image"},
		"JPEG 2000 subsampled": {"mr-j2k", func(_ *testing.T, s []byte) []byte {
			s[43] = 2
			return s
		}, "subsampled"},
		"RLE in colour": {"u8-rle", func(_ *testing.T, s []byte) []byte {
			s[0] = 3
			return s
		}, "3 segments, the pixels have 1 bytes"},
	} {
		f := readFact(t, c.stream)
		p, err := f.decode(c.edit(t, f.stream(t)))
		if p != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestCheckHead compares headers with the beginning of streams of every length. A
// matching header is never refused. Another size is refused from the length on at which
// the stream contains its own.
func TestCheckHead(t *testing.T) {
	for _, f := range readFacts(t) {
		stream := f.stream(t)
		other := f.info()
		other.Rows++
		refused := false
		for n := range stream {
			if err := CheckHead(f.Syntax, f.info(), stream[:n]); err != nil {
				t.Fatalf("%s, %d bytes: %v", f.Name, n, err)
			}
			if CheckHead(f.Syntax, other, stream[:n]) != nil {
				refused = true
			} else if refused {
				t.Fatalf("%s: another size is refused from fewer bytes, but not from %d", f.Name, n)
			}
		}
		if want := decoders[f.Syntax] != rle && !bytes.HasPrefix(stream, jp2Signature); refused != want {
			t.Errorf("%s: another size is refused: %v", f.Name, refused)
		}
	}
}
