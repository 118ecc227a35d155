package session_test

import (
	"testing"

	"quell/ui/viewer"
	"quell/volume"
)

// The planes are drawn in their panes, as side A until the volume is filtered; a plane
// that has not changed keeps its picture.
func TestPlanesAreDrawn(t *testing.T) {
	b := newBench(t)
	frames := func() [3]viewer.Frame { b.settle(); return b.planeFrames }
	if frames() != ([3]viewer.Frame{}) {
		t.Fatal("hidden panes were drawn")
	}
	for p := range b.planePanes {
		b.planePanes[p] = viewer.Pane{Width: 32, Height: 32}
	}
	b.Screen.Redraw()
	before := frames()
	for p, f := range before {
		if f.Image == nil {
			t.Fatalf("plane %d has no picture", p)
		}
	}
	b.State().In(volume.Coronal).Scroll(1)
	after := frames()
	if after[volume.Coronal].Image == before[volume.Coronal].Image || after[volume.Sagittal] != before[volume.Sagittal] || after[volume.Axial] != before[volume.Axial] {
		t.Error("another plane than the one that moved was drawn, or not that one")
	}
	if b.Screen.PlanesShowResult() {
		t.Error("a volume that is not filtered is shown")
	}
	grey := func() uint8 { return frames()[volume.Axial].Image.Pix[0] }
	b.State().Windows.Set(volume.Window{Center: 40, Width: 400})
	original := grey()
	b.applied(60)
	if denoised := grey(); !b.Screen.PlanesShowResult() || denoised >= original {
		t.Errorf("after the run the grey is %d; it was %d", denoised, original)
	}
	b.Screen.HoldBefore(true)
	if b.Screen.PlanesShowResult() || grey() != original {
		t.Error("while Space is held the planes show the result")
	}
	b.Screen.HoldBefore(false)
	b.Tuning.Set(b.tuned(61), true)
	if b.Screen.PlanesShowResult() || grey() != original {
		t.Error("the run of another recipe is shown")
	}
}

// The pictures follow the pointer while there is a lens, and stay otherwise.
func TestTheLensIsDrawnAtThePointer(t *testing.T) {
	b := newBench(t)
	b.settle()
	frames := 0
	b.framed = func(*volume.Volume) { frames++ }
	b.State().Cut().PointAt(5, 5, 40, 30)
	b.settle()
	if frames != 0 {
		t.Error("the pointer alone draws pictures")
	}
	b.State().ToggleMagnifier()
	b.settle()
	frames = 0
	b.State().Cut().PointAt(15, 15, 40, 30)
	b.settle()
	if frames == 0 {
		t.Error("the lens stays where it was")
	}
}
