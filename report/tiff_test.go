package report_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"strings"
	"testing"

	"golang.org/x/image/tiff"

	"quell/report"
)

// texts returns the texts in the directory of a TIFF by their tags, which must rise.
func texts(t *testing.T, file []byte) map[uint16]string {
	t.Helper()
	order, found, last := binary.LittleEndian, map[uint16]string{}, uint16(0)
	at := order.Uint32(file[4:])
	if at%2 != 0 {
		t.Errorf("the directory begins at byte %d", at)
	}
	for i := range int(order.Uint16(file[at:])) {
		e := file[int(at)+2+12*i:]
		tag, kind, n, from := order.Uint16(e), order.Uint16(e[2:]), order.Uint32(e[4:]), order.Uint32(e[8:])
		if tag <= last {
			t.Errorf("tag %d follows %d", tag, last)
		}
		if last = tag; kind == 2 {
			found[tag] = string(file[from : from+n])
		}
	}
	return found
}

// A TIFF reads as the picture that it was, of odd and even sizes, with a description or without.
func TestTIFF(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {7, 5}, {64, 33}} {
		m := image.NewRGBA(image.Rectangle{Max: size})
		for i := range m.Pix {
			m.Pix[i] = uint8(i * 37)
			if i%4 == 3 {
				m.Pix[i] = 255
			}
		}
		for _, label := range []string{"", "slice 4 / 7, σ = 3", "even"} {
			file, err := report.TIFF(m, label)
			if err != nil {
				t.Fatal(err)
			}
			read, err := tiff.Decode(bytes.NewReader(file))
			if err != nil || read.Bounds() != m.Rect {
				t.Fatalf("read back %v, %v", read, err)
			}
			for y := range size.Y {
				for x := range size.X {
					if got := color.RGBAModel.Convert(read.At(x, y)); got != m.At(x, y) {
						t.Fatalf("pixel (%d, %d) is %v, not %v", x, y, got, m.At(x, y))
					}
				}
			}
			got, want := texts(t, file), map[uint16]string{305: report.TIFFMark, 270: label + "\x00"}
			if label == "" {
				delete(want, 270)
			}
			if len(got) != len(want) || got[305] != want[305] || got[270] != want[270] {
				t.Errorf("texts %v, want %v", got, want)
			}
			if !strings.HasSuffix(string(file), report.TIFFMark) {
				t.Error("the file does not end with its mark")
			}
		}
	}
}
