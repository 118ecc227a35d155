package viewer

import (
	"slices"
	"testing"

	"quell/volume"
)

// flat is a job of a 16 x 16 original of 10 and a result of 90 in a window of 0 to 100,
// drawn on 32 x 32 pixels.
func flat() Job {
	v := volume.New(volume.NewGeometry([3]int{16, 16, 2}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = 10
	}
	result := v.Clone()
	for i := range result.Data {
		result.Data[i] = 90
	}
	j := Job{Source: v, Result: result, View: v.View(volume.Axial), Zoom: 1, Window: volume.Window{Center: 50, Width: 100, Exact: true}}
	for role := range j.Panes {
		j.Panes[role] = Pane{Width: 32, Height: 32}
	}
	return j
}

// greys returns the greys of a row of the denoised pane.
func greys(j Job, y int) (out []int) {
	_, frames := (&Renderer{}).Render(j)
	for x := range 32 {
		out = append(out, int(frames[Denoised].Image.RGBAAt(x, y).R))
	}
	return out
}

const greyA, greyB = 26, 230 // of 10 and 90

func TestModesOfComparison(t *testing.T) {
	row := func(at func(x int) int) (out []int) {
		for x := range 32 {
			out = append(out, at(x))
		}
		return out
	}
	constant := func(g int) []int { return row(func(int) int { return g }) }
	left := func(n int) []int {
		return row(func(x int) int {
			if x < n {
				return greyA
			}
			return greyB
		})
	}
	for _, c := range []struct {
		name string
		set  Comparison
		want []int
	}{
		{"off", Comparison{Share: 0.5}, constant(greyB)},
		{"swipe", Comparison{Mode: Swipe, Share: 0.25}, left(8)},
		{"swipe, drawn to the left", Comparison{Mode: Swipe}, constant(greyB)},
		{"swipe, drawn to the right", Comparison{Mode: Swipe, Share: 1}, constant(greyA)},
		{"blink, first", Comparison{Mode: Blink, First: true}, constant(greyA)},
		{"blink, second", Comparison{Mode: Blink}, constant(greyB)},
		{"fade to a quarter", Comparison{Mode: Fade, Share: 0.25}, constant(77)}, // 10 + 80/4 = 30
		{"fade to A", Comparison{Mode: Fade}, constant(greyA)},
		{"fade to B", Comparison{Mode: Fade, Share: 1}, constant(greyB)},
	} {
		j := flat()
		j.Compare = c.set
		if got := greys(j, 5); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v; want %v", c.name, got, c.want)
		}
		j.Before = true
		if got := greys(j, 5); !slices.Equal(got, constant(greyA)) {
			t.Errorf("%s, while Space is held: %v; want side A", c.name, got)
		}
		j.Before, j.Result = false, nil
		if got := greys(j, 5); !slices.Equal(got, constant(greyA)) {
			t.Errorf("%s, without a result: %v; want side A", c.name, got)
		}
	}
}

// The squares of a checkerboard begin with A in the corner of the pane, wherever the
// picture lies, with a line between them.
func TestCheckerboard(t *testing.T) {
	j := flat()
	j.Compare.Mode = Checkerboard
	j.Pan = [2]float64{3, 0} // 6 pixels to the right
	_, frames := (&Renderer{}).Render(j)
	f := frames[Denoised]
	if CheckerSize(32, 32) != 4 || CheckerSize(32, 80) != 4 || CheckerSize(3, 3) != 1 || f.X0 != 6 {
		t.Fatalf("squares of %d, the picture begins at %d", CheckerSize(32, 32), f.X0)
	}
	for y := range 32 {
		for x := f.X0; x < 32; x++ {
			want := greyA
			if (x/4+y/4)%2 == 1 {
				want = greyB
			}
			if x%4 == 0 || y%4 == 0 {
				want = (want + 0x60) / 2
			}
			if got := int(f.Image.RGBAAt(x-f.X0, y).R); got != want {
				t.Fatalf("pixel (%d, %d) is %d; want %d", x, y, got, want)
			}
		}
	}
}

// A base takes the place of the original on side A; the kept picture of another slice is
// compared with its own side A.
func TestTheBaseIsSideA(t *testing.T) {
	j := flat()
	j.Base = j.Source.Clone()
	for i := range j.Base.Data {
		j.Base.Data[i] = 60
	}
	j.Compare = Comparison{Mode: Swipe, Share: 0.5}
	var r Renderer
	picture, frames := r.Render(j)
	if picture.Before[0] != 60 || picture.Residual[0] != -30 || picture.Base != j.Base || picture.FirstName() != "earlier run" {
		t.Errorf("side A is %g, the difference %g", picture.Before[0], picture.Residual[0])
	}
	if a, d := frames[Original].Image.RGBAAt(1, 1).R, frames[Denoised].Image.RGBAAt(1, 1).R; a != 153 || d != 153 {
		t.Errorf("the panes show %d and %d; want the base", a, d)
	}
	next := j
	next.Base, next.Result, next.Index, next.Last = nil, nil, 1, picture
	again, frames := r.Render(next)
	if again.Before[0] != 10 || again.FirstName() != "original" {
		t.Error("the base stays after it was removed")
	}
	if left, right := frames[Denoised].Image.RGBAAt(1, 1).R, frames[Denoised].Image.RGBAAt(30, 1).R; left != 153/dimming || right != greyB/dimming {
		t.Errorf("the kept picture shows %d and %d", left, right)
	}
}

