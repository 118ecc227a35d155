package codec

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestEncodeRLE: pixels survive encoding and decoding bit for bit, for noise, runs of
// all lengths and both.
func TestEncodeRLE(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, alloc := range []int{8, 16, 32} {
		for _, size := range [][2]int{{1, 1}, {3, 5}, {1, 127}, {2, 128}, {2, 129}, {3, 131}, {2, 300}, {64, 64}} {
			for _, repeats := range []int{1, 2, 3, 130, 1000} {
				info := Info{Rows: size[0], Cols: size[1], BitsAllocated: alloc}
				pixels := make([]byte, info.bytes())
				for i := 0; i < len(pixels); {
					b := byte(rng.Uint32())
					for n := 1 + rng.IntN(repeats); n > 0 && i < len(pixels); n-- {
						pixels[i], i = b, i+1
					}
				}
				stream := EncodeRLE(pixels, info)
				if len(stream)%2 != 0 || binary.LittleEndian.Uint32(stream[4:]) != 64 {
					t.Fatalf("%d bits, %v: stream of %d bytes, first segment at %d", alloc, size, len(stream), binary.LittleEndian.Uint32(stream[4:]))
				}
				// A literal sequence adds a byte per 128 bytes and one per row.
				if most := 64 + len(pixels) + len(pixels)/128 + 2*info.Rows*alloc/8 + alloc/8; len(stream) > most {
					t.Errorf("%d bits, %v: %d bytes for %d", alloc, size, len(stream), len(pixels))
				}
				back, err := Decode("1.2.840.10008.1.2.5", info, [][]byte{stream})
				if err != nil || !bytes.Equal(back, pixels) {
					t.Errorf("%d bits, %v, runs of %d: %v", alloc, size, repeats, err)
				}
			}
		}
	}
}

// TestPackBits encodes the example of the specification of PackBits (TIFF 6.0, section
// 9, and Apple technical note 1023).
func TestPackBits(t *testing.T) {
	row := []byte{0xAA, 0xAA, 0xAA, 0x80, 0x00, 0x2A, 0xAA, 0xAA, 0xAA, 0xAA, 0x80, 0x00, 0x2A, 0x22,
		0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA}
	want := []byte{0xFE, 0xAA, 0x02, 0x80, 0x00, 0x2A, 0xFD, 0xAA, 0x03, 0x80, 0x00, 0x2A, 0x22, 0xF7, 0xAA}
	if got := packBits(nil, row); !bytes.Equal(got, want) {
		t.Errorf("% x, want % x", got, want)
	}
}

// TestPackedRows: two equal bytes are a run at the beginning, three behind literals; both have at most 128 bytes.
func TestPackedRows(t *testing.T) {
	different := make([]byte, 200)
	for i := range different {
		different[i] = byte(i)
	}
	for row, want := range map[string]string{
		"aab": "\xFFa\x00b", "abb": "\x02abb", "abbb": "\x00a\xFEb", "abbc": "\x03abbc", "a": "\x00a", "aa": "\xFFa", "": "",
		strings.Repeat("x", 128): "\x81x", strings.Repeat("x", 129): "\x81x\x00x", strings.Repeat("x", 130): "\x81x\xFFx",
		string(different[:128]): "\x7F" + string(different[:128]), string(different[:129]): "\x7F" + string(different[:128]) + "\x00\x80",
	} {
		if got := string(packBits(nil, []byte(row))); got != want {
			t.Errorf("%q: %q, want %q", row, got, want)
		}
	}
}
