// Package slicebar is the line below the pictures: plane, slice, the noise and the verdict of
// every slice, the volumes of a 4-D series, and the cine.
package slicebar

import (
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/ui/command"
	"quell/ui/control"
	"quell/ui/host"
	"quell/ui/panel"
	"quell/ui/session"
	"quell/ui/session/measures"
	"quell/ui/wording"
	"quell/volume"
)

// Panel is the line below the pictures: plane and slice. Create it with New.
type Panel struct {
	h       *host.Host
	Cine    *cine
	planes  *control.Radio
	slider  *control.Slider
	Label   *widget.Label
	volumes *control.Slider // along the axis of a 4-D series, below the slices
	volume  *widget.Label
	along   *fyne.Container // volumes and volume; hidden if there is no 4-D series
	wanted  int             // the volume that the slider was moved to, from 1; 0 if that is shown
	dragged bool            // the slider was not let go yet
	Strip   *strip
	Sigmas  *widget.Label // the range of sigma in the strip
	content *fyne.Container
	busy    bool
}

// New returns the slices.
func New(h *host.Host) panel.Panel {
	state := h.Session.State()
	b := &Panel{h: h, Cine: newCine(h), slider: control.NewSlider(lang.L("Slice"), 1, 1), Label: widget.NewLabel("")}
	var names []string
	for p := volume.Axial; p <= volume.Sagittal; p++ {
		names = append(names, lang.L(wording.Plane(p)))
	}
	plane := func(name string) volume.Plane { return volume.Plane(slices.Index(names, name)) }
	b.planes = control.NewRadio(names, func(name string) {
		if !b.busy {
			state.SetPlane(plane(name))
		}
	})
	h.Tips(b.planes, func(name string) string { return plane(name).String() })
	b.slider.OnChanged = func(x float64) {
		if !b.busy {
			state.Cut().SetIndex(int(x) - 1)
			h.AwaitFrames()
		}
	}
	ground := canvas.NewRectangle(nil)
	ground.SetMinSize(fyne.NewSize(120, 0))
	b.Strip = newStrip(func(text string) {
		if text == "" {
			h.Tip.Hide()
			return
		}
		h.Tip.Show(b.Strip, text)
	}, func(i int) { state.Cut().SetIndex(i) })
	b.Sigmas = control.Caption("")
	b.Sigmas.Importance = widget.LowImportance
	// Under the ends of the slider's groove lie its ends, not the ends of the
	// widget.
	inset := theme.IconInlineSize()/2 + theme.InnerPadding()
	b.volumes, b.volume = control.NewSlider(lang.L("Volume"), 1, 1), widget.NewLabel("")
	// A volume is read when the slider is let go: reading one takes longer than a slice.
	b.volumes.OnChanged = func(x float64) {
		if !b.busy {
			b.wanted, b.dragged = int(x), true
			b.nameVolume(h.Session, int(x)-1)
		}
	}
	b.volumes.OnChangeEnded = func(x float64) {
		if !b.busy {
			b.dragged = false
			b.showVolume(int(x) - 1)
		}
	}
	b.along = container.NewBorder(nil, nil, b.volume, nil, b.volumes)
	b.along.Hide()
	above := container.New(layout.NewCustomPaddedLayout(2, 0, inset, inset), b.Strip)
	tight := layout.NewCustomPaddedVBoxLayout(-8)
	texts := container.New(layout.NewCustomPaddedVBoxLayout(-14), b.Sigmas, container.NewStack(ground, b.Label))
	slice := container.NewBorder(nil, nil, container.NewHBox(container.NewCenter(b.planes), container.NewCenter(b.Cine.content), texts), h.Beside, container.New(tight, above, b.slider))
	b.content = container.NewVBox(slice, b.along)
	return b
}

// Dock implements panel.Panel.
func (b *Panel) Dock() panel.Dock { return panel.Dock{Area: panel.Slices, Object: b.content} }

// Docked implements panel.Docked.
func (b *Panel) Docked() { b.h.Session.Strip.Judge(!b.h.Settings.LeaveSlices) }

// Show implements panel.Panel.
func (b *Panel) Show(now panel.Snapshot) {
	s := now.Session
	b.display(s)
	if b.displayVolume(s, b.h.Asking()) {
		b.h.Frame.Refresh() // which leaves the height of the bar to its last layout otherwise
	}
	b.Cine.display(s.Series() != nil && s.State().Cut().View().Size[2] > 1)
}

// Cancel implements panel.Canceller: it ends the cine.
func (b *Panel) Cancel() bool {
	plays := b.Cine.stop != nil
	b.Cine.end()
	return plays
}

// Pause implements panel.Pauser.
func (b *Panel) Pause() { b.Cine.end() }

