package viewer

import (
	"image"
	"math"
	"slices"
	"testing"

	"quell/volume"
)

// bilinear is the reference of Resample for magnified pictures: each
// screen sample is interpolated between the four pixel centres around it, edge
// pixels repeated beyond the edge.
func bilinear(src []float32, t Transform, x, y int) float64 {
	u := (float64(x)+0.5-t.Origin[0])/t.PixelSize[0] - 0.5
	v := (float64(y)+0.5-t.Origin[1])/t.PixelSize[1] - 0.5
	at := func(c, r int) float64 {
		c, r = min(max(c, 0), t.Size[0]-1), min(max(r, 0), t.Size[1]-1)
		return float64(src[r*t.Size[0]+c])
	}
	c, r := math.Floor(u), math.Floor(v)
	fu, fv := u-c, v-r
	i, j := int(c), int(r)
	return (1-fv)*((1-fu)*at(i, j)+fu*at(i+1, j)) + fv*((1-fu)*at(i, j+1)+fu*at(i+1, j+1))
}

func pattern(w, h int) []float32 {
	out := make([]float32, w*h)
	for i := range out {
		out[i] = float32((i*7919)%101) - 50
	}
	return out
}

func TestMagnifiedPicturesAreBilinear(t *testing.T) {
	src := pattern(9, 7)
	tr := Transform{Scale: 1, Origin: [2]float64{-13.3, 4.7}, PixelSize: [2]float64{5.3, 8.1}, Size: [2]int{9, 7}}
	x0, y0, x1, y1 := tr.Visible(60, 50)
	var r Resampler
	got := r.Resample(nil, src, tr, x0, y0, x1, y1, false)
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			want := bilinear(src, tr, x, y)
			if g := float64(got[(y-y0)*(x1-x0)+x-x0]); !(math.Abs(g-want) <= 1e-3) {
				t.Fatalf("sample (%d, %d) is %g; want %g", x, y, g, want)
			}
		}
	}
}

func TestDeviceResolutionIsExact(t *testing.T) {
	src := pattern(6, 5)
	tr := Transform{Scale: 1, PixelSize: [2]float64{1, 1}, Size: [2]int{6, 5}}
	var r Resampler
	if got := r.Resample(nil, src, tr, 0, 0, 6, 5, false); !slices.Equal(got, src) {
		t.Errorf("one pixel on one sample gives %v; want the values themselves", got)
	}
}

func TestSquaresShowTheValuesThemselves(t *testing.T) {
	src := pattern(3, 2)
	tr := Transform{Scale: 1, PixelSize: [2]float64{4, 4}, Size: [2]int{3, 2}}
	var r Resampler
	got := r.Resample(nil, src, tr, 0, 0, 12, 8, true)
	for i, v := range got {
		if want := src[(i/12/4)*3+i%12/4]; v != want {
			t.Fatalf("sample %d is %g; want %g", i, v, want)
		}
	}
}

func TestReducedPicturesAverageNoiseAway(t *testing.T) {
	const n, k = 240, 6
	src := make([]float32, n*n)
	for i := range src {
		src[i] = float32((i*7919)%1009) / 1009 // white enough, mean 0.5, SD 0.29
	}
	tr := Transform{Scale: 1, PixelSize: [2]float64{1.0 / k, 1.0 / k}, Size: [2]int{n, n}}
	var r Resampler
	got := r.Resample(nil, src, tr, 0, 0, n/k, n/k, false)
	mean, square := 0.0, 0.0
	for _, v := range got {
		mean += float64(v) / float64(len(got))
		square += float64(v) * float64(v) / float64(len(got))
	}
	sd := math.Sqrt(square - mean*mean)
	if math.Abs(mean-0.5) > 0.01 {
		t.Errorf("mean %g; want 0.5 kept", mean)
	}
	// A triangle over 2k samples leaves sqrt(2/(3k)) of white noise's SD along
	// each axis: 0.29 * 2/(3*6) = 0.032. Taking every k-th pixel would keep 0.29.
	if sd > 0.06 {
		t.Errorf("SD %g; want the noise averaged to about 0.03", sd)
	}
}

func TestConstantStaysConstant(t *testing.T) {
	src := slices.Repeat([]float32{42}, 11*5)
	var r Resampler
	for _, size := range []float64{0.13, 0.5, 0.97, 1, 1.7, 23} {
		tr := Transform{Scale: 1, Origin: [2]float64{1.4, -2.2}, PixelSize: [2]float64{size, 1.3 * size}, Size: [2]int{11, 5}}
		x0, y0, x1, y1 := tr.Visible(90, 70)
		for _, v := range r.Resample(nil, src, tr, x0, y0, x1, y1, false) {
			if math.Abs(float64(v)-42) > 1e-4 {
				t.Fatalf("at pixel size %g a constant 42 shows %g", size, v)
			}
		}
	}
}

