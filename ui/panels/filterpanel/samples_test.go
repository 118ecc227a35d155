package filterpanel

import (
	"image"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"quell/ui/palette"
	"quell/ui/tile"
	"quell/volume"
)

// flat is the region with one value everywhere.
func flat(value float32) *tile.Picture {
	v := volume.New(volume.Geometry{Dims: [3]int{SampleColumns, SampleRows, 1}, Spacing: [3]float64{1, 1, 1}, Affine: volume.Affine{{1}, {0, 1}, {0, 0, 1}}})
	for i := range v.Data {
		v.Data[i] = value
	}
	return tile.Of(v.View(v.Acquired()), v)
}

// A preset shows the original left of the line and its result right of it; the line follows the pointer in all pictures, and a
// click says where the region is to go.
func TestAPresetIsSplit(t *testing.T) {
	test.NewTempApp(t)
	moved := [2]int{-1, -1}
	l := NewPresetList(func(column, row int) { moved = [2]int{column, row} })
	taken := ""
	place := tile.Place{Window: volume.Window{Center: 127.5, Width: 255, Exact: true}}
	before := flat(100)
	display := func(after *tile.Picture) {
		l.Display("Slice 1", before, place, []Preset{
			{Title: "one", Detail: "d", After: after, Take: func() { taken = "one" }},
			{Title: "two", Marked: true, Take: func() { taken = "two" }},
		})
	}
	display(nil)
	grey := func(cell, x int) uint8 {
		return l.cells[cell].picture.draw(sampleWidth, sampleHeight).(*image.RGBA).RGBAAt(x, 50).R
	}
	if grey(0, 10) != 100 || grey(0, 200) != 100 {
		t.Errorf("before there is a result, %d and %d", grey(0, 10), grey(0, 200))
	}
	display(flat(200))
	if grey(0, 10) != 100 || grey(0, 200) != 200 || grey(1, 200) != 100 || grey(0, sampleWidth/2-1) != palette.Picture.Letters.R {
		t.Errorf("%d left, %d right, %d in the preset without a result, %d on the line", grey(0, 10), grey(0, 200), grey(1, 200), grey(0, sampleWidth/2-1))
	}
	p := l.cells[1].picture
	p.Resize(p.MinSize())
	p.MouseIn(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(sampleWidth/4, 9)}})
	if grey(0, 40) != 100 || grey(0, 60) != 200 {
		t.Errorf("the line stays: %d and %d", grey(0, 40), grey(0, 60))
	}
	p.MouseOut()
	if grey(0, 60) != 100 || grey(0, 110) != 200 {
		t.Error("the line does not go back")
	}
	p.Tapped(&fyne.PointEvent{Position: fyne.NewPos(21, 41)})
	if moved != [2]int{10, 20} {
		t.Errorf("a click asks for %v; want the pixel below it", moved)
	}
	for i, want := range []string{"one", "two"} {
		if test.Tap(l.cells[i].take); taken != want {
			t.Errorf("button %d takes %q", i, taken)
		}
	}
	if l.cells[0].take.Importance == l.cells[1].take.Importance {
		t.Error("the present recipe is not marked")
	}
}
