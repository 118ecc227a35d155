package main

import (
	"bytes"
	"encoding/binary"
	"image"
	"os"
	"testing"
)

// dump is an X window dump of 3 x 2 pixels with two colours and lines of 16 bytes.
func dump() []byte {
	const header, colours = xwdHeader + 8, 2 // with a name
	b := make([]byte, header+colours*xwdColour+2*16)
	for at, n := range map[int]uint32{0: header, xwdWidth: 3, xwdHeight: 2, xwdBits: 32, xwdStride: 16, xwdColours: colours} {
		binary.BigEndian.PutUint32(b[at:], n)
	}
	for i := range 2 * 16 {
		b[header+colours*xwdColour+i] = byte(i)
	}
	return b
}

func TestThePictureOfADump(t *testing.T) {
	b := dump()
	read := func(b []byte) (frame, error) { return frameOf(bytes.NewReader(b), int64(len(b))) }
	f, err := read(b)
	if err != nil || f.width != 3 || f.height != 2 || f.stride != 16 || b[f.begin] != 0 || b[f.begin+17] != 17 {
		t.Fatalf("%+v, %v", f, err)
	}
	left, right := image.Rect(0, 0, 2, 2), image.Rect(2, 0, 3, 2)
	l, r := f.hash(left), f.hash(right)
	b[f.begin+8]++ // the third pixel of the first line
	if f.hash(left) != l || f.hash(right) == r {
		t.Error("a change is seen in another part than where it is")
	}
	b[f.begin+12]++ // beyond the line
	if f.hash(left) != l {
		t.Error("what lies beyond a line counts")
	}
	binary.BigEndian.PutUint32(b[xwdBits:], 16)
	if _, err := read(b); err == nil {
		t.Error("16 bits a pixel are read")
	}
	for _, short := range []int{0, xwdHeader, len(b) - 1} {
		if _, err := read(dump()[:short]); err == nil {
			t.Errorf("%d bytes are read", short)
		}
	}
}

func TestTimesOfThreads(t *testing.T) {
	name, ms, err := parseStat("24 (llvm) pipe-0) R 1 2 3 4 5 6 7 8 9 10 120 34 0 0 20")
	if err != nil || name != "llvm) pipe-0" || ms != 1540 {
		t.Errorf("%q, %g ms, %v", name, ms, err)
	}
	for _, wrong := range []string{"", "24 llvmpipe R 1", "24 (llvmpipe) R 1 2 3", "24 (llvmpipe) R 1 2 3 4 5 6 7 8 9 10 x 34 0"} {
		if _, _, err := parseStat(wrong); err == nil {
			t.Errorf("%q is read", wrong)
		}
	}
	before := usage{all: 100, opengl: 40, ui: 20}
	if got := (usage{all: 300, opengl: 140, ui: 60}).since(before, 4); got != (usage{all: 50, opengl: 25, ui: 10}) {
		t.Errorf("%+v", got)
	}
	if own, err := usageOf(os.Getpid()); err != nil || own.opengl != 0 || own.ui > own.all {
		t.Errorf("%+v, %v", own, err)
	}
}

func TestQuantiles(t *testing.T) {
	all := []float64{5, 1, 3, 2, 4}
	if quantile(all, 0.5) != 3 || quantile(all, 0.95) != 5 || quantile(all, 1) != 5 || quantile(nil, 0.5) != 0 || all[0] != 5 {
		t.Errorf("%g, %g, %v", quantile(all, 0.5), quantile(all, 0.95), all)
	}
	if got := spread(all); got != "3 (1 to 5)" {
		t.Error(got)
	}
}

// The watched area lies in its pane, apart from the pointer and the column.
func TestPartsOfThePanes(t *testing.T) {
	for _, size := range []image.Point{usual, large} {
		for _, column := range []bool{true, false} {
			b := bench{size: size}
			one, two := b.part(0, column), b.part(1, column)
			end := size.X
			if column {
				end -= columnWidth
			}
			if one.Overlaps(two) || one.Max.X >= end/2 || two.Min.X <= end/2 || two.Max.X >= end || !two.In(image.Rectangle{Max: size}) {
				t.Errorf("%v, column %v: %v and %v", size, column, one, two)
			}
			if image.Pt(size.X/12, size.Y*7/8).In(one) {
				t.Errorf("%v: the pointer is in %v", size, one)
			}
		}
	}
}