func TestComparisonOfTheState(t *testing.T) {
	changes := 0
	s := New()
	s.Changed = func() { changes++ }
	s.Compare(Swipe)
	if got := s.Comparison(); got != (Comparison{Mode: Swipe, Share: 0.5}) || changes != 1 {
		t.Fatalf("%+v after %d changes", got, changes)
	}
	s.Alternate() // a swipe does not blink
	s.SetShare(0.5)
	if s.Comparison().First || changes != 1 {
		t.Error("what is set already was set again")
	}
	s.SetShare(0.7)
	s.Compare(Fade)
	if s.Comparison().Share != 0.7 {
		t.Error("another mode moves the divider")
	}
	for share, want := range map[float64]float64{-1: 0, 2: 1} {
		s.SetShare(share)
		if s.Comparison().Share != want {
			t.Errorf("a share of %g gives %g", share, s.Comparison().Share)
		}
		s.Compare(Swipe)
		if s.Comparison().Share != 0.5 {
			t.Errorf("a mode begins with a share of %g, which hides a side", s.Comparison().Share)
		}
		s.Compare(Fade)
	}
	s.Compare(Blink)
	s.Alternate()
	if !s.Comparison().First {
		t.Error("it does not blink")
	}
	s.Open(scene(), volume.Window{})
	if s.Comparison().Mode != Blink {
		t.Error("another series ends the comparison")
	}
	s.Compare(Blink)
	if got := s.Comparison(); got.Mode != Plain || got.First {
		t.Errorf("the same mode again gives %+v; want it off", got)
	}
}

// Where another series has no data, side A is hatched and shows no difference, and measures leave it out.
func TestOutsideTheOtherSeries(t *testing.T) {
	j := flat()
	j.Base, j.Other = j.Source.Clone(), true
	j.Base.Mask = make([]bool, len(j.Base.Data))
	for i := range j.Base.Data {
		j.Base.Mask[i] = i%16 >= 4 // the four columns at the left have no data
	}
	j.Compare = Comparison{Mode: Swipe, Share: 0.5}
	var r Renderer
	picture, frames := r.Render(j)
	if picture.FirstName() != "other series" || !picture.Outside(0) || picture.Outside(4) || picture.Residual[0] != 0 || picture.Residual[4] != -80 || picture.Mask[0] || !picture.Mask[4] {
		t.Errorf("outside %v, residual %g and %g", picture.Outside(0), picture.Residual[0], picture.Residual[4])
	}
	hatched := func(role Role, x0, x1 int) (n int) {
		for y := range 32 {
			for x := x0; x < x1; x++ {
				if c := frames[role].Image.RGBAAt(x, y); [3]uint8{c.R, c.G, c.B} == hatchColor {
					n++
				}
			}
		}
		return n
	}
	for _, role := range []Role{Original, Denoised, Residual} {
		lines := 0
		for i := range 8 * 32 {
			if (i%8+i/8)%hatchStep < hatchLine {
				lines++
			}
		}
		if in, out := hatched(role, 0, 8), hatched(role, 8, 32); in != lines || out != 0 {
			t.Errorf("%s: %d pixels are hatched, not %d, and %d elsewhere", role, in, lines, out)
		}
	}
	j.Compare = Comparison{Mode: Swipe, Share: 0.125} // the divider cuts the hatching in two
	if _, frames = r.Render(j); hatched(Denoised, 0, 4) == 0 || hatched(Denoised, 4, 32) != 0 {
		t.Errorf("%d pixels of side A are hatched, %d of side B", hatched(Denoised, 0, 4), hatched(Denoised, 4, 32))
	}
	j.Compare = Comparison{}
	if _, frames = r.Render(j); hatched(Denoised, 0, 32) != 0 {
		t.Error("the result alone is hatched")
	}
	own := picture.Own()
	if own.Before[0] != 10 || own.After[0] != 90 || own.Residual[0] != -80 || own.Mask != nil || own.Base != nil {
		t.Errorf("without the other series: %g, %g, %g", own.Before[0], own.After[0], own.Residual[0])
	}
	j.Base.Mask = nil
	if p := Extract(j); p.Mask != nil || p.Outside(0) {
		t.Error("a series that covers everything leaves something out")
	}
}

// The denoised pane shows the series on the screen, and not side A, before it has a result.
func TestTheDenoisedPaneIsOfTheSeries(t *testing.T) {
	j := flat()
	j.Base, j.Result = j.Result, nil
	_, frames := (&Renderer{}).Render(j)
	if a, b := frames[Original].Image.RGBAAt(1, 1).R, frames[Denoised].Image.RGBAAt(1, 1).R; a != greyB || b != greyA {
		t.Errorf("the panes show %d and %d", a, b)
	}
	j.Before = true
	_, frames = (&Renderer{}).Render(j)
	if b := frames[Denoised].Image.RGBAAt(1, 1).R; b != greyB {
		t.Errorf("while side A is held, the pane shows %d", b)
	}
}
