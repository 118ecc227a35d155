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

// TestManyTiles decodes a stream whose header has one pixel per tile, more tiles than
// the stream can contain.
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
