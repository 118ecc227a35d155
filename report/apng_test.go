package report_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"
	"testing"

	"quell/report"
)

// chunks splits a PNG, whose sums must be right.
func chunks(t *testing.T, file []byte) (kinds []string, data [][]byte) {
	t.Helper()
	if !bytes.HasPrefix(file, []byte("\x89PNG\r\n\x1a\n")) {
		t.Fatal("no PNG")
	}
	for file = file[8:]; len(file) > 0; {
		n := binary.BigEndian.Uint32(file)
		if crc32.ChecksumIEEE(file[4:8+n]) != binary.BigEndian.Uint32(file[8+n:]) {
			t.Errorf("the sum of %s is wrong", file[4:8])
		}
		kinds, data = append(kinds, string(file[4:8])), append(data, file[8:8+n])
		file = file[12+n:]
	}
	return kinds, data
}

// stills takes an animated PNG apart: each picture becomes a PNG of its own, which image/png reads.
func stills(t *testing.T, file []byte) (all []image.Image) {
	t.Helper()
	kinds, data := chunks(t, file)
	var header, pixels []byte
	sequence := uint32(0)
	expect := func(d []byte) {
		if got := binary.BigEndian.Uint32(d); got != sequence {
			t.Errorf("sequence number %d, want %d", got, sequence)
		}
		sequence++
	}
	write := func(kind string, d []byte) []byte {
		c := append(binary.BigEndian.AppendUint32(nil, uint32(len(d))), kind...)
		c = append(c, d...)
		return binary.BigEndian.AppendUint32(c, crc32.ChecksumIEEE(c[4:]))
	}
	end := func() {
		if pixels == nil {
			return
		}
		still := append([]byte("\x89PNG\r\n\x1a\n"), write("IHDR", header)...)
		still = append(append(still, write("IDAT", pixels)...), write("IEND", nil)...)
		m, err := png.Decode(bytes.NewReader(still))
		if err != nil {
			t.Fatalf("picture %d: %v", len(all), err)
		}
		all, pixels = append(all, m), nil
	}
	for i, kind := range kinds {
		switch d := data[i]; kind {
		case "IHDR":
			header = d
		case "fcTL":
			end()
			expect(d)
			if !bytes.Equal(d[4:12], header[:8]) || !bytes.Equal(d[12:20], make([]byte, 8)) || binary.BigEndian.Uint16(d[20:]) != 1 || binary.BigEndian.Uint16(d[22:]) != 10 {
				t.Errorf("a picture is placed so: %v", d)
			}
		case "fdAT":
			expect(d)
			pixels = append(pixels, d[4:]...)
		case "IDAT", "IEND":
			if pixels = append(pixels, d...); kind == "IEND" {
				end()
			}
		}
	}
	return all
}

// An animated PNG has its pictures with their values, in grey and in colours, its mark and description, and is a PNG of the
// first picture for programs that know no animation.
func TestAPNG(t *testing.T) {
	size := image.Rect(0, 0, 301, 123) // several chunks of data in each
	grey := func(i int) draw.Image { return image.NewGray(size) }
	colour := func(i int) draw.Image { return image.NewRGBA(size) }
	for name, drawn := range map[string]func(int) draw.Image{"grey": grey, "colour": colour} {
		var file bytes.Buffer
		a := report.NewAPNG(&file, 3, 10, "W 400  L 40")
		var all []draw.Image
		for i := range 3 {
			m := drawn(i)
			for y := range 123 {
				for x := range 301 {
					m.Set(x, y, color.RGBA{uint8(x * y * (i + 3)), uint8(x ^ y), uint8(x*x + i), 255})
				}
			}
			if err := a.Add(m); err != nil {
				t.Fatal(err)
			}
			all = append(all, m)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		kinds, data := chunks(t, file.Bytes())
		if strings.Join(kinds[:5], " ") != "IHDR tEXt acTL iTXt fcTL" || kinds[5] != "IDAT" || kinds[len(kinds)-1] != "IEND" {
			t.Errorf("%s: chunks %v", name, kinds)
		}
		if !bytes.Equal(data[2], []byte{0, 0, 0, 3, 0, 0, 0, 0}) || !bytes.Contains(file.Bytes()[:256], []byte(report.CineMark)) || !strings.HasSuffix(string(data[3]), "W 400  L 40") {
			t.Errorf("%s: acTL %v, texts %q %q", name, data[2], data[1], data[3])
		}
		got := stills(t, file.Bytes())
		if first, err := png.Decode(bytes.NewReader(file.Bytes())); err != nil || len(got) != 3 {
			t.Fatalf("%s: %d pictures, %v", name, len(got), err)
		} else {
			got = append(got, first)
		}
		for i, m := range got {
			want := all[i%3]
			for y := range 123 {
				for x := range 301 {
					if color.RGBAModel.Convert(m.At(x, y)) != color.RGBAModel.Convert(want.At(x, y)) {
						t.Fatalf("%s, picture %d: (%d, %d) is %v, not %v", name, i, x, y, m.At(x, y), want.At(x, y))
					}
				}
			}
		}
	}
}

// Pictures of another size, too few of them and a writer that fails are errors, which stay.
func TestAPNGErrors(t *testing.T) {
	var file bytes.Buffer
	a := report.NewAPNG(&file, 2, 10, "")
	if err := a.Add(image.NewGray(image.Rect(0, 0, 3, 3))); err != nil {
		t.Fatal(err)
	}
	if a.Add(image.NewGray(image.Rect(0, 0, 4, 3))) == nil || a.Add(image.NewGray(image.Rect(0, 0, 3, 3))) == nil || a.Close() == nil {
		t.Error("a picture of another size is taken")
	}
	a = report.NewAPNG(&file, 2, 10, "")
	if a.Add(image.NewGray(image.Rect(0, 0, 3, 3))) != nil || a.Close() == nil {
		t.Error("a picture is missing, and that is no error")
	}
	if report.NewAPNG(&file, 1, 10, "").Add(image.NewPaletted(image.Rect(0, 0, 3, 3), color.Palette{color.Black, color.White})) == nil {
		t.Error("a palette is taken")
	}
	if report.NewAPNG(full{}, 1, 10, "").Add(image.NewGray(image.Rect(0, 0, 3, 3))) == nil {
		t.Error("a full disk is no error")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, bytes.ErrTooLarge }
