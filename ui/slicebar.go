package ui

import (
	"fmt"
	"slices"
	"strings"

	"quell/ui/control"
	"quell/ui/session"
	"quell/ui/session/measures"
	"quell/volume"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
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
	strip   *sliceStrip
	sigmas  *widget.Label // the range of sigma in the strip
	content fyne.CanvasObject
	busy    bool
}

// planeName is the name of a plane at the start of a text: "Axial".
func planeName(p volume.Plane) string {
	name := p.String()
	return strings.ToUpper(name[:1]) + name[1:]
}

func newSliceBar(w *Workbench) *sliceBar {
	state := w.session.State()
	b := &sliceBar{slider: control.NewSlider(1, 1), label: widget.NewLabel("")}
	var names []string
	for p := volume.Axial; p <= volume.Sagittal; p++ {
		names = append(names, lang.L(planeName(p)))
	}
	plane := func(name string) volume.Plane { return volume.Plane(slices.Index(names, name)) }
	b.planes = control.NewRadio(names, func(name string) {
		if !b.busy {
			state.SetPlane(plane(name))
		}
	})
	w.tips(b.planes, func(name string) string { return plane(name).String() })
	b.slider.OnChanged = func(x float64) {
		if !b.busy {
			state.SetIndex(int(x) - 1)
			w.awaitFrames()
		}
	}
	ground := canvas.NewRectangle(nil)
	ground.SetMinSize(fyne.NewSize(120, 0))
	b.strip = newSliceStrip(func(text string) {
		if text == "" {
			w.tip.hide()
			return
		}
		w.tip.show(b.strip, text)
	}, state.SetIndex)
	b.sigmas = caption("")
	b.sigmas.Importance = widget.LowImportance
	// Under the ends of the slider's groove lie its ends, not those of the widget.
	inset := theme.IconInlineSize()/2 + theme.InnerPadding()
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
	strip := container.New(layout.NewCustomPaddedLayout(2, 0, inset, inset), b.strip)
	tight := layout.NewCustomPaddedVBoxLayout(-8)
	texts := container.New(layout.NewCustomPaddedVBoxLayout(-14), b.sigmas, container.NewStack(ground, b.label))
	slice := container.NewBorder(nil, nil, container.NewHBox(container.NewCenter(b.planes), container.NewCenter(newCine(w)), texts), w.quick, container.New(tight, strip, b.slider))
	b.content = container.NewVBox(slice, b.along)
	b.ExtendBaseWidget(b)
	return b
}

// CreateRenderer implements fyne.Widget.
func (b *sliceBar) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(b.content) }

// ordered returns figures along the third axis of the series in the order of the slider;
// nil where that runs along another axis.
func ordered(view volume.View, figures []measures.SliceFigure) []measures.SliceFigure {
	if view.Axis[2] != 2 || len(figures) != view.Size[2] {
		return nil
	}
	out := make([]measures.SliceFigure, len(figures))
	for i := range out {
		out[i] = figures[view.Voxel(0, 0, i)[2]]
	}
	return out
}

// displayVolume shows which volume of a 4-D series is on the screen, and says whether the bar became
// higher or lower by it. While another volume is being read, or waits for an answer, the slider stays
// where it was moved to.
func (b *sliceBar) displayVolume(s *session.Session, asking bool) (resized bool) {
	g, index := s.Documents.Group()
	if g != nil && b.wanted > 0 && b.wanted != index+1 && (b.dragged || asking || s.Tasks.Busy()) {
		return false
	}
	b.wanted = 0
	if resized = (g == nil) != b.along.Hidden; resized {
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
		return resized
	}
	b.busy = true
	defer func() { b.busy = false }()
	b.volumes.Max = float64(g.Len())
	b.volumes.SetValue(float64(index + 1))
	b.nameVolume(s, index)
	return resized
}

// nameVolume writes the place of a volume: "b-value 1000 s/mm2 (3 of 10)".
func (b *sliceBar) nameVolume(s *session.Session, index int) {
	if g, _ := s.Documents.Group(); g != nil && index >= 0 && index < g.Len() {
		setText(b.volume, fmt.Sprintf(lang.L("%s (%d of %d)"), g.Places[index], index+1, g.Len()))
	}
}

// showVolume shows another volume of the 4-D series, after a question where that would lose
// a result.
func (w *Workbench) showVolume(k int) {
	g, now := w.session.Documents.Group()
	if g == nil || k < 0 || k >= g.Len() || k == now {
		return
	}
	w.confirmVoxels(func() { w.session.Reader.ShowVolume(k) })
}

// stepVolume shows a volume before or behind the one on the screen.
func (w *Workbench) stepVolume(by int) {
	_, now := w.session.Documents.Group()
	w.showVolume(now + by)
}

// display shows the slice, and what is known of every slice.
func (b *sliceBar) display(s *session.Session) {
	state := s.State()
	n := state.View().Size[2]
	b.busy = true
	defer func() { b.busy = false }()
	shown := state.Volume() != nil && !arrives(s)
	setEnabled(b.planes, shown)
	if !shown {
		b.slider.Disable()
		b.strip.display(nil, "", 0)
		setText(b.sigmas, "")
		setText(b.label, "")
		return
	}
	b.planes.SetSelected(lang.L(planeName(state.View().Plane)))
	figures := ordered(state.View(), s.Strip.Figures())
	b.strip.display(figures, state.Volume().Unit, state.Index())
	setText(b.sigmas, b.strip.summary())
	b.slider.Max = float64(max(n, 1))
	if n > 1 {
		b.slider.Enable()
	} else {
		b.slider.Disable()
	}
	b.slider.SetValue(float64(state.Index() + 1))
	setText(b.label, fmt.Sprintf(lang.L("Slice %d of %d"), state.Index()+1, n))
}
