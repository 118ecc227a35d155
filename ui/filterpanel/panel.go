package filterpanel

import (
	"fmt"
	"reflect"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/denoise"
)

// Snapshot is everything the panel shows.
type Snapshot struct {
	Ready    bool           // a series is open
	Recipe   denoise.Recipe // what the user asks for
	Resolved denoise.Recipe // with automatic values found; equal to Recipe where they could not be
	Facts    denoise.Facts
	Unit     string // of the volume's values

	AutoPreview bool
	Preview     string // what became of the last preview: "slice 12 in 35 ms"
	Problem     bool   // Preview is an error's sentence

	Running  bool    // the volume is being filtered
	Fraction float64 // of the voxels done
	Progress string  // voxels done and time left
	Applied  bool    // the whole volume shows the recipe
}

// Hooks is what the user does, called on the UI goroutine.
type Hooks struct {
	// Changed brings a new recipe; final is false while a slider moves.
	Changed     func(r denoise.Recipe, final bool)
	AutoPreview func(on bool)
	Preview     func()
	Apply       func()
	Cancel      func()
	Refused     func(err error) // what was typed is outside a parameter's domain
}

// Panel is the filter column. Create it with New.
type Panel struct {
	widget.BaseWidget
	hooks Hooks
	shown Snapshot
	busy  bool // widgets are being set, not used

	filter *widget.Select
	dims   *widget.RadioGroup
	about  *widget.Label
	basic  *fyne.Container
	others *fyne.Container
	more   *widget.Button
	help   *widget.Label
	rows   []*row
	built  string // the filter whose rows are there

	auto     *widget.Check
	preview  *widget.Button
	status   *widget.Label
	apply    *widget.Button
	cancel   *widget.Button
	bar      *widget.ProgressBar
	progress *widget.Label

	content fyne.CanvasObject
}

// New returns a panel that shows nothing yet.
func New(hooks Hooks) *Panel {
	p := &Panel{hooks: hooks}
	p.build()
	p.ExtendBaseWidget(p)
	return p
}

// CreateRenderer implements fyne.Widget.
func (p *Panel) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(p.content) }

func (p *Panel) build() {
	var titles []string
	for _, f := range denoise.Filters() {
		titles = append(titles, f.Title)
	}
	p.filter = widget.NewSelect(titles, func(title string) {
		i := slices.Index(titles, title)
		if p.busy || i < 0 {
			return
		}
		p.choose(denoise.Filters()[i])
	})
	p.dims = widget.NewRadioGroup(nil, func(label string) {
		if p.busy {
			return
		}
		r := p.shown.Recipe
		r.Dims = dimsOf(label)
		p.hooks.Changed(r, true)
	})
	p.dims.Horizontal = true
	p.dims.Required = true
	p.about = small("")

	p.basic = container.New(layout.NewCustomPaddedVBoxLayout(2))
	p.others = container.New(layout.NewCustomPaddedVBoxLayout(2))
	p.others.Hide()
	p.more = widget.NewButtonWithIcon("More parameters", theme.MenuDropDownIcon(), func() { p.showMore(p.others.Hidden) })
	p.more.Importance = widget.LowImportance
	p.more.Alignment = widget.ButtonAlignLeading
	reset := widget.NewButtonWithIcon("Defaults", theme.ViewRefreshIcon(), func() {
		if r, err := denoise.NewRecipe(p.shown.Recipe.Filter, p.shown.Recipe.Dims); err == nil {
			p.hooks.Changed(r, true)
		}
	})
	reset.Importance = widget.LowImportance
	p.help = small(noHelp)

	p.auto = widget.NewCheck("Preview while tuning", func(on bool) {
		if !p.busy {
			p.hooks.AutoPreview(on)
		}
	})
	p.preview = widget.NewButton("Preview", func() { p.hooks.Preview() })
	p.status = small("")
	p.apply = widget.NewButtonWithIcon("Apply to volume", theme.MediaPlayIcon(), func() { p.hooks.Apply() })
	p.apply.Importance = widget.HighImportance
	p.cancel = widget.NewButtonWithIcon("Cancel", theme.CancelIcon(), func() { p.hooks.Cancel() })
	p.bar = widget.NewProgressBar()
	p.progress = small("")

	head := container.NewVBox(
		container.NewBorder(nil, nil, nil, p.dims, p.filter),
		fixedLines(p.about, 4),
		widget.NewSeparator(),
	)
	// The rows stay clear of the scroll bar.
	params := container.NewVScroll(container.New(layout.NewCustomPaddedLayout(0, 0, 0, 10),
		container.NewVBox(p.basic, container.NewBorder(nil, nil, p.more, reset), p.others)))
	foot := container.NewVBox(
		widget.NewSeparator(),
		fixedLines(p.help, 4),
		widget.NewSeparator(),
		container.NewBorder(nil, nil, p.auto, p.preview),
		p.status,
		container.NewStack(p.apply, container.NewBorder(nil, nil, nil, p.cancel, p.bar)),
		p.progress,
	)
	p.content = container.NewBorder(head, foot, nil, nil, params)
}

const noHelp = "Point at a parameter to read what it does."

// small returns a quiet label that wraps.
func small(text string) *widget.Label {
	l := widget.NewLabel(text)
	l.SizeName = theme.SizeNameCaptionText
	l.Importance = widget.LowImportance
	l.Wrapping = fyne.TextWrapWord
	return l
}

