package filterpanel

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/denoise"
	"quell/ui/control"
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
	enable(d.apply, s.Running || s.Ready && !s.Busy && !s.Applied)
}
