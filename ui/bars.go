package ui

import (
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/denoise"
	"quell/series"
	"quell/ui/session"
	"quell/ui/viewer"
	"quell/volume"
)

// sliceBar is the slider below the pictures that runs through the slices.
type sliceBar struct {
	widget.BaseWidget
	slider  *widget.Slider
	label   *widget.Label
	content fyne.CanvasObject
	busy    bool
}

func newSliceBar(state *viewer.State) *sliceBar {
	b := &sliceBar{slider: widget.NewSlider(1, 1), label: widget.NewLabel("")}
	b.slider.OnChanged = func(x float64) {
		if !b.busy {
			state.SetIndex(int(x) - 1)
		}
	}
	ground := canvas.NewRectangle(nil)
	ground.SetMinSize(fyne.NewSize(170, 0))
	b.content = container.NewBorder(nil, nil, container.NewStack(ground, b.label), nil, b.slider)
	b.ExtendBaseWidget(b)
	return b
}

// CreateRenderer implements fyne.Widget.
func (b *sliceBar) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(b.content) }

func (b *sliceBar) display(state *viewer.State) {
	n := state.View().Size[2]
	b.busy = true
	defer func() { b.busy = false }()
	if state.Volume() == nil {
		b.slider.Disable()
		return
	}
	b.slider.Max = float64(max(n, 1))
	if n > 1 {
		b.slider.Enable()
	} else {
		b.slider.Disable()
	}
	b.slider.SetValue(float64(state.Index() + 1))
	setText(b.label, fmt.Sprintf("%s slice %d of %d", state.View().Plane, state.Index()+1, n))
}

// windowsWidth holds the longest preset's name and numbers.
const windowsWidth = 230

// toolbar is the line above the pictures: what is used most, one click away.
type toolbar struct {
	widget.BaseWidget
	planes  *widget.RadioGroup
	windows *widget.Select
	presets []volume.Window
	unnamed volume.Window // the window shown while it is none of the presets
	export  *widget.Button
	fit     *widget.Button
	undo    *widget.Button
	redo    *widget.Button
	content fyne.CanvasObject
	busy    bool
}

func newToolbar(w *Window) *toolbar {
	t := &toolbar{}
	state := w.session.State()
	var names []string
	for p := volume.Axial; p <= volume.Sagittal; p++ {
		name := p.String()
		names = append(names, strings.ToUpper(name[:1])+name[1:])
	}
	t.planes = widget.NewRadioGroup(names, func(name string) {
		for p := volume.Axial; p <= volume.Sagittal; p++ {
			if !t.busy && strings.EqualFold(p.String(), name) {
				state.SetPlane(p)
			}
		}
	})
	t.planes.Horizontal, t.planes.Required = true, true
	t.windows = widget.NewSelect(nil, nil)
	t.windows.PlaceHolder = "Window …"
	t.windows.OnChanged = func(string) {
		if i := t.windows.SelectedIndex(); !t.busy && i >= 0 {
			state.SetWindow(t.presets[i])
		}
	}
	t.export = iconButton(exportIcon(), "Export …", w.askExport)
	t.fit = iconButton(theme.ZoomFitIcon(), "Fit", state.Fit)
	t.undo = iconButton(theme.ContentUndoIcon(), "", w.session.Undo)
	t.redo = iconButton(theme.ContentRedoIcon(), "", w.session.Redo)
	ground := canvas.NewRectangle(nil)
	ground.SetMinSize(fyne.NewSize(windowsWidth, 0))
	tools := container.NewHBox(
		iconButton(openIcon(), "Open …", func() { w.askFolder(w.Open) }), t.export, widget.NewSeparator(),
		t.planes, widget.NewSeparator(), container.NewStack(ground, t.windows),
		t.fit, widget.NewSeparator(), t.undo, t.redo,
	)
	t.content = container.NewBorder(nil, widget.NewSeparator(), tools, nil)
	t.ExtendBaseWidget(t)
	return t
}

// CreateRenderer implements fyne.Widget.
func (t *toolbar) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(t.content) }

func (t *toolbar) display(s *session.Session) {
	t.busy = true
	defer func() { t.busy = false }()
	series, state := s.Series(), s.State()
	if series == nil {
		for _, o := range []fyne.Disableable{t.planes, t.windows, t.export, t.fit, t.undo, t.redo} {
			setEnabled(o, false)
		}
		return
	}
	for _, o := range []fyne.Disableable{t.planes, t.windows, t.fit} {
		setEnabled(o, true)
	}
	name := state.View().Plane.String()
	t.planes.SetSelected(strings.ToUpper(name[:1]) + name[1:])
	t.showWindows(s)
	setEnabled(t.export, s.Exportable() != nil)
	setEnabled(t.undo, s.Document().Recipes().CanUndo())
	setEnabled(t.redo, s.Document().Recipes().CanRedo())
}

