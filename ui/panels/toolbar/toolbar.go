// Package toolbar is the line of frequent commands above the pictures.
package toolbar

import (
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/ui/command"
	"quell/ui/control"
	"quell/ui/host"
	"quell/ui/panel"
	"quell/ui/session"
	"quell/ui/session/marks"
	"quell/ui/viewer"
	"quell/ui/wording"
	"quell/volume"
)

// shareWidth is the width of the slider of a comparison.
const shareWidth = 90

// layouts are the names of the layouts, as in the IDs of their commands.
var layouts = []string{"1", "1×2", "1×3", "2×2"}

// modeID is the ID of the command of a mode of comparison.
func modeID(m viewer.Mode) string { return "compare-" + strings.ToLower(m.String()) }

// presetsWidth is wide enough for the longest name of a window preset and its numbers.
const presetsWidth = 196

// Panel is the tool bar. Create it with New.
type Panel struct {
	h       *host.Host
	layouts *control.Radio
	modes   *control.Radio // of the comparison
	share   *control.Slider
	Shares  *fyne.Container // share, at its width
	Windows *control.Select
	presets []volume.Window
	unnamed volume.Window // the window shown if it is none of the presets
	tools   *toolButtons
	export  *control.Button
	fit     *control.Button
	actual  *control.Button
	undo    *control.Button
	redo    *control.Button
	noise   *control.Button
	marks   *control.Button // of structure in the residual
	content *fyne.Container
	busy    bool
}

// New returns the tool bar.
func New(h *host.Host) panel.Panel {
	t := &Panel{h: h}
	state := h.Session.State()
	t.layouts = control.NewRadio(layouts, func(name string) {
		if !t.busy {
			h.Run(h.Command("layout-" + name))
		}
	})
	h.Tips(t.layouts, func(name string) string { return "layout-" + name })
	t.addComparison()
	t.Windows = control.NewSelect(lang.L("Window width and level"), nil, nil)
	t.Windows.PlaceHolder = lang.L("Window …")
	t.Windows.OnChanged = func(string) {
		if i := t.Windows.SelectedIndex(); !t.busy && i >= 0 {
			state.Windows.Set(t.presets[i])
		}
	}
	t.export = h.Button(theme.DocumentSaveIcon(), lang.L("Export"), "export")
	t.fit = h.Button(nil, lang.L("Fit"), "fit")
	t.actual = h.Button(nil, lang.L("1:1"), "actual")
	t.undo = h.Button(theme.ContentUndoIcon(), "", "undo")
	t.redo = h.Button(theme.ContentRedoIcon(), "", "redo")
	t.noise = h.Button(nil, lang.L("Noise map"), "noise-map")
	t.marks = h.Button(nil, lang.L("Anatomy"), "structure")
	ground := canvas.NewRectangle(nil)
	ground.SetMinSize(fyne.NewSize(presetsWidth, 0))
	t.tools = newToolButtons(h)
	row := container.NewHBox
	t.content = container.NewBorder(nil, widget.NewSeparator(), nil, nil, container.New(fittingLayout{},
		row(h.Button(theme.FolderOpenIcon(), lang.L("Open"), "open-folder"), t.export, widget.NewSeparator(),
			t.layouts, widget.NewSeparator(), t.modes, widget.NewSeparator(), container.NewStack(ground, t.Windows),
			t.fit, t.actual, widget.NewSeparator()),
		row(t.tools.content, widget.NewSeparator()), row(t.undo, t.redo, widget.NewSeparator()), row(t.Shares), row(t.noise), row(t.marks),
	))
	return t
}

