package codec

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fact is the result of another decoder for a stream of testdata (make.py).
type fact struct {
	Name, Syntax string
	Rows, Cols   int
	Allocated    int
	Stored       int
	Signed       bool
	SHA256       string // of the stored bits of all pixels, as 32-bit numbers
	By           string // the program
	Within       int    // largest difference of a pixel; 0 for equality
}

func (f *fact) info() Info {
	return Info{Rows: f.Rows, Cols: f.Cols, BitsAllocated: f.Allocated, Signed: f.Signed}
}

func (f *fact) stream(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", f.Name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (f *fact) decode(stream []byte) ([]byte, error) {
	return Decode(f.Syntax, f.info(), [][]byte{stream})
}

func readFacts(t testing.TB) []fact {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "facts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var facts []fact
	if err := json.Unmarshal(b, &facts); err != nil {
		t.Fatal(err)
	}
	return facts
}

// pixel returns pixel i with all allocated bits.
func pixel(pixels []byte, i, allocated int) uint32 {
	switch allocated {
	case 8:
		return uint32(pixels[i])
	case 16:
		return uint32(binary.LittleEndian.Uint16(pixels[2*i:]))
	default:
		return binary.LittleEndian.Uint32(pixels[4*i:])
	}
}

func storedBits(f *fact, pixels []byte) []uint32 {
	out := make([]uint32, f.Rows*f.Cols)
	for i := range out {
		out[i] = pixel(pixels, i, f.Allocated) & (1<<f.Stored - 1)
	}
	return out
}

// TestFacts decodes every stream, in parallel: lossless ones to their source, lossy ones
// to the pixels of DCMTK, OpenJPEG and libjpeg.
func TestFacts(t *testing.T) {
	facts := readFacts(t)
	syntaxes := map[string]bool{}
	for _, f := range facts {
		syntaxes[f.Syntax] = true
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			got, err := f.decode(f.stream(t))
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != f.info().bytes() {
				t.Fatalf("%d bytes, want %d", len(got), f.info().bytes())
			}
			stored := storedBits(&f, got)
			if f.Within > 0 {
				compareWithin(t, &f, stored)
				return
			}
			raw := make([]byte, 0, 4*len(stored))
			for _, v := range stored {
				raw = binary.LittleEndian.AppendUint32(raw, v)
			}
			if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != f.SHA256 {
				t.Errorf("the pixels differ from those of %s", f.By)
			}
			checkSign(t, &f, got)
		})
	}
	for uid := range decoders {
		if !syntaxes[uid] {
			t.Errorf("no stream tests %s", uid)
		}
	}
}

// checkSign checks that the bits above the stored ones are the sign of signed pixels and
// zero for unsigned ones.
func checkSign(t *testing.T, f *fact, pixels []byte) {
	t.Helper()
	left := 32 - f.Stored
	for i, v := range storedBits(f, pixels) {
		if f.Signed {
			v = uint32(int32(v<<left)>>left) << (32 - f.Allocated) >> (32 - f.Allocated)
		}
		if p := pixel(pixels, i, f.Allocated); p != v {
			t.Fatalf("pixel %d is %#x, want %#x", i, p, v)
		}
	}
}

func compareWithin(t *testing.T, f *fact, stored []uint32) {
	t.Helper()
	want, err := os.ReadFile(filepath.Join("testdata", f.Name+".pixels"))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range stored {
		if w := int(binary.LittleEndian.Uint16(want[2*i:])); max(int(v)-w, w-int(v)) > f.Within {
			t.Fatalf("pixel %d is %d, %s has %d", i, v, f.By, w)
		}
	}
}

// TestFragments decodes a frame from several fragments, which must not change.
func TestFragments(t *testing.T) {
	for _, f := range readFacts(t) {
		whole := f.stream(t)
		want, err := f.decode(whole)
		if err != nil {
			t.Fatal(err)
		}
		copied := slices.Clone(whole)
		n := len(whole) / 3
		got, err := Decode(f.Syntax, f.info(), [][]byte{copied[:n], copied[n : 2*n], copied[2*n:]})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s in three fragments: %v", f.Name, err)
		}
		if !slices.Equal(copied, whole) {
			t.Errorf("%s: the fragments were changed", f.Name)
		}
	}
}

// TestHeaderAndStreamDiffer decodes streams under headers with another size: an error,
// except for RLE, since its streams have no size.
func TestHeaderAndStreamDiffer(t *testing.T) {
	for _, f := range readFacts(t) {
		if f.Syntax == "1.2.840.10008.1.2.5" {
			continue
		}
		stream := f.stream(t)
		for _, change := range []func(*Info){
			func(i *Info) { i.Rows++ },
			func(i *Info) { i.Cols++ },
			func(i *Info) { i.Rows, i.Cols = i.Cols+1, i.Rows },
			func(i *Info) { i.Rows, i.Cols = 65535, 65535 },
			func(i *Info) { i.Rows = 0 },
			func(i *Info) { i.BitsAllocated = 12 },
		} {
			info := f.info()
			change(&info)
			if _, err := Decode(f.Syntax, info, [][]byte{stream}); err == nil {
				t.Errorf("%s decodes as %+v", f.Name, info)
			}
		}
		if info := f.info(); f.Stored > 8 {
			info.BitsAllocated = 8
			if _, err := Decode(f.Syntax, info, [][]byte{stream}); err == nil {
				t.Errorf("%s decodes to 8 bits", f.Name)
			}
		}
	}
}