// showWindows lists the series' own windows first, then the usual ones.
func (t *toolbar) showWindows(s *session.Session) {
	series := s.Series()
	t.presets = t.presets[:0]
	var names []string
	for i, own := range series.Windows {
		if own.Name == "" {
			own.Name = "Series"
			if i > 0 {
				own.Name = fmt.Sprintf("Series %d", i+1)
			}
		}
		t.presets = append(t.presets, own)
	}
	t.presets = append(t.presets, s.State().Automatic())
	t.presets = append(t.presets, volume.Presets(series.Modality)...)
	current := -1
	for i, p := range t.presets {
		names = append(names, fmt.Sprintf("%s  %s / %s", p.Name, short(p.Width), short(p.Center)))
		if w := s.State().Window(); current < 0 && w.Width == p.Width && w.Center == p.Center {
			current = i
		}
	}
	w := s.State().Window()
	if slices.Equal(names, t.windows.Options) && t.windows.SelectedIndex() == current && (current >= 0 || w == t.unnamed) {
		return
	}
	t.unnamed = w
	t.windows.PlaceHolder = fmt.Sprintf("W %s  L %s", short(w.Width), short(w.Center))
	t.windows.Options = names
	if current >= 0 {
		t.windows.SetSelectedIndex(current)
	} else {
		t.windows.ClearSelected()
	}
}

// statusBar is the line at the bottom: errands and their end, what the engine
// runs on, what the reader found, and what the program is not for.
type statusBar struct {
	widget.BaseWidget
	text     *widget.Label
	bar      *widget.ProgressBar
	cancel   *widget.Button
	findings *widget.Button
	engine   *widget.Label
	content  fyne.CanvasObject
	noted    string
	worst    series.Severity // of the findings shown
}

func newStatusBar(w *Window) *statusBar {
	b := &statusBar{
		text: caption(""), bar: widget.NewProgressBar(), engine: caption(""),
		cancel:   iconButton(theme.CancelIcon(), "Cancel", w.session.Cancel),
		findings: iconButton(theme.WarningIcon(), "", w.showFindings),
	}
	b.text.Truncation = fyne.TextTruncateEllipsis
	clinical := caption("Not for clinical use")
	clinical.Importance = widget.WarningImportance
	ground := canvas.NewRectangle(nil)
	ground.SetMinSize(fyne.NewSize(140, 0))
	right := container.NewHBox(container.NewStack(ground, b.bar), b.cancel, b.findings, b.engine, widget.NewSeparator(), clinical)
	b.content = container.New(layout.NewCustomPaddedVBoxLayout(0), widget.NewSeparator(), container.NewBorder(nil, nil, nil, right, b.text))
	b.ExtendBaseWidget(b)
	return b
}

// CreateRenderer implements fyne.Widget.
func (b *statusBar) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(b.content) }

// note shows a line until something else happens.
func (b *statusBar) note(text string) {
	b.noted = text
	setText(b.text, text)
}

func (b *statusBar) display(s *session.Session) {
	p := s.Progress()
	running := p.Kind != session.Idle
	// The volume's progress is beside its button.
	b.cancel.Hidden = !running || p.Kind == session.Applying
	b.bar.Hidden = b.cancel.Hidden || p.Fraction == 0
	if !b.bar.Hidden {
		b.bar.SetValue(p.Fraction)
	}
	switch {
	case p.Kind == session.Applying:
		setText(b.text, "")
	case running:
		b.noted = ""
		setText(b.text, p.Text)
	case s.Message() != "":
		setText(b.text, s.Message())
	case b.noted != "":
		setText(b.text, b.noted)
	case s.Series() == nil:
		setText(b.text, "Open a series, or drop a file or folder on the window.")
	default:
		setText(b.text, "")
	}
	setText(b.engine, engineText(s.Engine()))
	b.showFindings(s.Series())
}

func (b *statusBar) showFindings(s *series.Series) {
	n, worst := 0, series.Note
	if s != nil {
		n = len(s.Findings)
		for _, f := range s.Findings {
			worst = max(worst, f.Severity)
		}
	}
	b.findings.Hidden = n == 0
	text := fmt.Sprintf("%d findings", n)
	if n == 1 {
		text = "1 finding"
	}
	icon := theme.InfoIcon()
	if worst > series.Note {
		icon = theme.NewWarningThemedResource(theme.WarningIcon())
	}
	if b.findings.Text != text || b.worst != worst {
		b.worst, b.findings.Icon = worst, icon
		b.findings.SetText(text)
	}
}

func engineText(i denoise.Info) string {
	text := i.Name
	if i.Device != "" {
		text += " · " + i.Device
	}
	if i.Cores > 0 {
		text += fmt.Sprintf(" · %d cores", i.Cores)
	}
	return text
}

func caption(text string) *widget.Label {
	l := widget.NewLabel(text)
	l.SizeName = theme.SizeNameCaptionText
	return l
}

// setText spares the redrawing of labels that already say so: the bars are
// refreshed with every move of the pointer.
func setText(l *widget.Label, text string) {
	if l.Text != text {
		l.SetText(text)
	}
}

func setEnabled(o fyne.Disableable, on bool) {
	switch {
	case on && o.Disabled():
		o.Enable()
	case !on && !o.Disabled():
		o.Disable()
	}
}
