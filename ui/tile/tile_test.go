package tile

import (
	"image"
	"testing"

	"quell/volume"
)

// ramp is a picture of 100 x 50 pixels whose value is the column.
func ramp(pixel [2]float64) *Picture {
	m := &Picture{Size: [2]int{100, 50}, pixel: pixel}
	for range 50 {
		for x := range 100 {
			m.values = append(m.values, float32(x))
		}
	}
	return m
}

// At 2:1 a tile shows every pixel twice in a row, around the centre, but not beyond the picture.
func TestATileShowsTheRegion(t *testing.T) {
	m := ramp([2]float64{1, 1})
	p := Place{Zoom: 2, Centre: [2]float64{50, 25}, Window: volume.Window{Center: 127.5, Width: 255, Exact: true}}
	grey := func(p Place, x int) uint8 { return p.Draw(m, 40, 40).(*image.RGBA).RGBAAt(x, 20).R }
	for x, want := range map[int]uint8{0: 40, 1: 40, 2: 41, 20: 50, 39: 59} {
		if got := grey(p, x); got != want {
			t.Errorf("pixel %d shows %d; want %d", x, got, want)
		}
	}
	p.Centre = [2]float64{2, 2}
	if got := grey(p, 0); got != 0 {
		t.Errorf("at the border the tile begins with %d; want 0", got)
	}
	if at := p.PixelAt(m, 20, 20, 40, 40); at != [2]float64{10, 10} {
		t.Errorf("the middle is at %v", at)
	}
}

// All of a picture fits into a tile, with square pixels.
func TestATileShowsAll(t *testing.T) {
	p := Place{}
	if sx, sy := p.scale(ramp([2]float64{1, 2}), 200, 200); sx != 2 || sy != 4 {
		t.Errorf("scales %g, %g", sx, sy)
	}
	if q := p.Zoomed(1); q.Zoom != 2 || q.Zoomed(-1).Zoom != 0 || (Place{Zoom: mostZoom}).Zoomed(1).Zoom != mostZoom {
		t.Errorf("zoom %d", q.Zoom)
	}
}