// fixedLines gives a wrapping label the height of n lines, so that nothing jumps
// under the pointer when its text changes.
func fixedLines(l *widget.Label, n int) fyne.CanvasObject {
	line := fyne.MeasureText("M", theme.Size(l.SizeName), fyne.TextStyle{}).Height
	ground := canvas.NewRectangle(nil)
	ground.SetMinSize(fyne.NewSize(0, float32(n)*line+2*theme.InnerPadding()))
	return container.NewStack(ground, l)
}

// choose starts the defaults of another filter, in the dimensionality in use
// where it has it.
func (p *Panel) choose(f denoise.Filter) {
	dims := p.shown.Recipe.Dims
	if !slices.Contains(f.Dims, dims) {
		dims = 0
	}
	if r, err := denoise.NewRecipe(f.Name, dims); err == nil {
		p.hooks.Changed(r, true)
	}
}

func dimsLabel(n int) string { return fmt.Sprintf("%d-D", n) }

func dimsOf(label string) int {
	var n int
	if _, err := fmt.Sscanf(label, "%d-D", &n); err != nil {
		return 0
	}
	return n
}

func (p *Panel) showMore(on bool) {
	if on {
		p.others.Show()
		p.more.SetText("Fewer parameters")
		p.more.SetIcon(theme.MenuDropUpIcon())
	} else {
		p.others.Hide()
		p.more.SetText("More parameters")
		p.more.SetIcon(theme.MenuDropDownIcon())
	}
}

// same says whether two snapshots look alike.
func (s Snapshot) same(o Snapshot) bool {
	recipes := s.Recipe.Equal(o.Recipe) && s.Resolved.Equal(o.Resolved)
	s.Recipe, s.Resolved, o.Recipe, o.Resolved = denoise.Recipe{}, denoise.Recipe{}, denoise.Recipe{}, denoise.Recipe{}
	return recipes && reflect.DeepEqual(s, o)
}

// Display shows a snapshot. It costs nothing where it shows what is there.
func (p *Panel) Display(s Snapshot) {
	if p.built != "" && s.same(p.shown) {
		return
	}
	p.busy = true
	defer func() { p.busy = false }()
	p.shown = s
	if f, err := denoise.FilterByName(s.Recipe.Filter); err == nil {
		p.showFilter(f)
	}
	for _, r := range p.rows {
		r.show(s.Recipe.Get(r.param.Name), s.Resolved.Get(r.param.Name), s)
	}
	enable(p.filter, s.Ready)
	enable(p.dims, s.Ready)

	p.auto.SetChecked(s.AutoPreview)
	p.preview.Hidden = s.AutoPreview
	enable(p.preview, s.Ready && !s.AutoPreview)
	p.status.Importance = widget.LowImportance
	if s.Problem {
		p.status.Importance = widget.WarningImportance
	}
	p.status.SetText(s.Preview)
	p.showRun(s)
}

func (p *Panel) showFilter(f denoise.Filter) {
	if p.built != f.Name {
		p.buildRows(f)
	}
	p.filter.SetSelected(f.Title)
	var labels []string
	for _, n := range f.Dims {
		labels = append(labels, dimsLabel(n))
	}
	if !slices.Equal(p.dims.Options, labels) {
		p.dims.Options = labels
		p.dims.Refresh()
	}
	p.dims.SetSelected(dimsLabel(p.shown.Recipe.Dims))
	for _, r := range p.rows {
		r.object.(*hoverArea).Hidden = p.shown.Recipe.Ignores(r.param.Name) != ""
	}
}

func (p *Panel) showRun(s Snapshot) {
	enable(p.apply, s.Ready && !s.Running && !s.Applied)
	p.apply.Hidden = s.Running
	p.bar.Hidden = !s.Running
	p.cancel.Hidden = !s.Running
	p.bar.SetValue(s.Fraction)
	text := s.Progress
	if text == "" && s.Applied {
		text = "The whole volume shows these parameters."
	}
	p.progress.SetText(text)
}

// buildRows makes the rows of another filter.
func (p *Panel) buildRows(f denoise.Filter) {
	p.built = f.Name
	p.rows = nil
	p.basic.RemoveAll()
	p.others.RemoveAll()
	p.about.SetText(f.Help + " (" + f.Source + ")")
	p.help.SetText(noHelp)
	hooks := rowHooks{
		changed: func(param denoise.Param, v denoise.Value, final bool) {
			p.hooks.Changed(p.shown.Recipe.Set(param.Name, v), final)
		},
		refused: func(param denoise.Param, err error) {
			p.help.SetText(err.Error())
			if p.hooks.Refused != nil {
				p.hooks.Refused(err)
			}
		},
		help: func(title, text string) { p.help.SetText(title + ": " + text) },
	}
	for _, param := range f.Params {
		r := newRow(param, hooks)
		p.rows = append(p.rows, r)
		if param.Basic {
			p.basic.Add(r.object)
		} else {
			p.others.Add(r.object)
		}
	}
	// A filter whose parameters are all basic has no more to show.
	if len(p.others.Objects) == 0 {
		p.more.Hide()
		p.others.Hide()
	} else {
		p.more.Show()
	}
}