// addComparison makes the row of the modes of comparison, and the slider that places a
// divider or mixes the sides.
func (t *Panel) addComparison() {
	state := t.h.Session.State()
	var names []string
	for m := range viewer.Modes {
		names = append(names, lang.L(m.String()))
	}
	t.modes = control.NewRadio(names, func(name string) {
		if !t.busy {
			t.h.Run(t.h.Command(modeID(viewer.Mode(slices.Index(names, name)))))
		}
	})
	t.h.Tips(t.modes, func(name string) string { return modeID(viewer.Mode(slices.Index(names, name))) })
	t.share = control.NewSlider(lang.L("Share of the denoised picture"), 0, 1)
	t.share.Step = 0.01
	t.share.OnChanged = func(x float64) {
		if !t.busy {
			state.SetShare(x)
		}
	}
	ground := canvas.NewRectangle(nil)
	ground.SetMinSize(fyne.NewSize(shareWidth, 0))
	t.Shares = container.NewStack(ground, t.share)
	t.Shares.Hide()
}

// showComparison shows the mode that is set.
func (t *Panel) showComparison(c viewer.Comparison) {
	t.modes.SetSelected(lang.L(c.Mode.String()))
	if divided := c.Mode == viewer.Swipe || c.Mode == viewer.Fade; divided == t.Shares.Hidden {
		t.Shares.Hidden = !divided
		t.content.Refresh()
	}
	t.share.SetValue(c.Share)
}

// Dock implements panel.Panel.
func (t *Panel) Dock() panel.Dock { return panel.Dock{Area: panel.Toolbar, Object: t.content} }

// Commands implements panel.Panel.
func (t *Panel) Commands() []command.Command {
	s := t.h.Session
	history := func(can func() bool) func() bool {
		return func() bool { return s.Document() != nil && can() }
	}
	return []command.Command{
		{ID: "undo", Title: "Undo", Menu: command.EditMenu, Chords: command.With(command.Ctrl, fyne.KeyZ), Run: s.History.Undo,
			Enabled: history(func() bool { return s.Document().Edits().CanUndo() })},
		{ID: "redo", Title: "Redo", Menu: command.EditMenu, Run: s.History.Redo,
			Chords:  append(command.With(command.Ctrl, fyne.KeyY), command.With(command.Ctrl|fyne.KeyModifierShift, fyne.KeyZ)...),
			Enabled: history(func() bool { return s.Document().Edits().CanRedo() })},
	}
}

// Show implements panel.Panel.
func (t *Panel) Show(now panel.Snapshot) {
	s := now.Session
	t.busy = true
	defer func() { t.busy = false }()
	for _, name := range layouts {
		if t.h.Command("layout-" + name).Checked() {
			t.layouts.SetSelected(name)
		}
	}
	t.tools.display(s)
	series, state := s.Series(), s.State()
	if series == nil {
		for _, o := range []fyne.Disableable{t.modes, t.Windows, t.export, t.fit, t.actual, t.undo, t.redo, t.noise, t.marks} {
			control.SetEnabled(o, false)
		}
		t.Shares.Hide()
		if len(t.Windows.Options) > 0 {
			t.Windows.PlaceHolder, t.Windows.Options = lang.L("Window …"), nil
			t.Windows.ClearSelected()
		}
		return
	}
	for _, o := range []fyne.Disableable{t.modes, t.Windows, t.fit, t.actual, t.marks} {
		control.SetEnabled(o, true)
	}
	t.showWindows(s)
	t.showComparison(state.Comparison())
	control.SetEnabled(t.export, s.Results.Exportable() != nil && !s.Tasks.Busy())
	control.SetEnabled(t.undo, s.Document().Edits().CanUndo())
	control.SetEnabled(t.redo, s.Document().Edits().CanRedo())
	control.SetEnabled(t.noise, s.Noise.CanMap())
	control.SetPressed(t.noise, s.Noise.Map() != nil)
	control.SetPressed(t.marks, s.Structures.Marked())
}

