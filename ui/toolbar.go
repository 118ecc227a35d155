package ui

import (
	"fmt"
	"slices"

	"quell/ui/control"
	"quell/ui/session"
	"quell/ui/viewer"
	"quell/volume"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// shareWidth is the width of the slider of a comparison.
const shareWidth = 90

// presetsWidth is wide enough for the longest name of a window preset and its numbers.
const presetsWidth = 196

// toolbar is the line of frequent commands above the pictures.
type toolbar struct {
	widget.BaseWidget
	layouts *control.Radio
	modes   *control.Radio // of the comparison
	share   *control.Slider
	shares  *fyne.Container // share, at its width
	windows *control.Select
	presets []volume.Window
	unnamed volume.Window // the window shown where it is none of the presets
	tools   *toolButtons
	export  *control.Button
	fit     *control.Button
	actual  *control.Button
	undo    *control.Button
	redo    *control.Button
	noise   *control.Button
	marks   *control.Button // of structure in the residual
	content fyne.CanvasObject
	busy    bool
}

func newToolbar(w *Workbench) *toolbar {
	t := &toolbar{}
	state := w.session.State()
	t.layouts = control.NewRadio(layoutNames, func(name string) {
		if !t.busy {
			w.run(w.command("layout-" + name))
		}
	})
	w.tips(t.layouts, func(name string) string { return "layout-" + name })
	t.addComparison(w)
	t.windows = control.NewSelect(nil, nil)
	t.windows.PlaceHolder = lang.L("Window …")
	t.windows.OnChanged = func(string) {
		if i := t.windows.SelectedIndex(); !t.busy && i >= 0 {
			state.SetWindow(t.presets[i])
		}
	}
	t.export = w.commandButton(theme.DocumentSaveIcon(), lang.L("Export"), "export")
	t.fit = w.commandButton(nil, lang.L("Fit"), "fit")
	t.actual = w.commandButton(nil, lang.L("1:1"), "actual")
	t.undo = w.commandButton(theme.ContentUndoIcon(), "", "undo")
	t.redo = w.commandButton(theme.ContentRedoIcon(), "", "redo")
	t.noise = w.commandButton(nil, lang.L("Noise map"), "noise-map")
	t.marks = w.commandButton(nil, lang.L("Structure"), "structure")
	ground := canvas.NewRectangle(nil)
	ground.SetMinSize(fyne.NewSize(presetsWidth, 0))
	t.tools = newToolButtons(w)
	row := container.NewHBox
	t.content = container.NewBorder(nil, widget.NewSeparator(), nil, nil, container.New(fittingLayout{},
		row(w.commandButton(theme.FolderOpenIcon(), lang.L("Open"), "open-folder"), t.export, widget.NewSeparator(),
			t.layouts, widget.NewSeparator(), t.modes, widget.NewSeparator(), container.NewStack(ground, t.windows),
			t.fit, t.actual, widget.NewSeparator()),
		row(t.tools.content, widget.NewSeparator()), row(t.undo, t.redo, widget.NewSeparator()), row(t.shares), row(t.noise), row(t.marks),
	))
	t.ExtendBaseWidget(t)
	return t
}

// addComparison makes the row of the modes of comparison, and the slider that places a
// divider or mixes the sides.
func (t *toolbar) addComparison(w *Workbench) {
	state := w.session.State()
	var names []string
	for m := range viewer.Modes {
		names = append(names, lang.L(m.String()))
	}
	t.modes = control.NewRadio(names, func(name string) {
		if !t.busy {
			w.compare(viewer.Mode(slices.Index(names, name)))
		}
	})
	w.tips(t.modes, func(name string) string { return modeID(viewer.Mode(slices.Index(names, name))) })
	t.share = control.NewSlider(0, 1)
	t.share.Step = 0.01
	t.share.OnChanged = func(x float64) {
		if !t.busy {
			state.SetShare(x)
		}
	}
	ground := canvas.NewRectangle(nil)
	ground.SetMinSize(fyne.NewSize(shareWidth, 0))
	t.shares = container.NewStack(ground, t.share)
	t.shares.Hide()
}

// showComparison shows the mode that is set.
func (t *toolbar) showComparison(c viewer.Comparison) {
	t.modes.SetSelected(lang.L(c.Mode.String()))
	if divided := c.Mode == viewer.Curtain || c.Mode == viewer.Fade; divided == t.shares.Hidden {
		t.shares.Hidden = !divided
		t.content.Refresh()
	}
	t.share.SetValue(c.Share)
}

// CreateRenderer implements fyne.Widget.
func (t *toolbar) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(t.content) }

func (t *toolbar) display(s *session.Session, layout string) {
	t.busy = true
	defer func() { t.busy = false }()
	t.layouts.SetSelected(layout)
	t.tools.display(s)
	series, state := s.Series(), s.State()
	if series == nil {
		for _, o := range []fyne.Disableable{t.modes, t.windows, t.export, t.fit, t.actual, t.undo, t.redo, t.noise, t.marks} {
			setEnabled(o, false)
		}
		t.shares.Hide()
		if len(t.windows.Options) > 0 {
			t.windows.PlaceHolder, t.windows.Options = lang.L("Window …"), nil
			t.windows.ClearSelected()
		}
		return
	}
	for _, o := range []fyne.Disableable{t.modes, t.windows, t.fit, t.actual, t.marks} {
		setEnabled(o, true)
	}
	t.showWindows(s)
	t.showComparison(state.Comparison())
	setEnabled(t.export, s.Results.Exportable() != nil && !s.Tasks.Busy())
	setEnabled(t.undo, s.Document().Edits().CanUndo())
	setEnabled(t.redo, s.Document().Edits().CanRedo())
	setEnabled(t.noise, s.Noise.CanMap())
	setPressed(t.noise, s.Noise.Map() != nil)
	setPressed(t.marks, s.Structures.Marked())
}

// showWindows lists the windows stored in the series, then the presets.
func (t *toolbar) showWindows(s *session.Session) {
	series := s.Series()
	t.presets = t.presets[:0]
	var names []string
	for i, own := range series.Windows {
		if own.Name == "" {
			own.Name = lang.L("Series")
			if i > 0 {
				own.Name = fmt.Sprintf(lang.L("Series %d"), i+1)
			}
		}
		t.presets = append(t.presets, own)
	}
	t.presets = append(t.presets, s.State().Automatic())
	t.presets = append(t.presets, s.Screen.WindowPresets()...)
	current, whose := -1, ""
	if s.State().Unlinked() { // on the way to the list the pointer may have crossed the other picture
		whose = map[viewer.Role]string{viewer.Original: lang.L("Original: "), viewer.Denoised: lang.L("Denoised: ")}[s.State().Attended()]
	}
	for i, p := range t.presets {
		names = append(names, fmt.Sprintf("%s%s  %s / %s", whose, windowName(p), short(p.Width), short(p.Center)))
		if w := s.State().Window(); current < 0 && w.Width == p.Width && w.Center == p.Center {
			current = i
		}
	}
	w := s.State().Window()
	if slices.Equal(names, t.windows.Options) && t.windows.SelectedIndex() == current && (current >= 0 || w == t.unnamed) {
		return
	}
	t.unnamed = w
	t.windows.PlaceHolder = whose + fmt.Sprintf("W %s  L %s", short(w.Width), short(w.Center))
	t.windows.Options = names
	if current >= 0 {
		t.windows.SetSelectedIndex(current)
	} else {
		t.windows.ClearSelected()
	}
}
