package volume

import (
	"image"
	"math"
	"testing"
)

// TestWindowAgreesWithDICOM compares with the pseudo-code of PS3.3 C.11.2.1.2.1 for
// an output range of 0 to 255.
func TestWindowAgreesWithDICOM(t *testing.T) {
	linear := func(x, c, w float64) float64 {
		switch {
		case x <= c-0.5-(w-1)/2:
			return 0
		case x > c-0.5+(w-1)/2:
			return 255
		}
		return ((x-(c-0.5))/(w-1) + 0.5) * 255
	}
	exact := func(x, c, w float64) float64 {
		switch {
		case x <= c-w/2:
			return 0
		case x > c+w/2:
			return 255
		}
		return ((x-c)/w + 0.5) * 255
	}
	for _, w := range []Window{
		{Center: 40, Width: 400}, {Center: -600, Width: 1500}, {Center: 2048, Width: 4096}, {Center: 0, Width: 2},
		{Center: 0.5, Width: 1, Exact: true}, {Center: 40, Width: 400, Exact: true},
	} {
		want := linear
		if w.Exact {
			want = exact
		}
		const n = 64
		src := make([]float32, n*n)
		for i := range src {
			src[i] = float32(w.Center + w.Width*(float64(i)/(n*n)-0.5)*1.5)
		}
		dst := image.NewRGBA(image.Rect(0, 0, n, n))
		w.Render(dst, src)
		for i, x := range src {
			got := dst.RGBAAt(i%n, i/n)
			if d := math.Abs(float64(got.R) - want(float64(x), w.Center, w.Width)); d > 0.501 {
				t.Fatalf("%+v: %v gives %d, want %.2f", w, x, got.R, want(float64(x), w.Center, w.Width))
			}
			if got.R != got.G || got.R != got.B || got.A != 255 {
				t.Fatalf("%+v: %v gives %v, not an opaque grey", w, x, got)
			}
		}
		inverted := image.NewRGBA(dst.Rect)
		w.RenderInverted(inverted, src)
		for i := range src {
			if a, b := dst.RGBAAt(i%n, i/n), inverted.RGBAAt(i%n, i/n); a.R != 255-b.R || b.A != 255 {
				t.Fatalf("inverted %v beside %v", b, a)
			}
		}
	}
}

func TestWindowOfExtremes(t *testing.T) {
	src := []float32{-math.MaxFloat32, math.MaxFloat32, 0, 1}
	dst := image.NewRGBA(image.Rect(0, 0, 4, 1))
	for _, w := range []Window{{}, {Center: 0.5, Width: 0.5}, {Width: -3}, {Center: 1e30, Width: 1}, {Width: 1e30}} {
		w.Render(dst, src)
		if dst.Pix[0] != 0 {
			t.Errorf("%+v paints the least float %d, want black", w, dst.Pix[0])
		}
		if lo, hi := w.Ends(); !(lo <= hi) {
			t.Errorf("%+v: ends %v, %v", w, lo, hi)
		}
	}
	if lo, hi := (Window{Center: 1}).Ends(); math.Abs(lo-(1-5e-10)) > 1e-15 || math.Abs(hi-(1+5e-10)) > 1e-15 {
		t.Errorf("no width: %v to %v; want 1e-9 around the centre", lo-1, hi-1)
	}
	Window{Center: 0.5, Width: 0.5}.Render(dst, src)
	if dst.Pix[4] != 255 || dst.Pix[8] != 0 || dst.Pix[12] != 255 {
		t.Errorf("0.5/0.5 paints %v", dst.Pix)
	}
}

// LINEAR is not defined at a width of 1; there the ends are as in LINEAR_EXACT.
func TestWindowOfWidthOne(t *testing.T) {
	if lo, hi := (Window{Center: 10, Width: 1}).Ends(); lo != 9.5 || hi != 10.5 {
		t.Errorf("width 1: %v to %v, want 9.5 to 10.5", lo, hi)
	}
	if lo, hi := (Window{Center: 10, Width: 1.5}).Ends(); lo != 9.25 || hi != 9.75 {
		t.Errorf("width 1.5: %v to %v, want 9.25 to 9.75", lo, hi)
	}
}

func TestRenderIntoPartOfAnImage(t *testing.T) {
	whole := image.NewRGBA(image.Rect(0, 0, 4, 4))
	part := whole.SubImage(image.Rect(1, 1, 3, 3)).(*image.RGBA)
	Window{Center: 0, Width: 2, Exact: true}.Render(part, []float32{9, 9, 9, 9})
	Diverging{Limit: 1}.Render(whole.SubImage(image.Rect(0, 0, 1, 1)).(*image.RGBA), []float32{0})
	for y := range 4 {
		for x := range 4 {
			inside := x >= 1 && x < 3 && y >= 1 && y < 3
			if got := whole.RGBAAt(x, y).R == 255; got != inside {
				t.Errorf("pixel %d,%d white: %v, want %v", x, y, got, inside)
			}
		}
	}
}