// showWindows lists the windows stored in the series, then the presets.
func (t *Panel) showWindows(s *session.Session) {
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
	t.presets = append(t.presets, s.State().Windows.Automatic())
	t.presets = append(t.presets, s.Screen.WindowPresets()...)
	current, whose := -1, ""
	if s.State().Windows.Unlinked() { // on the way to the list the pointer may have crossed the other picture
		whose = map[viewer.Role]string{viewer.Original: lang.L("Original: "), viewer.Denoised: lang.L("Denoised: ")}[s.State().Windows.Attended()]
	}
	for i, p := range t.presets {
		names = append(names, fmt.Sprintf("%s%s  %s / %s", whose, wording.Window(p), wording.Short(p.Width), wording.Short(p.Center)))
		if w := s.State().Windows.Current(); current < 0 && w.Width == p.Width && w.Center == p.Center {
			current = i
		}
	}
	w := s.State().Windows.Current()
	if slices.Equal(names, t.Windows.Options) && t.Windows.SelectedIndex() == current && (current >= 0 || w == t.unnamed) {
		return
	}
	t.unnamed = w
	t.Windows.PlaceHolder = whose + fmt.Sprintf("W %s  L %s", wording.Short(w.Width), wording.Short(w.Center))
	t.Windows.Options = names
	if current >= 0 {
		t.Windows.SetSelectedIndex(current)
	} else {
		t.Windows.ClearSelected()
	}
}

// tools are the tools with their commands, in the order of the buttons. Each shape is a path on a grid of
// 24 x 24. It is an area, as Fyne gives its colour to areas alone: an inner edge runs the other way round.
var tools = []struct {
	tool      marks.Tool
	id, shape string
}{
	{marks.EllipseTool, "tool-ellipse", "M2 12A10 7.5 0 1 1 22 12A10 7.5 0 1 1 2 12ZM4 12A8 5.5 0 1 0 20 12A8 5.5 0 1 0 4 12Z"},
	{marks.RectangleTool, "tool-rectangle", "M2 4.5H22V19.5H2ZM4 6.5V17.5H20V6.5Z"},
	{marks.FreehandTool, "tool-freehand", "M5 15C1 9 6 3 11 5C16 7 15 9 19 8C23 7 22 17 16 19C10 21 8 19 5 15Z" +
		"M6.8 14.4C9 17.4 10.5 18.9 15 17.4C19.5 15.9 20.2 8.4 17.2 9.6C14.2 10.4 15 8.4 11.2 6.9C7.5 5.4 3.8 9.9 6.8 14.4Z"},
	{marks.LineTool, "tool-line", "M4.3 18.3L18.3 4.3L19.7 5.7L5.7 19.7ZM2.3 16.7L3.7 15.3L8.7 20.3L7.3 21.7ZM15.3 3.7L16.7 2.3L21.7 7.3L20.3 8.7Z"},
}

// toolButtons take the tools that draw ROIs and lines.
type toolButtons struct {
	buttons map[marks.Tool]*control.Button
	content *fyne.Container
}

func newToolButtons(h *host.Host) *toolButtons {
	t := &toolButtons{buttons: map[marks.Tool]*control.Button{}, content: container.NewHBox()}
	for _, tool := range tools {
		svg := `<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24"><path d="` + tool.shape + `"/></svg>`
		icon := theme.NewThemedResource(fyne.NewStaticResource(tool.id+".svg", []byte(svg)))
		t.buttons[tool.tool] = h.Button(icon, "", tool.id)
		t.content.Add(t.buttons[tool.tool])
	}
	return t
}

func (t *toolButtons) display(s *session.Session) {
	for tool, b := range t.buttons {
		control.SetEnabled(b, s.Series() != nil)
		control.SetPressed(b, s.Marks.Tool() == tool)
	}
}

// fittingLayout places containers in a row, and hides the last ones if they do not fit:
// a tool bar does not make the window wider. What it hides is in the menus.
type fittingLayout struct{}

// Layout implements fyne.Layout.
func (fittingLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	x, full := float32(0), false
	for _, o := range objects {
		m := o.MinSize()
		full = full || x+m.Width > size.Width
		o.(*fyne.Container).Hidden = full
		o.Move(fyne.NewPos(x, 0))
		o.Resize(fyne.NewSize(m.Width, size.Height))
		x += m.Width + theme.Padding()
	}
}

// MinSize implements fyne.Layout.
func (fittingLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var size fyne.Size
	for _, o := range objects {
		size.Height = max(size.Height, o.MinSize().Height)
	}
	return size
}
