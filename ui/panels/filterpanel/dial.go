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

// Dial is the panel in one line, for a workbench that gives its place to the pictures: the
// strength of the filter, and the run over the volume. Create it with NewDial.
type Dial struct {
	widget.BaseWidget
	hooks Hooks
	shown Snapshot
	built string // the filter that the row belongs to
	row   *row

	name     *control.Button // of the strength; it opens the panel
	strength *fyne.Container // of the row
	apply    *control.Button
	content  fyne.CanvasObject
}

// NewDial returns an empty line. Of the hooks it calls Changed, Apply and Cancel; open is
// called to show the panel, hover when the pointer enters (true) or leaves what does so.
func NewDial(hooks Hooks, open func(), hover func(o fyne.CanvasObject, in bool)) *Dial {
	d := &Dial{hooks: hooks, strength: container.NewStack()}
	d.name = control.NewButton("", theme.SettingsIcon(), open)
	d.name.Importance = widget.LowImportance
	d.name.OnHover = func(in bool) { hover(d.name, in) }
	d.apply = control.NewButton("", nil, func() {
		if d.shown.Running {
			d.hooks.Cancel()
		} else {
			d.hooks.Apply()
		}
	})
	d.apply.Importance = widget.HighImportance
	d.content = container.NewCenter(container.NewHBox(d.name, d.strength, d.apply))
	d.ExtendBaseWidget(d)
	return d
}

// CreateRenderer implements fyne.Widget.
func (d *Dial) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(d.content) }

// Display shows a snapshot; it returns at once if nothing has changed.
func (d *Dial) Display(s Snapshot) {
	if d.built != "" && s.same(d.shown) {
		return
	}
	d.shown = s
	f, err := denoise.FilterByName(s.Recipe.Filter)
	if err != nil {
		return
	}
	if d.built != f.Name {
		d.build(f)
	}
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

// build makes the row of the filter's strength.
func (d *Dial) build(f denoise.Filter) {
	d.built = f.Name
	param, _ := f.Param(f.Strength.Param)
	d.row = newRow(param, rowHooks{
		changed: func(param denoise.Param, v denoise.Value, final bool) {
			d.hooks.Changed(d.shown.Recipe.Set(param.Name, v), final)
		},
		help:  func(string, string) {},
		leave: func() {},
		line:  true,
	})
	d.name.SetText(lang.L(param.Label))
	d.strength.RemoveAll()
	d.strength.Add(d.row.object)
}
