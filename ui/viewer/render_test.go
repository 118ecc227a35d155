package viewer

import (
	"bytes"
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

// reduced is the reference of Resample for reduced pictures: the mean of the samples
// under a triangle of two screen samples' width.
func reduced(src []float32, t Transform, x, y int) float64 {
	sum, weights := 0.0, 0.0
	for row := range t.Size[1] {
		for col := range t.Size[0] {
			w := 1.0
			for c, d := range [2]float64{
				(float64(col)+0.5)*t.PixelSize[0] + t.Origin[0] - float64(x) - 0.5,
				(float64(row)+0.5)*t.PixelSize[1] + t.Origin[1] - float64(y) - 0.5,
			} {
				w *= max(0, 1-math.Abs(d)/max(t.PixelSize[c], 1))
			}
			sum += w * float64(src[row*t.Size[0]+col])
			weights += w
		}
	}
	return sum / weights
}

func TestReducedPicturesAreTriangles(t *testing.T) {
	src := pattern(31, 27)
	var r Resampler
	dst := make([]float32, 31*27)
	for _, size := range [][2]float64{{0.97, 0.95}, {0.61, 0.97}, {0.34, 0.2}, {0.8, 1}} {
		tr := Transform{Scale: 1, Origin: [2]float64{1.3, -2.6}, PixelSize: size, Size: [2]int{31, 27}}
		x0, y0, x1, y1 := tr.Visible(40, 40)
		for i := range dst {
			dst[i] = 1e9 // the remains of a frame before
		}
		dst = r.Resample(dst, src, tr, x0, y0, x1, y1, false)
		for y := y0; y < y1; y++ {
			for x := x0; x < x1; x++ {
				want := reduced(src, tr, x, y)
				if got := float64(dst[(y-y0)*(x1-x0)+x-x0]); !(math.Abs(got-want) <= 1e-3) {
					t.Fatalf("pixel size %v, sample (%d, %d) is %g; want %g", size, x, y, got, want)
				}
			}
		}
		dst = dst[:cap(dst)]
	}
}

// Beyond the picture its edge is repeated.
func TestSamplesBeyondThePicture(t *testing.T) {
	src := []float32{3, 5, 7, 9}
	tr := Transform{Scale: 1, PixelSize: [2]float64{1, 1}, Size: [2]int{2, 2}}
	var r Resampler
	got := r.Resample(nil, src, tr, -2, -1, 4, 3, false)
	if want := []float32{3, 3, 3, 5, 5, 5, 3, 3, 3, 5, 5, 5, 7, 7, 7, 9, 9, 9, 7, 7, 7, 9, 9, 9}; !slices.Equal(got, want) {
		t.Errorf("%v; want %v", got, want)
	}
}

// TestPanesShowTheirValues paints one pixel per voxel: the pane of the original shows
// the values before, the denoised one those after, both in the window.
func TestPanesShowTheirValues(t *testing.T) {
	v := scene()
	j := job(v)
	j.Result = v.Clone()
	for i := range j.Result.Data {
		j.Result.Data[i] = 200 - v.Data[i]
	}
	view := v.View(volume.Coronal) // 0.5 x 3 mm
	j.View, j.Index = view, 2
	for role := range j.Panes {
		j.Panes[role] = Pane{Width: 8, Height: 5 * 6}
	}
	for _, invert := range []bool{false, true} {
		j.Invert = invert
		var r Renderer
		picture, frames := r.Render(j)
		for role, values := range map[Role][]float32{Original: picture.Before, Denoised: picture.After} {
			want := image.NewRGBA(image.Rect(0, 0, 8, 5))
			if invert {
				j.Window.RenderInverted(want, values)
			} else {
				j.Window.Render(want, values)
			}
			got := frames[role].Image
			for row := range 5 {
				y := row*6 + 2 // near the middle of a voxel
				if got.Rect.Dy() != 30 || got.Rect.Dx() != 8 {
					t.Fatalf("%v covers %v", role, got.Rect)
				}
				for col := range 8 {
					if a, b := got.RGBAAt(col, y), want.RGBAAt(col, row); math.Abs(float64(a.R)-float64(b.R)) > 6 || a.A != 255 {
						t.Errorf("%v, inverted %v: pixel (%d, %d) is %v; want %v", role, invert, col, row, a, b)
					}
				}
			}
		}
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

// dimmed says whether a picture is another one in weak light.
func dimmed(got, of []uint8) bool {
	bright := false
	for i := range of {
		if i%4 == 3 && got[i] != of[i] || i%4 != 3 && got[i] > of[i]/2 {
			return false
		}
		bright = bright || i%4 != 3 && of[i] > 20 && got[i] > of[i]/4
	}
	return bright
}

// A pair never shows two slices in full light: until the slice has a result, every way to compare
// shows the one before dimmed and with its number, and the original alone.
func TestAnotherSliceIsDimmed(t *testing.T) {
	for _, mode := range []Comparison{{}, {Mode: Swipe, Share: 0.5}, {Mode: Blink}, {Mode: Blink, First: true}, {Mode: Fade, Share: 0.4}, {Mode: Checkerboard}} {
		j := job(scene())
		j.Index, j.Compare, j.Result = 0, mode, j.Source.Clone()
		for i := range j.Result.Data {
			j.Result.Data[i] += 9
		}
		var r Renderer
		last, first := r.Render(j)
		light := [Roles][]uint8{slices.Clone(first[Original].Image.Pix), slices.Clone(first[Denoised].Image.Pix), slices.Clone(first[Residual].Image.Pix)}
		for _, f := range first {
			if f.Other != 0 {
				t.Errorf("%v: a slice with a result is called slice %d", mode.Mode, f.Other)
			}
		}
		j.Index, j.Result, j.Last = 1, nil, last
		_, second := r.Render(j)
		for _, role := range []Role{Denoised, Residual} {
			if second[role].Other != 1 || !dimmed(second[role].Image.Pix, light[role]) {
				t.Errorf("%v: %v shows slice %d beside slice 2, dimmed %v", mode.Mode, role, second[role].Other, dimmed(second[role].Image.Pix, light[role]))
			}
		}
		if second[Original].Other != 0 || dimmed(second[Original].Image.Pix, light[Original]) {
			t.Errorf("%v: the original is dimmed", mode.Mode)
		}
		j.Before = true
		if _, held := r.Render(j); held[Denoised].Other != 0 || held[Residual].Other != 1 {
			t.Errorf("%v: while the original is held the panes show slices %d and %d", mode.Mode, held[Denoised].Other, held[Residual].Other)
		}
		j.Before, j.Index = false, 0 // the same slice, by an earlier recipe
		if _, same := r.Render(j); same[Denoised].Other != 0 || !slices.Equal(same[Denoised].Image.Pix, light[Denoised]) {
			t.Errorf("%v: an earlier result of the slice itself is dimmed", mode.Mode)
		}
	}
}

// Until there is a result the last one stays, in its panes and at its scale, unless the
// view is another.
func TestTheLastResultStays(t *testing.T) {
	j := job(scene())
	j.Index, j.Limit, j.Result = 0, 0, j.Source.Clone()
	for i := range j.Result.Data {
		j.Result.Data[i] -= 3
	}
	var r Renderer
	last, first := r.Render(j)
	denoised, residual := slices.Clone(first[Denoised].Image.Pix), slices.Clone(first[Residual].Image.Pix)
	j.Index, j.Result, j.Last = 1, nil, last
	picture, second := r.Render(j)
	if picture.Index != 1 || picture.After != nil || !dimmed(second[Denoised].Image.Pix, denoised) ||
		!dimmed(second[Residual].Image.Pix, residual) || second[Residual].Limit != 3 {
		t.Errorf("slice %d, scale %g: want the last result beside the next slice", picture.Index, second[Residual].Limit)
	}
	if slices.Equal(second[Original].Image.Pix, first[Original].Image.Pix) {
		t.Error("the original does not move")
	}
	j.Before = true
	if _, held := r.Render(j); !slices.Equal(held[Denoised].Image.Pix, held[Original].Image.Pix) {
		t.Error("holding does not show the original")
	}
	j.Before, j.Result = false, volume.New(j.Source.Geometry)
	if _, third := r.Render(j); slices.Equal(third[Denoised].Image.Pix, denoised) {
		t.Error("the last result hides that of the slice")
	}
	j.Result, j.View = nil, j.Source.View(volume.Coronal)
	if _, other := r.Render(j); other[Residual].Image != nil || !slices.Equal(other[Denoised].Image.Pix, other[Original].Image.Pix) {
		t.Error("the last result stays in another view")
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

func TestPanesHaveLabels(t *testing.T) {
	for role, want := range map[Role]string{Original: "ORIGINAL", Denoised: "DENOISED", Residual: "RESIDUAL"} {
		if role.String() != want {
			t.Errorf("pane %d is labelled %q; want %q", role, role, want)
		}
	}
}

// TestPictureIsAVolumeOfOneSlice checks the geometry and what measures need besides
// the values.
func TestPictureIsAVolumeOfOneSlice(t *testing.T) {
	v := scene()
	v.Unit = "HU"
	v.Mask = slices.Repeat([]bool{true, false}, v.Voxels()/2)
	j := job(v)
	j.View = v.View(volume.Coronal)
	var r Renderer
	p, _ := r.Render(j)
	got := p.Volume(p.Before)
	if got.Dims != [3]int{8, 5, 1} || got.Spacing != [3]float64{0.5, 3, 1} || got.Unit != "HU" {
		t.Errorf("dims %v, spacing %v, unit %q", got.Dims, got.Spacing, got.Unit)
	}
	if &got.Data[0] != &p.Before[0] || !slices.Equal(got.Mask, p.Mask) || len(p.Mask) != 40 {
		t.Error("the volume does not hold the picture's values and mask")
	}
}

// TestAChangedJobIsExtractedAgain changes what a picture depends on, one at a time.
func TestAChangedJobIsExtractedAgain(t *testing.T) {
	v := scene()
	for name, change := range map[string]func(*Job){
		"source": func(j *Job) { j.Source = v.Clone() },
		"result": func(j *Job) { j.Result = v.Clone() },
		"plane":  func(j *Job) { j.View = v.View(volume.Coronal) },
		"slice":  func(j *Job) { j.Index = 3 },
	} {
		j := job(v)
		var r Renderer
		first, _ := r.Render(j)
		change(&j)
		if second, _ := r.Render(j); second == first || second.Source != j.Source || second.Result != j.Result || second.Index != j.Index || second.View != j.View {
			t.Errorf("another %s: the picture is that of before", name)
		}
	}
}

// TestEmptyPanesHaveNoImage checks panes without a size and a picture outside its pane.
func TestEmptyPanesHaveNoImage(t *testing.T) {
	for name, change := range map[string]func(*Job){
		"no width":             func(j *Job) { j.Panes[Original].Width = 0 },
		"no height":            func(j *Job) { j.Panes[Original].Height = 0 },
		"beside the picture":   func(j *Job) { j.Pan[0] = 1e6 },
		"below the picture":    func(j *Job) { j.Pan[1] = -1e6 },
		"above all of it":      func(j *Job) { j.Pan[1] = 1e6 },
		"left of the picture ": func(j *Job) { j.Pan[0] = -1e6 },
	} {
		j := job(scene())
		change(&j)
		var r Renderer
		if _, frames := r.Render(j); frames[Original].Image != nil || frames[Original].Limit != 10 {
			t.Errorf("%s: an image was drawn", name)
		}
	}
}

// TestFramesCoverThePicture checks place and size of an image in its pane, and that each
// pane has its own.
func TestFramesCoverThePicture(t *testing.T) {
	j := job(scene()) // 4 x 6 mm in 40 x 30 pixels: 5 pixels per mm
	j.Panes[Denoised] = Pane{Width: 8, Height: 60}
	var r Renderer
	_, frames := r.Render(j)
	for role, want := range map[Role]Frame{
		Original: {X0: 10, X1: 30, Y1: 30},
		Denoised: {X1: 8, Y0: 24, Y1: 36},
	} {
		f := frames[role]
		if f.X0 != want.X0 || f.X1 != want.X1 || f.Y0 != want.Y0 || f.Y1 != want.Y1 || f.Image.Rect != image.Rect(0, 0, f.X1-f.X0, f.Y1-f.Y0) {
			t.Errorf("%v covers (%d, %d)-(%d, %d) by an image of %v", role, f.X0, f.Y0, f.X1, f.Y1, f.Image.Rect)
		}
	}
	j.Zoom = 0.5 // fewer pixels in the same memory
	_, _ = r.Render(j)
	if _, small := r.Render(j); small[Original].Image.Rect != image.Rect(0, 0, 10, 15) || len(small[Original].Image.Pix) != 4*10*15 {
		t.Errorf("the smaller image has %v and %d bytes", small[Original].Image.Rect, len(small[Original].Image.Pix))
	}
	j.Zoom = 1.5 // more than the memory holds
	if _, large := r.Render(j); large[Original].Image.Rect != image.Rect(0, 0, 30, 30) || len(large[Original].Image.Pix) != 4*30*30 {
		t.Errorf("the larger image has %v and %d bytes", large[Original].Image.Rect, len(large[Original].Image.Pix))
	}
}

// TestLargestResidualMayBeNegative checks the scale and that it is not used if the job
// has a limit of its own.
func TestLargestResidualMayBeNegative(t *testing.T) {
	j := job(scene())
	j.Result = j.Source.Clone()
	j.Result.Data[j.Result.Index(0, 0, j.Index)] += 64
	for limit, want := range map[float64]float64{0: 64, -1: 64, 5: 5, 0.5: 0.5, math.NaN(): 64} {
		j.Limit = limit
		var r Renderer
		if _, frames := r.Render(j); frames[Residual].Limit != want {
			t.Errorf("limit %g: scaled by %g; want %g", limit, frames[Residual].Limit, want)
		}
	}
	if got := largest([]float32{0.25, -0.5}); got != 0.5 {
		t.Errorf("the largest of 0.25 and -0.5 is %g", got)
	}
}

// TestInversionLeavesTheResidual checks which panes invert exchanges black and white in.
func TestInversionLeavesTheResidual(t *testing.T) {
	j := job(scene())
	j.Result = volume.New(j.Source.Geometry)
	var plain, inverted Renderer
	_, a := plain.Render(j)
	j.Invert = true
	_, b := inverted.Render(j)
	for role, want := range map[Role]bool{Original: false, Denoised: false, Residual: true} {
		if same := slices.Equal(a[role].Image.Pix, b[role].Image.Pix); same != want {
			t.Errorf("%v is the same when inverted: %v; want %v", role, same, want)
		}
	}
}

// TestSquaresNeedMagnification checks that nearest neighbours are shown from pixel size 1
// on, at which they are exact, and that smaller pixels are averaged.
func TestSquaresNeedMagnification(t *testing.T) {
	src := []float32{0, 100, 0, 100, 0, 100, 0, 100}
	for _, c := range []struct {
		size   float64
		origin float64
		want   []float32
	}{
		{1, 0.25, []float32{0, 100, 0, 100, 0, 100}},
		{0.5, 0, []float32{50, 50, 50}},
	} {
		tr := Transform{Scale: 1, Origin: [2]float64{c.origin, 0}, PixelSize: [2]float64{c.size, 1}, Size: [2]int{8, 1}}
		var r Resampler
		got := r.Resample(nil, src, tr, 0, 0, len(c.want), 1, true)
		if c.size < 1 {
			got = got[1:] // the first sample has no left neighbour
			c.want = c.want[1:]
		}
		for i := range c.want {
			if math.Abs(float64(got[i]-c.want[i])) > 1e-4 {
				t.Errorf("pixel size %g: %v; want %v", c.size, got, c.want)
				break
			}
		}
	}
}

// TestNothingIsResampledIntoNothing checks an empty range of screen samples.
func TestNothingIsResampledIntoNothing(t *testing.T) {
	tr := Transform{Scale: 1, PixelSize: [2]float64{1, 1}, Size: [2]int{2, 2}}
	var r Resampler
	for _, c := range [][4]int{{1, 0, 1, 2}, {0, 1, 2, 1}, {2, 2, 0, 0}} {
		if got := r.Resample(make([]float32, 4), pattern(2, 2), tr, c[0], c[1], c[2], c[3], false); len(got) != 0 {
			t.Errorf("range %v gives %d samples", c, len(got))
		}
	}
}

// One to one, every voxel keeps its value; the residual does at every magnification.
func TestNoVoxelIsInterpolatedWhereItNeedNotBe(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{9, 7, 1}, [3]float64{0.7, 0.7, 1}))
	for i := range v.Data {
		v.Data[i] = float32(i * 37 % 255)
	}
	result := v.Clone()
	for i := range result.Data {
		result.Data[i] -= float32(i*53%41) - 20
	}
	s := New()
	s.Open(v, volume.Window{Center: 127.5, Width: 255})
	for _, pane := range []Pane{{Width: 40, Height: 33}, {Width: 41, Height: 30}} {
		for _, pan := range []float64{0, 0.3} {
			s.Fit()
			s.Cut().Actual(pane.Width, pane.Height)
			s.Cut().PanBy(pan, -pan, float64(pane.Width), float64(pane.Height))
			if m := s.Cut().Transform(float64(pane.Width), float64(pane.Height)).Magnification(); math.Abs(m-1) > 1e-9 {
				t.Fatalf("magnification %g; want 1", m)
			}
			job := Job{Source: v, Result: result, View: s.Cut().View(), Zoom: s.Cut().Zoom(), Window: s.Windows.Current(), Limit: 20, Panes: [Roles]Pane{pane, pane, pane}}
			job.Pan = s.Cut().Pan()
			_, smooth := (&Renderer{}).Render(job)
			job.Pixelated = true
			_, squares := (&Renderer{}).Render(job)
			for role := range smooth {
				if !bytes.Equal(smooth[role].Image.Pix, squares[role].Image.Pix) {
					t.Errorf("%v is interpolated", Role(role))
				}
			}
			job.Zoom *= 2.7
			_, squares = (&Renderer{}).Render(job)
			job.Pixelated = false
			_, smooth = (&Renderer{}).Render(job)
			if !bytes.Equal(smooth[Residual].Image.Pix, squares[Residual].Image.Pix) || bytes.Equal(smooth[Original].Image.Pix, squares[Original].Image.Pix) {
				t.Error("want the residual in squares, and the original smooth")
			}
		}
	}
	s.Cut().Actual(0, 10) // no pane yet
	empty := New()
	empty.Cut().Actual(10, 10)
}

// A frame that is not shown leaves the memory of the one on the screen alone.
func TestFramesThatAreNotShown(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{8, 8, 3}, [3]float64{1, 1, 1}))
	job := Job{Source: v, View: v.View(volume.Axial), Zoom: 1, Window: volume.Window{Width: 10}}
	job.Panes[Original] = Pane{Width: 16, Height: 16}
	r := &Renderer{}
	draw := func(index int) *image.RGBA {
		job.Index = index
		_, frames := r.Render(job)
		return frames[Original].Image
	}
	first, second, third := draw(0), draw(1), draw(2)
	if first == second || first != third {
		t.Fatal("frames do not take turns")
	}
	if r.Discard(); draw(0) == second {
		t.Error("after a frame that is not shown, the one on the screen is drawn to")
	}
	if draw(1) != second {
		t.Error("then they do not take turns")
	}
}

// Until a frame is drawn for another size of its pane, it lies at the place that its
// picture will take, and what would be outside the pane is left out.
func TestAFrameInAPaneOfAnotherSize(t *testing.T) {
	state := New()
	state.Open(volume.New(volume.NewGeometry([3]int{20, 10, 3}, [3]float64{1, 1, 2})), volume.Window{Width: 10})
	frame := func(w, h int) Frame {
		var r Renderer
		_, frames := r.Render(Job{
			Source: state.Volume(), View: state.Cut().View(), Index: 1, Zoom: state.Cut().Zoom(), Pan: state.Cut().Pan(), Window: state.Windows.Current(),
			Panes: [Roles]Pane{{Width: w, Height: h}},
		})
		return frames[Original]
	}
	for _, c := range []struct {
		name          string
		zoom          float64
		width, height int
		x, y, w, h    float64
		whole         bool
	}{
		{"twice as large", 1, 400, 400, 0, 100, 400, 200, true},
		{"half as wide", 1, 100, 200, 0, 75, 100, 50, true},
		{"the same", 1, 200, 200, 0, 50, 200, 100, true},
		{"magnified, lower", 4, 200, 100, 0, 0, 200, 100, false},
	} {
		state.Fit()
		state.Cut().ZoomAt(c.zoom, 100, 100, 200, 200)
		f := frame(200, 200)
		part, x, y, w, h := f.In(state.Cut().Transform(float64(c.width), float64(c.height)), c.width, c.height)
		near := func(a, b float64) bool { return math.Abs(a-b) <= 2 }
		if !near(x, c.x) || !near(y, c.y) || !near(w, c.w) || !near(h, c.h) || x < -2 || y < -2 || x+w > float64(c.width)+2 || y+h > float64(c.height)+2 || part.Stride != 4*part.Rect.Dx() || part.Rect.Min != (image.Point{}) {
			t.Errorf("%s: at %g, %g with %g x %g; want %g, %g with %g x %g", c.name, x, y, w, h, c.x, c.y, c.w, c.h)
		}
		if whole := part == f.Image; whole != c.whole {
			t.Errorf("%s: the whole frame is shown: %t", c.name, whole)
		}
	}
}