func TestAutoWindow(t *testing.T) {
	v := New(NewGeometry([3]int{100, 100, 2}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(i % 10000)
	}
	v.Data[7] = 1e9 // one outlier must not set the window
	w := AutoWindow(v)
	lo, hi := w.Ends()
	if math.Abs(lo-10) > 2 || math.Abs(hi-9989) > 2 {
		t.Errorf("window %v to %v, want about 10 to 9989 (0.1 %% tails)", lo, hi)
	}

	v.Mask = make([]bool, len(v.Data))
	if w := AutoWindow(v); w.Width != 1 || w.Center != 0 || !w.Exact {
		t.Errorf("a volume of padding gives %+v", w)
	}
	for i := range 1000 {
		v.Mask[i] = true
	}
	v.Mask[7] = false
	if _, hi := AutoWindow(v).Ends(); hi > 1000 {
		t.Errorf("padding sets the window: white at %v", hi)
	}

	// A small bright object on a constant background must be visible.
	point := New(NewGeometry([3]int{64, 64, 1}, [3]float64{1, 1, 1}))
	point.Data[99] = 50
	if lo, hi := AutoWindow(point).Ends(); lo != 0 || hi != 50 {
		t.Errorf("window %v to %v, want 0 to 50", lo, hi)
	}
	constant := New(NewGeometry([3]int{1, 1, 1}, [3]float64{1, 1, 1}))
	constant.Data[0] = 7
	if w := AutoWindow(constant); w.Width != 1 || w.Center != 7 {
		t.Errorf("a constant volume gives %+v", w)
	}

	// From 1000 voxels on, one at each end does not count; the first voxel is one of the sample.
	for n, want := range map[int][2]float64{999: {0, 998}, 1000: {1, 998}, 1999: {1, 1997}, 2000: {2, 1997}} {
		ramp := New(NewGeometry([3]int{n, 1, 1}, [3]float64{1, 1, 1}))
		for i := range ramp.Data {
			ramp.Data[i] = float32(i)
		}
		if lo, hi := AutoWindow(ramp).Ends(); lo != want[0] || hi != want[1] {
			t.Errorf("%d voxels: window %v to %v, want %v", n, lo, hi, want)
		}
	}
}

func TestPresets(t *testing.T) {
	ct := Presets("CT")
	keys := []Window{
		{Name: "Brain", Width: 80, Center: 40}, {Name: "Stroke", Width: 40, Center: 40},
		{Name: "Abdomen", Width: 400, Center: 50}, {Name: "Liver", Width: 150, Center: 30},
		{Name: "Mediastinum", Width: 350, Center: 50}, {Name: "Lung", Width: 1500, Center: -600},
		{Name: "Bone", Width: 2000, Center: 400}, {Name: "Temporal bone", Width: 2800, Center: 600},
		// in the menu alone
		{Name: "Stroke, narrow", Width: 8, Center: 32}, {Name: "Subdural", Width: 200, Center: 75},
		{Name: "Liver, contrast phase", Width: 150, Center: 90}, {Name: "Angiography", Width: 600, Center: 300},
	}
	if len(ct) != len(keys) {
		t.Fatalf("%d presets", len(ct))
	}
	for i, want := range keys {
		if ct[i] != want {
			t.Errorf("key %d: %+v, want %+v", i+2, ct[i], want)
		}
	}
	ct[0].Center = 1
	if Presets("CT")[0].Center != 40 {
		t.Error("a caller can change the presets")
	}
	if Presets("MR") != nil {
		t.Error("MR has no common scale but has presets")
	}
}

func BenchmarkWindowRender512(b *testing.B) {
	src, dst := slice512()
	w := Window{Center: 40, Width: 400}
	b.SetBytes(int64(4 * len(src)))
	for b.Loop() {
		w.Render(dst, src)
	}
}

// slice512 returns values over a range wider than the window, and a picture.
func slice512() ([]float32, *image.RGBA) {
	src := make([]float32, 512*512)
	for i := range src {
		src[i] = float32(i*2654435761%4096) - 1024
	}
	return src, image.NewRGBA(image.Rect(0, 0, 512, 512))
}

// The foreground of the windows begins a tenth of the range above the background.
func TestRelativeWindows(t *testing.T) {
	v := New(NewGeometry([3]int{100, 101, 1}, [3]float64{1, 1, 1}))
	for i := range v.Data { // 9900 voxels of air at 0 to 9.9, then 100 to 199 once each, of a range of about 200
		if v.Data[i] = float32(i%100) / 10; i >= 5000 {
			v.Data[i] = 100 + float32(i%100)
		}
	}
	got := RelativeWindows(v)
	want := []Window{
		{Name: "Tissue", Center: 149.5, Width: 97}, {Name: "Tissue, narrow", Center: 149.5, Width: 79},
		{Name: "Bright", Center: 174, Width: 49}, {Name: "Dark", Center: 125, Width: 50},
	}
	if len(got) != len(want) {
		t.Fatalf("%v", got)
	}
	for i, w := range want {
		if g := got[i]; g.Name != w.Name || !g.Exact || math.Abs(g.Center-w.Center) > 1 || math.Abs(g.Width-w.Width) > 2 {
			t.Errorf("%+v; want about %+v", g, w)
		}
	}
	v.Mask = make([]bool, len(v.Data))
	if got := RelativeWindows(v); got != nil {
		t.Errorf("a volume of padding has windows %v", got)
	}
	flat := New(NewGeometry([3]int{10, 10, 1}, [3]float64{1, 1, 1}))
	if got := RelativeWindows(flat); len(got) != 0 {
		t.Errorf("a volume of one value has windows %v", got)
	}
}