// baselineRamp returns a JPEG stream of 256 x 256 pixels that rise from 0 to 255 row by
// row, and its decoded pixels.
func baselineRamp(t *testing.T) (stream, pixels []byte, info Info) {
	t.Helper()
	const side = 256
	ramp := image.NewGray(image.Rect(0, 0, side, side))
	for i := range ramp.Pix {
		ramp.Pix[i] = byte(i / side)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, ramp, nil); err != nil {
		t.Fatal(err)
	}
	info = Info{Rows: side, Cols: side, BitsAllocated: 8}
	pixels, err := Decode("1.2.840.10008.1.2.4.50", info, [][]byte{b.Bytes()})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), pixels, info
}

// TestMislabelledJPEG decodes a DCT stream, smaller than any lossless one, under the
// transfer syntaxes of lossless JPEG.
func TestMislabelledJPEG(t *testing.T) {
	stream, want, info := baselineRamp(t)
	if len(stream) > len(want)/8 {
		t.Fatalf("%d bytes could be a lossless stream", len(stream))
	}
	for _, uid := range []string{"1.2.840.10008.1.2.4.57", "1.2.840.10008.1.2.4.70"} {
		if got, err := Decode(uid, info, [][]byte{stream}); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v", uid, err)
		}
	}
}

// TestClippedToWhite decodes a stream of 8 bits under a header of 7: values above the
// header's white, which DCT gives near sharp edges, are clipped.
func TestClippedToWhite(t *testing.T) {
	stream, want, info := baselineRamp(t)
	info.Bits = 7
	got, err := Decode("1.2.840.10008.1.2.4.50", info, [][]byte{stream})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Max(want) < 200 {
		t.Fatalf("the brightest pixel is %d", slices.Max(want))
	}
	for i, w := range want {
		if got[i] != min(w, 127) {
			t.Fatalf("pixel %d is %d, want %d", i, got[i], min(w, 127))
		}
	}
}

// TestSignMismatch decodes a stream of unsigned 12-bit pixels under a header with signed
// ones: the header is used, and bit 11 is the sign.
func TestSignMismatch(t *testing.T) {
	for _, f := range readFacts(t) {
		if f.Name != "column-j2k" && f.Name != "column-extended" {
			continue
		}
		plain, err := f.decode(f.stream(t))
		if err != nil {
			t.Fatal(err)
		}
		f.Signed = true
		signed, err := f.decode(f.stream(t))
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Rows * f.Cols {
			u, s := int16(pixel(plain, i, 16)), int16(pixel(signed, i, 16))
			if want := u << 4 >> 4; s != want {
				t.Fatalf("%s: %d reads as %d, want %d", f.Name, u, s, want)
			}
		}
	}
}

// TestCanHold pins the largest number of pixels that each codec accepts for a length of
// stream.
func TestCanHold(t *testing.T) {
	for _, c := range []struct {
		uid       string
		n, pixels int64 // the most pixels for n bytes
	}{
		{"1.2.840.10008.1.2.5", 10, 640 + 63},
		{"1.2.840.10008.1.2.4.50", 10, 2560 + 255},
		{"1.2.840.10008.1.2.4.57", 10, 2560 + 255},
		{"1.2.840.10008.1.2.4.80", 10, 1 << 22},
		{"1.2.840.10008.1.2.4.80", 1 << 10, 1<<24 + 1<<14 - 1},
		{"1.2.840.10008.1.2.4.90", 0, 1 << 22},
		{"1.2.840.10008.1.2.4.201", 1 << 10, 1<<24 + 1<<14 - 1},
	} {
		if !CanHold(c.uid, c.pixels, c.n) || CanHold(c.uid, c.pixels+1, c.n) {
			t.Errorf("%s: the most pixels for %d bytes are not %d", c.uid, c.n, c.pixels)
		}
	}
	if CanHold("1.2.840.10008.1.2", 1, 1) {
		t.Error("an uncompressed syntax has no streams")
	}
}

// TestImpossibleSize: images beyond 65536 rows or columns, or without any, are refused
// before the stream is read.
func TestImpossibleSize(t *testing.T) {
	for _, info := range []Info{
		{Rows: 1<<16 + 1, Cols: 1}, {Rows: 1, Cols: 1<<16 + 1}, {Rows: 0, Cols: 1}, {Rows: 1, Cols: 0}, {Rows: -1, Cols: -1},
	} {
		info.BitsAllocated = 8
		if _, err := Decode("1.2.840.10008.1.2.5", info, [][]byte{make([]byte, 1<<12)}); err == nil || !strings.Contains(err.Error(), "an image of") {
			t.Errorf("%d x %d: %v", info.Cols, info.Rows, err)
		}
	}
}

// TestDecoderPanic: a decoder that panics gives an error.
func TestDecoderPanic(t *testing.T) {
	const uid = "1.2.3"
	decoders[uid] = &decoder{"Broken", func([]byte, Info) ([]byte, error) {
		var none []byte
		return none[1:2], nil
	}, 0, nil}
	defer delete(decoders, uid)
	p, err := Decode(uid, Info{Rows: 1, Cols: 1, BitsAllocated: 8}, [][]byte{{0}})
	if p != nil || err == nil || !strings.Contains(err.Error(), "Broken decoder failed") {
		t.Errorf("%v, %v", p, err)
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, f := range readFacts(b) {
		if !strings.HasPrefix(f.Name, "mr-") {
			continue
		}
		stream := f.stream(b)
		b.Run(f.Name, func(b *testing.B) {
			b.SetBytes(int64(f.info().bytes()))
			for b.Loop() {
				if _, err := f.decode(stream); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