func job(v *volume.Volume) Job {
	view := v.View(volume.Axial)
	j := Job{Source: v, View: view, Index: 2, Zoom: 1, Window: volume.Window{Center: 120, Width: 240}, Limit: 10}
	for role := range j.Panes {
		j.Panes[role] = Pane{Width: 40, Height: 30}
	}
	return j
}

func TestRenderWithoutAResult(t *testing.T) {
	var r Renderer
	picture, frames := r.Render(job(scene()))
	if picture.After != nil || picture.Residual != nil {
		t.Error("there is a result before anything was filtered")
	}
	if frames[Original].Image == nil || frames[Denoised].Image == nil || frames[Residual].Image != nil {
		t.Error("want the original in two panes and nothing in the residual's")
	}
	if !slices.Equal(frames[Original].Image.Pix, frames[Denoised].Image.Pix) {
		t.Error("without a result the denoised pane differs from the original")
	}
}

func TestResidualIsBeforeMinusAfter(t *testing.T) {
	v := scene()
	for _, part := range []bool{false, true} {
		j := job(v)
		j.Result, j.Part = v.Clone(), part
		for i := range j.Result.Data {
			j.Result.Data[i] -= 3
		}
		if part {
			j.Result = j.Result.Crop(j.View.Region(j.Index))
		}
		var r Renderer
		picture, frames := r.Render(j)
		for i, x := range picture.Residual {
			if x != 3 || picture.After[i] != picture.Before[i]-3 {
				t.Fatalf("part %v: residual %g at %d; want 3", part, x, i)
			}
		}
		want := image.NewRGBA(image.Rect(0, 0, 1, 1))
		volume.Diverging{Limit: 10}.Render(want, []float32{3})
		if got := frames[Residual].Image.Pix[:4]; !slices.Equal(got, want.Pix) {
			t.Errorf("residual 3 of 10 is painted %v; want %v", got, want.Pix)
		}
	}
}

func TestHoldingShowsTheOriginal(t *testing.T) {
	j := job(scene())
	j.Result = volume.New(j.Source.Geometry)
	j.Before = true
	var r Renderer
	_, frames := r.Render(j)
	if !slices.Equal(frames[Original].Image.Pix, frames[Denoised].Image.Pix) {
		t.Error("the denoised pane does not show the original")
	}
}

func TestAFrameOutlivesTheNext(t *testing.T) {
	j := job(scene())
	var r Renderer
	_, first := r.Render(j)
	kept := slices.Clone(first[Original].Image.Pix)
	j.Invert = true
	_, second := r.Render(j)
	if !slices.Equal(first[Original].Image.Pix, kept) {
		t.Error("a frame changed while the next was drawn: it may still be on the screen")
	}
	if slices.Equal(second[Original].Image.Pix, kept) {
		t.Error("the inverted frame equals the first")
	}
	_, third := r.Render(j)
	if first[Original].Image != third[Original].Image {
		t.Error("the buffers are not used in turn")
	}
}

func TestSlicesAreExtractedOnce(t *testing.T) {
	j := job(scene())
	var r Renderer
	first, _ := r.Render(j)
	j.Zoom, j.Window.Width = 2, 50
	if second, _ := r.Render(j); second != first {
		t.Error("zoom or window extracted the slice from the volume again")
	}
	j.Index = 1
	if third, _ := r.Render(j); third == first {
		t.Error("another slice shows the values of the last")
	}
}

func TestWithoutALimitTheResidualScalesItself(t *testing.T) {
	j := job(scene())
	j.Limit = 0
	j.Result = volume.New(j.Source.Geometry)
	var r Renderer
	_, frames := r.Render(j)
	want := float64(slices.Max(j.View.Extract(nil, j.Source, j.Index)))
	if frames[Residual].Limit != want {
		t.Errorf("limit %g; want the largest residual, %g", frames[Residual].Limit, want)
	}
}

func TestHiddenPanesAreNotDrawn(t *testing.T) {
	j := job(scene())
	j.Panes[Denoised].Hidden = true
	var r Renderer
	if _, frames := r.Render(j); frames[Denoised].Image != nil || frames[Original].Image == nil {
		t.Error("a hidden pane was drawn or a visible one was not")
	}
}

func BenchmarkRenderThreePanes(b *testing.B) {
	v := volume.New(volume.NewGeometry([3]int{512, 512, 3}, [3]float64{0.5, 0.5, 5}))
	j := Job{Source: v, Result: v.Clone(), View: v.View(volume.Axial), Index: 1, Zoom: 1.3, Window: volume.Window{Center: 40, Width: 80}, Limit: 10}
	for role := range j.Panes {
		j.Panes[role] = Pane{Width: 420, Height: 540}
	}
	var r Renderer
	for b.Loop() {
		r.Render(j)
	}
}
