package viewer

import (
	"image"
	"image/draw"
	"testing"

	"quell/volume"
)

// cineJob is a job on a volume of 9 x 7 x 4 voxels with a result, in three panes of different sizes.
func cineJob() Job {
	v := volume.New(volume.NewGeometry([3]int{9, 7, 4}, [3]float64{1, 1, 1}))
	result := volume.New(v.Geometry)
	for i := range v.Data {
		v.Data[i] = float32(i * 7919 % 101)
		result.Data[i] = float32(i * 31 % 97)
	}
	j := job(v)
	j.Result = result
	j.Panes = [Roles]Pane{{Width: 90, Height: 60}, {Width: 80, Height: 75}, {Width: 50, Height: 90}}
	return j
}

// Every picture of a cine has the slice as the panes show it, side by side, whatever the order in which they are drawn, in
// colours and in grey.
func TestCineShowsWhatPanesShow(t *testing.T) {
	for name, change := range map[string]func(*Job){
		"as it is": func(*Job) {},
		"zoomed":   func(j *Job) { j.Zoom, j.Pan = 2.5, [2]float64{1.3, -0.7} },
		"a swipe, inverted, another slice": func(j *Job) {
			j.Compare, j.Invert, j.Index = Comparison{Mode: Swipe, Share: 0.4}, true, 3
		},
		"two panes": func(j *Job) { j.Panes[Residual].Hidden = true },
	} {
		j := cineJob()
		change(&j)
		c := NewCine(j)
		if c == nil || c.Frames() != 4 || c.Grey() != (name == "two panes") {
			t.Fatalf("%s: %v", name, c)
		}
		at := image.Pt(3, 5)
		for _, i := range []int{2, 0, 3, 3} {
			var m draw.Image = image.NewRGBA(image.Rectangle{Max: c.Size().Add(at)})
			if c.Grey() {
				m = image.NewGray(m.Bounds())
			}
			c.Draw(m, at, i)
			var r Renderer
			j.Index = i
			_, frames := r.Render(j)
			left := at.X
			shown := 0
			for role, f := range frames {
				if j.Panes[role].Hidden {
					continue
				}
				if shown++; shown > 1 {
					left += cineGap
				}
				for y := range f.Image.Rect.Dy() {
					for x := range f.Image.Rect.Dx() {
						wr, wg, wb, _ := f.Image.At(x, y).RGBA()
						if gr, gg, gb, _ := m.At(left+x, at.Y+y).RGBA(); gr != wr || gg != wg || gb != wb {
							t.Fatalf("%s, slice %d, %v: (%d, %d) is %v, want %v", name, i, Role(role), x, y, m.At(left+x, at.Y+y), f.Image.At(x, y))
						}
					}
				}
				left += f.Image.Rect.Dx()
			}
			if left-at.X != c.Size().X || len(c.Panes()) != shown {
				t.Errorf("%s: a picture is %d wide, and its panes %d", name, c.Size().X, left-at.X)
			}
		}
	}
}

// Without a result of the whole volume the original is shown alone, as large as the widest pane; without a pane there is no cine.
func TestCineWithoutAResult(t *testing.T) {
	for name, change := range map[string]func(*Job){"no result": func(j *Job) { j.Result = nil }, "a slice": func(j *Job) { j.Part = true }} {
		j := cineJob()
		change(&j)
		j.Panes[Original].Hidden = true
		c := NewCine(j)
		if c == nil || len(c.Panes()) != 1 || c.Panes()[0].Role != Original || !c.Grey() || c.Size() != image.Pt(80, 62) {
			t.Errorf("%s: %+v", name, c)
		}
	}
	j := cineJob()
	j.Panes = [Roles]Pane{{Hidden: true}, {Width: 0, Height: 3}, {Hidden: true}}
	if NewCine(j) != nil {
		t.Error("a cine without a pane")
	}
	j = cineJob()
	j.Pan = [2]float64{1000, 0}
	if NewCine(j) != nil {
		t.Error("a cine of pictures that are outside of their panes")
	}
}
