package viewer

import (
	"image"
	"testing"

	"quell/volume"
)

// tinted is a job of one slice of 4 x 3 voxels, drawn pixel by pixel in panes of 4
// x 3, with a tint with its right half masked.
func tinted(role Role) Job {
	v := volume.New(volume.NewGeometry([3]int{4, 3, 2}, [3]float64{1, 1, 1}))
	values := v.Clone()
	values.Mask = make([]bool, len(v.Data))
	for i := range values.Data {
		values.Data[i] = float32(1 + i/12) // the number of the slice
		values.Mask[i] = i%4 < 2
	}
	job := Job{Source: v, Result: v, View: v.View(volume.Axial), Zoom: 1, Window: volume.Window{Width: 100}, Limit: 1}
	for r := range Roles {
		job.Panes[r] = Pane{Width: 4, Height: 3}
	}
	job.Tints[role] = &Tint{Values: values, Colors: volume.Tint{Lo: 1, Hi: 2}}
	return job
}

// grey says whether a pixel has no colour.
func grey(img *image.RGBA, x, y int) bool {
	c := img.RGBAAt(x, y)
	return c.R == c.G && c.G == c.B
}

func TestATintIsLaidOverItsPaneAndWithinItsMask(t *testing.T) {
	var r Renderer
	job := tinted(Original)
	_, frames := r.Render(job)
	if frames[Original].Tint != job.Tints[Original] || frames[Denoised].Tint != nil || frames[Residual].Tint != nil {
		t.Error("the frames do not name what is laid over them")
	}
	for y := range 3 {
		for x := range 4 {
			if covered := !grey(frames[Original].Image, x, y); covered != (x < 2) {
				t.Errorf("pixel (%d, %d) is covered: %v", x, y, covered)
			}
			if !grey(frames[Denoised].Image, x, y) {
				t.Errorf("pixel (%d, %d) of the denoised pane is covered", x, y)
			}
		}
	}
}

func TestATintFollowsSliceAndVolume(t *testing.T) {
	var r Renderer
	job := tinted(Denoised)
	color := func() any {
		_, frames := r.Render(job)
		return frames[Denoised].Image.RGBAAt(0, 0)
	}
	first := color()
	job.Index = 1
	second := color()
	if first == second {
		t.Error("the next slice has the colours of the first")
	}
	job.Index = 0
	if color() != first {
		t.Error("the first slice has other colours the second time")
	}
	other := *job.Tints[Denoised]
	other.Values = other.Values.Clone()
	for i := range other.Values.Data {
		other.Values.Data[i] = 2
	}
	job.Tints[Denoised] = &other
	if color() != second {
		t.Error("another volume is not shown")
	}
	job.Tints[Denoised] = nil
	if _, frames := r.Render(job); !grey(frames[Denoised].Image, 0, 0) || frames[Denoised].Tint != nil {
		t.Error("the tint cannot be taken off")
	}
}

func TestATintOfOneSlice(t *testing.T) {
	var r Renderer
	job := tinted(Residual)
	whole := job.Tints[Residual].Values
	job.Index = 1
	_, frames := r.Render(job)
	want := frames[Residual].Image.RGBAAt(0, 0)
	part := volume.New(volume.NewGeometry([3]int{4, 3, 1}, [3]float64{1, 1, 1}))
	copy(part.Data, whole.Data[12:])
	part.Mask = append([]bool(nil), whole.Mask[12:]...)
	job.Tints[Residual] = &Tint{Values: part, Part: true, Colors: volume.Tint{Lo: 1, Hi: 2}}
	_, frames = r.Render(job)
	if got := frames[Residual].Image.RGBAAt(0, 0); got != want {
		t.Errorf("the slice alone gives %v; want %v as in the volume", got, want)
	}
	part.Mask = nil
	again := *job.Tints[Residual]
	again.Values = part.Clone()
	job.Tints[Residual] = &again
	_, frames = r.Render(job)
	if got := frames[Residual].Image.RGBAAt(3, 2); got != want {
		t.Errorf("without a mask the last pixel is %v; want %v", got, want)
	}
}

// Between a covered and a bare pixel the values must not fall towards zero.
func TestTheEdgeOfATintKeepsItsColour(t *testing.T) {
	var l layer
	v := volume.New(volume.NewGeometry([3]int{2, 1, 1}, [3]float64{1, 1, 1}))
	v.Data[0], v.Data[1] = 5, 7
	v.Mask = []bool{true, false}
	job := Job{Source: v, View: v.View(volume.Axial)}
	tr := Transform{Scale: 1, PixelSize: [2]float64{8, 8}, Size: [2]int{2, 1}}
	img := image.NewRGBA(image.Rect(0, 0, 16, 8))
	l.lay(Frame{Image: img, X1: 16, Y1: 8}, &Tint{Values: v, Colors: volume.Tint{Lo: 0, Hi: 10}}, job, tr)
	for x := range 11 { // up to the centre of the bare pixel
		if got := l.drawn[x]; got < 4.999 || got > 5.001 {
			t.Errorf("at %d the value is %g; want 5", x, got)
		}
	}
	if l.share[3] != 1 || l.share[8] <= 0 || l.share[8] >= 0.5 || l.share[13] != 0 {
		t.Errorf("covered %g, %g, %g; want 1, falling, 0", l.share[3], l.share[8], l.share[13])
	}
}