// Close implements panel.Closer.
func (b *Panel) Close() { b.Cine.end() }

// ordered returns figures along the third axis of the series in the order of the slider;
// nil if that runs along another axis.
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
// at the place to which it was moved.
func (b *Panel) displayVolume(s *session.Session, asking bool) (resized bool) {
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
func (b *Panel) nameVolume(s *session.Session, index int) {
	if g, _ := s.Documents.Group(); g != nil && index >= 0 && index < g.Len() {
		control.SetText(b.volume, fmt.Sprintf(lang.L("%s (%d of %d)"), g.Places[index], index+1, g.Len()))
	}
}

// showVolume shows another volume of the 4-D series, after a question if that would lose a
// result.
func (b *Panel) showVolume(k int) {
	g, now := b.h.Session.Documents.Group()
	if g == nil || k < 0 || k >= g.Len() || k == now {
		return
	}
	b.h.ConfirmVoxels(func() { b.h.Session.Reader.ShowVolume(k) })
}

// stepVolume shows a volume before or behind the one on the screen.
func (b *Panel) stepVolume(by int) {
	_, now := b.h.Session.Documents.Group()
	b.showVolume(now + by)
}

// display shows the slice, and the figures of every slice.
func (b *Panel) display(s *session.Session) {
	state, cut := s.State(), s.State().Cut()
	n := cut.View().Size[2]
	b.busy = true
	defer func() { b.busy = false }()
	shown := state.Volume() != nil && !panel.Arrives(s)
	control.SetEnabled(b.planes, shown)
	if !shown {
		b.slider.Disable()
		b.Strip.display(nil, "", 0)
		control.SetText(b.Sigmas, "")
		control.SetText(b.Label, "")
		return
	}
	b.planes.SetSelected(lang.L(wording.Plane(cut.View().Plane)))
	figures := ordered(cut.View(), s.Strip.Figures())
	b.Strip.display(figures, state.Volume().Unit, cut.Index())
	control.SetText(b.Sigmas, b.Strip.summary())
	b.slider.Max = float64(max(n, 1))
	if n > 1 {
		b.slider.Enable()
	} else {
		b.slider.Disable()
	}
	b.slider.SetValue(float64(cut.Index() + 1))
	control.SetText(b.Label, fmt.Sprintf(lang.L("Slice %d of %d"), cut.Index()+1, n))
}

// Commands implements panel.Panel.
func (b *Panel) Commands() []command.Command {
	s, state := b.h.Session, b.h.Session.State()
	return append(b.Cine.commands(), []command.Command{
		{ID: "next", Title: "Next slice", Run: func() { state.Cut().Scroll(1) }, Chords: command.Key(fyne.KeyDown, fyne.KeyPageDown)},
		{ID: "previous", Title: "Previous slice", Run: func() { state.Cut().Scroll(-1) }, Chords: command.Key(fyne.KeyUp, fyne.KeyPageUp)},
		{ID: "next-10", Title: "Ten slices on", Run: func() { state.Cut().Scroll(10) }, Chords: command.With(fyne.KeyModifierShift, fyne.KeyDown, fyne.KeyPageDown)},
		{ID: "previous-10", Title: "Ten slices back", Run: func() { state.Cut().Scroll(-10) }, Chords: command.With(fyne.KeyModifierShift, fyne.KeyUp, fyne.KeyPageUp)},
		{ID: "first", Title: "First slice", Chords: command.Key(fyne.KeyHome), Run: func() { state.Cut().SetIndex(0) }},
		{ID: "last", Title: "Last slice", Chords: command.Key(fyne.KeyEnd), Run: func() { state.Cut().SetIndex(state.Cut().View().Size[2] - 1) }},
		{ID: "next-volume", Title: "Next 4-D volume", Chords: command.Key(fyne.KeyRightBracket), Run: func() { b.stepVolume(1) }},
		{ID: "previous-volume", Title: "Previous 4-D volume", Chords: command.Key(fyne.KeyLeftBracket), Run: func() { b.stepVolume(-1) }},
		{ID: "judge-slices", Title: "Judge all slices in the background", Menu: command.MeasureMenu, Gap: true, Run: b.toggleJudgement, Checked: s.Strip.Judges,
			Help: "verdicts for the slice overview, on one core, while nothing else is in progress"},
	}...)
}

// toggleJudgement switches the verdicts on the slices that are not shown on or off, now and
// at the next start.
func (b *Panel) toggleJudgement() {
	b.h.Settings.LeaveSlices = b.h.Session.Strip.Judges()
	b.h.Session.Strip.Judge(!b.h.Settings.LeaveSlices)
	b.h.SaveSettings()
}
