package codec

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

const uidFirstOrder = "1.2.840.10008.1.2.4.70"

// words returns n pixels of alloc bits, 8 or 16, with the values of at.
func words(alloc, n int, at func(i int) int) []byte {
	var out []byte
	for i := range n {
		if out = append(out, byte(at(i))); alloc == 16 {
			out = append(out, byte(at(i)>>8))
		}
	}
	return out
}

// TestEncodeJPEGLossless: pixels survive encoding and decoding bit for bit, in every
// precision, for images of one row or column, constant images, noise, and steps over the
// whole range and over half of it (the difference 32768 has its own category).
func TestEncodeJPEGLossless(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for precision := 2; precision <= 16; precision++ {
		most := 1<<precision - 1
		for name, at := range map[string]func(i int) int{
			"zero":  func(int) int { return 0 },
			"half":  func(int) int { return (most + 1) / 2 },
			"ends":  func(i int) int { return i % 2 * most },
			"steps": func(i int) int { return i % 2 * (most + 1) / 2 },
			"ramp":  func(i int) int { return i & most },
			"noise": func(int) int { return int(rng.Uint32()) & most },
			"rare":  func(int) int { return (1 << rng.IntN(precision)) * rng.IntN(2) },
		} {
			for _, size := range [][2]int{{1, 1}, {1, 2}, {1, 127}, {127, 1}, {3, 5}, {64, 64}, {31, 33}} {
				for _, alloc := range []int{8, 16} {
					if precision > alloc {
						continue
					}
					info := Info{Rows: size[0], Cols: size[1], BitsAllocated: alloc}
					once := make([]int, info.pixels())
					for i := range once {
						once[i] = at(i)
					}
					pixels := words(alloc, info.pixels(), func(i int) int { return once[i] })
					stream := EncodeJPEGLossless(pixels, info, precision)
					back, err := Decode(uidFirstOrder, info, [][]byte{stream})
					if err != nil || !bytes.Equal(back, pixels) || len(stream)%2 != 0 {
						t.Errorf("%d of %d bits, %v, %s: %d bytes, %v", precision, alloc, size, name, len(stream), err)
					}
				}
			}
		}
	}
}

// TestSignedWords: sign-extended words survive if they are encoded with the precision of
// the whole word.
func TestSignedWords(t *testing.T) {
	info := Info{Rows: 3, Cols: 4, BitsAllocated: 16, Signed: true}
	pixels := words(16, 12, func(i int) int { return 700*i - 2048 })
	back, err := Decode(uidFirstOrder, info, [][]byte{EncodeJPEGLossless(pixels, info, 16)})
	if err != nil || !bytes.Equal(back, pixels) {
		t.Errorf("%v: % x, want % x", err, back, pixels)
	}
}

// TestAsSmallAsOthers encodes the images that DCMTK and libjpeg-turbo encoded with
// predictor 1 and optimal tables: the entropy-coded data are not longer than theirs.
func TestAsSmallAsOthers(t *testing.T) {
	compared := 0
	for _, f := range readFacts(t) {
		stream := f.stream(t)
		var theirs jpegFrame
		scan, err := theirs.readSegments(stream)
		if err != nil || theirs.process != markSOF3 || theirs.start != 1 || theirs.pointTransform != 0 || theirs.restartInterval != 0 {
			continue
		}
		pixels, err := f.decode(stream)
		if err != nil {
			t.Fatal(err)
		}
		info := f.info()
		info.Signed = false
		mask := 1<<theirs.precision - 1
		pixels = words(f.Allocated, info.pixels(), func(i int) int { return int(pixel(pixels, i, f.Allocated)) & mask })
		var ours jpegFrame
		own, err := ours.readSegments(EncodeJPEGLossless(pixels, info, theirs.precision))
		if err != nil || ours.precision != theirs.precision || ours.start != 1 {
			t.Fatalf("%s: %v, %d bits, predictor %d", f.Name, err, ours.precision, ours.start)
		}
		length := func(scan []byte) int {
			return bytes.LastIndex(scan, []byte{0xFF, markEOI}) - bytes.Count(scan, []byte{0xFF, 0})
		}
		if compared++; length(own) > length(scan) {
			t.Errorf("%s: %d bytes, %s has %d", f.Name, length(own), f.By, length(scan))
		}
	}
	if compared < 3 {
		t.Errorf("%d streams compared", compared)
	}
}

