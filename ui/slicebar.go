package ui

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"quell/denoise/tune"
	"quell/ui/control"
	"quell/ui/session"
	"quell/ui/viewer"
	"quell/volume"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// sliceBar is the line below the pictures: plane and slice.
type sliceBar struct {
	widget.BaseWidget
	planes  *control.Radio
	slider  *control.Slider
	label   *widget.Label
	volumes *control.Slider // along the axis of a 4-D series, below the slices
	volume  *widget.Label
	along   *fyne.Container // volumes and volume; hidden where there is no 4-D series
	wanted  int             // the volume that the slider was moved to, from 1; 0 where that is shown
	dragged bool            // the slider was not let go yet
	marks   *canvas.Raster  // the verdict on every slice, above the slider
	colors  []color.Color   // of the marks, by the slider's order
	content fyne.CanvasObject
	busy    bool
}

func newSliceBar(w *Workbench) *sliceBar {
	state := w.session.State()
	b := &sliceBar{slider: control.NewSlider(1, 1), label: widget.NewLabel("")}
	var names []string
	for p := volume.Axial; p <= volume.Sagittal; p++ {
		name := p.String()
		names = append(names, strings.ToUpper(name[:1])+name[1:])
	}
	b.planes = control.NewRadio(names, func(name string) {
		for p := volume.Axial; p <= volume.Sagittal; p++ {
			if !b.busy && strings.EqualFold(p.String(), name) {
				state.SetPlane(p)
			}
		}
	})
	w.tips(b.planes, strings.ToLower)
	b.slider.OnChanged = func(x float64) {
		if !b.busy {
			state.SetIndex(int(x) - 1)
		}
	}
	ground := canvas.NewRectangle(nil)
	ground.SetMinSize(fyne.NewSize(120, 0))
	b.marks = canvas.NewRasterWithPixels(b.mark)
	b.marks.SetMinSize(fyne.NewSize(0, marksHeight))
	b.marks.Hide()
	// Under the ends of the slider's groove lie its ends, not those of the widget.
	inset := theme.IconInlineSize()/2 + theme.InnerPadding()
	marks := container.New(layout.NewCustomPaddedLayout(0, 0, inset, inset), container.NewBorder(b.marks, nil, nil, nil))
	b.volumes, b.volume = control.NewSlider(1, 1), widget.NewLabel("")
	// A volume is read when the slider is let go: reading one takes longer than a slice.
	b.volumes.OnChanged = func(x float64) {
		if !b.busy {
			b.wanted, b.dragged = int(x), true
			b.nameVolume(w.session, int(x)-1)
		}
	}
	b.volumes.OnChangeEnded = func(x float64) {
		if !b.busy {
			b.dragged = false
			w.showVolume(int(x) - 1)
		}
	}
	b.along = container.NewBorder(nil, nil, b.volume, nil, b.volumes)
	b.along.Hide()
	slice := container.NewBorder(nil, nil, container.NewHBox(b.planes, newCine(w), container.NewStack(ground, b.label)), nil, container.NewStack(marks, b.slider))
	b.content = container.NewVBox(slice, b.along)
	b.ExtendBaseWidget(b)
	return b
}

// CreateRenderer implements fyne.Widget.
func (b *sliceBar) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(b.content) }

const marksHeight = 4

// markColors are those of the verdicts; others have none.
var markColors = map[tune.Verdict]color.Color{
	tune.Under:   color.NRGBA{R: 0x6c, G: 0x9a, B: 0xd0, A: 0xff},
	tune.Matched: color.NRGBA{R: 0x8f, G: 0xbf, B: 0x8f, A: 0xff},
	tune.Over:    color.NRGBA{R: 0xff, G: 0xb3, B: 0x47, A: 0xff},
}

// mark returns the colour of a pixel of the marks: one tick for each slice, with a
// gap where there is room.
func (b *sliceBar) mark(x, _, w, _ int) color.Color {
	n := len(b.colors)
	if n == 0 || w == 0 {
		return color.Transparent
	}
	i := x * n / w
	if w >= 4*n && i != (x+1)*n/w {
		return color.Transparent
	}
	return b.colors[i]
}

// showMarks shows the verdicts on the slices along the third axis of the volume, where
// the view runs along it.
func (b *sliceBar) showMarks(view volume.View, verdicts []tune.Verdict) {
	var colors []color.Color
	if view.Axis[2] == 2 && len(verdicts) == view.Size[2] {
		for i := range verdicts {
			c := markColors[verdicts[view.Voxel(0, 0, i)[2]]]
			if c == nil {
				c = color.Transparent
			}
			colors = append(colors, c)
		}
	}
	if !slices.Equal(colors, b.colors) {
		b.colors, b.marks.Hidden = colors, len(colors) == 0
		b.marks.Refresh()
	}
}

// displayVolume shows which volume of a 4-D series is on the screen. While another is being
// read, or waits for an answer, the slider stays where it was moved to.
func (b *sliceBar) displayVolume(s *session.Session, asking bool) {
	g, index := s.Group()
	if g != nil && b.wanted > 0 && b.wanted != index+1 && (b.dragged || asking || s.Busy()) {
		return
	}
	b.wanted = 0
	if (g == nil) != b.along.Hidden {
		for _, o := range []fyne.CanvasObject{b.volumes, b.volume, b.along} {
			if g == nil {
				o.Hide()
			} else {
				o.Show()
			}
		}
		b.content.Refresh()
	}
	if g == nil {
		return
	}
	b.busy = true
	defer func() { b.busy = false }()
	b.volumes.Max = float64(g.Len())
	b.volumes.SetValue(float64(index + 1))
	b.nameVolume(s, index)
}

// nameVolume writes the place of a volume: "b-value 1000 s/mm2 (3 of 10)".
func (b *sliceBar) nameVolume(s *session.Session, index int) {
	if g, _ := s.Group(); g != nil && index >= 0 && index < g.Len() {
		setText(b.volume, fmt.Sprintf("%s (%d of %d)", g.Places[index], index+1, g.Len()))
	}
}

// showVolume shows another volume of the 4-D series, after a question where that would lose
// a result.
func (w *Workbench) showVolume(k int) {
	g, now := w.session.Group()
	if g == nil || k < 0 || k >= g.Len() || k == now {
		return
	}
	w.confirmVoxels(func() { w.session.ShowVolume(k) })
}

// stepVolume shows a volume before or behind the one on the screen.
func (w *Workbench) stepVolume(by int) {
	_, now := w.session.Group()
	w.showVolume(now + by)
}

// display shows the slice, and the verdicts on the slices along the third axis of the
// volume, if there are any.
func (b *sliceBar) display(state *viewer.State, verdicts []tune.Verdict) {
	n := state.View().Size[2]
	b.busy = true
	defer func() { b.busy = false }()
	setEnabled(b.planes, state.Volume() != nil)
	if state.Volume() == nil {
		b.slider.Disable()
		return
	}
	name := state.View().Plane.String()
	b.planes.SetSelected(strings.ToUpper(name[:1]) + name[1:])
	b.showMarks(state.View(), verdicts)
	b.slider.Max = float64(max(n, 1))
	if n > 1 {
		b.slider.Enable()
	} else {
		b.slider.Disable()
	}
	b.slider.SetValue(float64(state.Index() + 1))
	setText(b.label, fmt.Sprintf("Slice %d of %d", state.Index()+1, n))
}
