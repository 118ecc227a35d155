package filterpanel

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/denoise"
	"quell/denoise/verdict"
	"quell/ui/control"
	"quell/ui/host"
	"quell/ui/language"
	"quell/ui/panel"
)

// Dial is the panel in one line, for a workbench that gives its place to the pictures: how much of
// the filter is taken, and the run over the volume. Create it with NewDial.
type Dial struct {
	widget.BaseWidget
	hooks Hooks
	shown Snapshot
	row   *row

	name    *control.Button // of the strength; it opens the panel
	apply   *control.Button
	content fyne.CanvasObject
}

// NewDial returns an empty line. Of the hooks it calls Changed, Apply and Cancel; open is
// called to show the panel, hover when the pointer enters (true) or leaves what does so.
func NewDial(hooks Hooks, open func(), hover func(o fyne.CanvasObject, in bool)) *Dial {
	d := &Dial{hooks: hooks}
	d.row = newRow(denoise.MixStrength, rowHooks{
		changed: func(param denoise.Param, v denoise.Value, final bool) {
			d.hooks.Changed(d.shown.Recipe.Set(param.Name, v), final)
		},
		help:  func(string, string) {},
		leave: func() {},
		line:  true,
	})
	d.name = control.NewButton(lang.L("Strength"), theme.SettingsIcon(), open)
	d.name.Importance = widget.LowImportance
	d.name.OnHover = func(in bool) { hover(d.name, in) }
	d.apply = control.NewButton(lang.L("Apply to volume"), nil, func() {
		if d.shown.Running {
			d.hooks.Cancel()
		} else {
			d.hooks.Apply()
		}
	})
	d.apply.Importance = widget.HighImportance
	d.content = container.NewCenter(container.NewHBox(d.name, d.row.object, d.apply))
	d.ExtendBaseWidget(d)
	return d
}

// CreateRenderer implements fyne.Widget.
func (d *Dial) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(d.content) }

// Display shows a snapshot; it returns at once if nothing has changed.
func (d *Dial) Display(s Snapshot) {
	if s.Recipe.Filter == "" || s.same(d.shown) {
		return
	}
	d.shown = s
	d.row.show(s.Recipe.Get(d.row.param.Name), s.Resolved.Get(d.row.param.Name), s)
	text, icon := lang.L("Apply"), theme.MediaPlayIcon()
	if s.Running {
		text, icon = lang.L("Cancel"), theme.CancelIcon()
	}
	if d.apply.Text != text {
		d.apply.Icon = icon
		d.apply.SetText(text)
	}
	control.SetEnabled(d.apply, s.Running || s.Ready && !s.Busy && !s.Applied)
}

// bound draws on a slider how far its value keeps visible objects: green up to the bound, amber beyond.
type bound struct {
	object         fyne.CanvasObject // the slider with the marks
	slider         *control.Slider
	within, beyond *canvas.Rectangle
	at             float64 // 0: not known
}

// newBound returns a slider without a bound.
func newBound(s *slider) *bound {
	b := &bound{slider: &s.Slider, within: canvas.NewRectangle(nil), beyond: canvas.NewRectangle(nil)}
	b.object = container.New(b, s, b.within, b.beyond)
	b.show(0)
	return b
}

// show sets the bound; 0 for none.
func (b *bound) show(at float64) {
	b.at = at
	b.within.FillColor, b.beyond.FillColor = theme.Color(theme.ColorNameSuccess), theme.Color(theme.ColorNameWarning)
	b.within.Hidden, b.beyond.Hidden = at <= 0, at <= 0 || at >= b.slider.Max
	if size := b.object.Size(); size.Width > 0 {
		b.Layout(nil, size)
	}
	b.object.Refresh()
}

// Layout implements fyne.Layout: the marks lie below the track, which begins where Fyne's slider begins it.
func (b *bound) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	b.slider.Resize(size)
	end := (theme.Size(theme.SizeNameInlineIcon)-4)/2 + theme.Size(theme.SizeNameInnerPadding) - 1.5
	track := max(size.Width-2*end, 0)
	share := float32(0)
	if b.slider.Max > b.slider.Min {
		share = float32((min(b.at, b.slider.Max) - b.slider.Min) / (b.slider.Max - b.slider.Min))
	}
	const thick = 2
	y := size.Height - 2*thick
	b.within.Move(fyne.NewPos(end, y))
	b.within.Resize(fyne.NewSize(share*track, thick))
	b.beyond.Move(fyne.NewPos(end+share*track, y))
	b.beyond.Resize(fyne.NewSize((1-share)*track, thick))
}

// MinSize implements fyne.Layout.
func (b *bound) MinSize([]fyne.CanvasObject) fyne.Size { return b.slider.MinSize() }

// Quick is the line that stands for the column if that is hidden: strength, run, and the
// verdict on the slice.
type Quick struct {
	panel.Base
	h       *host.Host
	Verdict *widget.Label
	Dial    *Dial
	content *fyne.Container
}

// NewQuick returns the line that stands for the column of a workbench.
func NewQuick(h *host.Host) panel.Panel {
	q := &Quick{h: h, Verdict: widget.NewLabel("")}
	q.Dial = NewDial((&Panel{h: h}).hooks(), func() {
		h.Tip.Hide()
		h.Run(h.Command("strip"))
	}, func(o fyne.CanvasObject, in bool) {
		if in {
			h.Tip.Show(o, h.Command("strip").Hint())
		} else {
			h.Tip.Hide()
		}
	})
	q.content = container.NewHBox(container.NewCenter(q.Verdict), q.Dial)
	return q
}

// Dock implements panel.Panel.
func (q *Quick) Dock() panel.Dock { return panel.Dock{Area: panel.Quick, Object: q.content} }

// Show implements panel.Panel.
func (q *Quick) Show(now panel.Snapshot) {
	q.Dial.Display(snapshot(now.Session))
	text, importance := "", widget.LowImportance
	if m := now.Session.Measures.Slice(); m.Known && m.Current && !panel.Arrives(now.Session) {
		text, importance = language.Of(m.Judgement.Message()), verdictImportance[m.Judgement]
	}
	if q.Verdict.Text != text || q.Verdict.Importance != importance {
		q.Verdict.Importance = importance
		q.Verdict.SetText(text)
	}
}

// verdictImportance gives verdicts their colours.
var verdictImportance = map[verdict.Word]widget.Importance{
	verdict.Good: widget.SuccessImportance, verdict.Fades: widget.WarningImportance, verdict.Texture: widget.WarningImportance,
}