// TestHuffmanLengths: there is no code of all ones and none longer than 16 bits, and an
// exhaustive search finds no table with fewer bits.
func TestHuffmanLengths(t *testing.T) {
	var fibonacci [17]int // without a limit it needs codes of 17 bits
	fibonacci[0], fibonacci[1] = 1, 1
	for i := 2; i < 17; i++ {
		fibonacci[i] = fibonacci[i-1] + fibonacci[i-2]
	}
	reversed := fibonacci
	slices.Reverse(reversed[:])
	rng := rand.New(rand.NewPCG(5, 6))
	counts := [][17]int{{5: 9}, {0: 1, 16: 1}, fibonacci, reversed, {}}
	for i := range counts[4] {
		counts[4][i] = 1
	}
	for n := 1; n <= 17; n++ {
		for range 20 {
			var c [17]int
			for _, s := range rng.Perm(17)[:n] {
				c[s] = 1 << rng.IntN(20)
			}
			counts = append(counts, c)
		}
	}
	for _, count := range counts {
		lengths, values := huffmanLengths(count)
		total, at, taken := 0, 0, 0
		for i, n := range lengths {
			for range n {
				total += count[values[at]] * (i + 1)
				taken += 1 << (15 - i)
				at++
			}
		}
		if at != len(values) || taken >= 1<<16 {
			t.Errorf("%v: lengths %v for %v leave no code unused", count, lengths, values)
		}
		if want := fewestBits(count); total != want {
			t.Errorf("%v: %d bits, the best table takes %d", count, total, want)
		}
	}
}

// fewestBits tries all numbers of codes of each length in a tree with one unused leaf,
// giving shorter codes to more frequent symbols, and returns the smallest total.
func fewestBits(count [17]int) int {
	sorted := []int{0}
	for _, n := range count {
		if n > 0 {
			sorted = append(sorted, n)
		}
	}
	slices.Sort(sorted)
	slices.Reverse(sorted)
	const impossible = 1 << 40
	known := map[[3]int]int{}
	var try func(done, length, open int) int // open is the number of nodes of this depth
	try = func(done, length, open int) int {
		left := len(sorted) - done
		switch {
		case left == 0:
			return 0
		case length > 16 || open == 0:
			return impossible
		}
		state := [3]int{done, length, min(open, left)}
		if best, ok := known[state]; ok {
			return best
		}
		best, bits := impossible, 0
		for leaves := 0; leaves <= min(open, left); leaves++ {
			if leaves > 0 {
				bits += sorted[done+leaves-1] * length
			}
			best = min(best, bits+try(done+leaves, length+1, 2*(min(open, left)-leaves)))
		}
		known[state] = best
		return best
	}
	return try(0, 1, 2)
}

// TestStream compares the stream of a constant image with T.81 annex B.
func TestStream(t *testing.T) {
	info := Info{Rows: 258, Cols: 3, BitsAllocated: 16}
	stream := EncodeJPEGLossless(words(16, info.pixels(), func(int) int { return 2048 }), info, 12)
	want := "ffd8" +
		"ffc3000b" + "0c01020003" + "01011100" + // 12 bits, 258 rows of 3, one component
		"ffc40014" + "00" + "01" + strings.Repeat("00", 15) + "00" + // one code, of one bit, for category 0
		"ffda0008" + "010100" + "010000" + // predictor 1
		strings.Repeat("00", 96) + "03" + // 774 bits, and two ones
		"ffd9"
	if got := hex.EncodeToString(stream); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
