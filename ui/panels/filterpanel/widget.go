package filterpanel

import (
	"fmt"
	"reflect"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/denoise"
	"quell/ui/control"
	"quell/ui/wording"
)

// Snapshot is everything the panel shows.
type Snapshot struct {
	Ready    bool           // a series is open
	Volumes  int            // of the 4-D series that it is in; 0 for none
	Recipe   denoise.Recipe // what the user asks for
	Resolved denoise.Recipe // with automatic values as numbers; Recipe if they are not known
	Facts    denoise.Facts
	Unit     string // of the volume's values

	AutoPreview bool
	Preview     string // state of the last preview: "Slice 12 took 35 ms."
	Problem     bool   // Preview is an error's sentence

	Busy     bool    // a task is in progress, so that no run can start
	Running  bool    // the task is the run over the volume
	Fraction float64 // of the voxels done
	Progress string  // voxels done and time left
	Applied  bool    // the whole volume was filtered with the recipe
	Memory   string  // the memory of a run, if that is much; "" if it is not

	Proposal Proposal // the filter that is expected to gain most

	Carried []string // labels of parameters with values that come from an earlier series

	CanFind   bool // a search for the best strength can start, or be cancelled
	Searching bool // it is in progress

	Bound float64 // up to which strength of the mixture visible objects stay, in percent; 0 if that is not known

	CanDial, Dialling bool // likewise of the strength that keeps visible objects
}

// Hooks are called on the UI goroutine for what the user does.
type Hooks struct {
	// Changed receives a new recipe; final is false while a slider moves.
	Changed     func(r denoise.Recipe, final bool)
	AutoPreview func(on bool)
	Preview     func()
	Find        func() // search for the best strength, or cancel the search
	Dial        func() // search for the strength that keeps visible objects, or cancel the search
	Take        func() // takes the proposed filter
	Apply       func()
	Cancel      func()
	// Folded is called when the user unfolded the filter's own parameters (true) or folded them: the panel wants
	// another height.
	Folded  func(unfolded bool)
	Hide    func() // puts the panel away
	Presets func() // shows the presets
	// Hint shows the help on a row next to the row o if the panel is too low for it; o is nil
	// for no help.
	Hint func(o fyne.CanvasObject, text string)
}

// Widget is the filter column. Create it with NewWidget.
type Widget struct {
	widget.BaseWidget
	hooks Hooks
	shown Snapshot
	busy  bool // Display is setting the widgets: their events are not the user's

	filter    *control.Select
	proposal  *proposalLine
	dims      *control.Radio
	params    *container.Scroll // basic, more and others
	basic     *fyne.Container
	others    *fyne.Container
	more      *control.Button
	origin    *widget.Label // the origin of values
	help      *widget.Label
	explained *fyne.Container // help and what parts it from the rows
	rows      []*row
	built     string // the filter that the rows belong to

	auto    *control.Check
	preview *control.Button
	status  *widget.Label // of the run, or a problem; hidden if there is nothing to say
	took    *widget.Label // state of the preview
	apply   *control.Button
	cancel  *control.Button
	bar     *widget.ProgressBar

	content fyne.CanvasObject
}

// NewWidget returns an empty panel.
func NewWidget(hooks Hooks) *Widget {
	p := &Widget{hooks: hooks}
	p.build()
	p.ExtendBaseWidget(p)
	return p
}

// CreateRenderer implements fyne.Widget.
func (p *Widget) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(p.content) }

func (p *Widget) build() {
	p.filter = control.NewSelect(lang.L("Filter"), nil, func(title string) {
		for _, f := range denoise.FiltersFor(p.shown.Volumes) {
			if !p.busy && lang.L(f.Title) == title && f.Name != p.shown.Recipe.Filter {
				p.choose(f)
			}
		}
	})
	p.dims = control.NewRadio(nil, func(label string) {
		if p.busy {
			return
		}
		r := p.shown.Recipe
		r.Dims = dimsOf(label)
		p.hooks.Changed(r, true)
	})
	p.basic = container.New(layout.NewCustomPaddedVBoxLayout(2))
	p.others = container.New(layout.NewCustomPaddedVBoxLayout(2))
	p.others.Hide()
	p.more = control.NewButton(lang.L("More"), theme.MenuDropDownIcon(), func() {
		p.ShowMore(p.others.Hidden)
		p.hooks.Folded(!p.others.Hidden)
	})
	p.more.Importance = widget.LowImportance
	p.more.Alignment = widget.ButtonAlignLeading
	reset := control.NewButton(lang.L("Defaults"), theme.ViewRefreshIcon(), func() {
		if r, err := denoise.NewRecipe(p.shown.Recipe.Filter, p.shown.Recipe.Dims); err == nil {
			p.hooks.Changed(r, true)
		}
	})
	reset.Importance = widget.LowImportance
	presets := control.NewButton(lang.L("Presets …"), theme.GridIcon(), func() { p.hooks.Presets() })
	presets.Importance = widget.LowImportance
	p.help = small("")
	p.origin = small("")
	p.origin.Importance = widget.WarningImportance
	p.origin.Hide()

	p.auto = control.NewCheck(lang.L("Preview while tuning"), func(on bool) {
		if !p.busy {
			p.hooks.AutoPreview(on)
		}
	})
	p.preview = control.NewButton(lang.L("Preview"), nil, func() { p.hooks.Preview() })
	p.status, p.took = small(""), small("")
	p.took.Wrapping, p.took.Truncation = fyne.TextWrapOff, fyne.TextTruncateEllipsis
	p.took.Alignment = fyne.TextAlignTrailing
	p.apply = control.NewButton(lang.L("Apply to volume"), theme.MediaPlayIcon(), func() { p.hooks.Apply() })
	p.apply.Importance = widget.HighImportance
	p.cancel = control.NewButton(lang.L("Cancel"), theme.CancelIcon(), func() { p.hooks.Cancel() })
	p.bar = widget.NewProgressBar()

	hide := control.NewButton("", theme.NavigateNextIcon(), func() { p.hooks.Hide() })
	hide.Importance = widget.LowImportance
	hide.Named = func() string { return lang.L("Hide the column") }
	p.proposal = newProposalLine(func() { p.hooks.Take() }, func(o fyne.CanvasObject, in bool) {
		switch text := p.shown.Proposal.Help; {
		case !in:
			p.hooks.Hint(nil, "")
		case text != "":
			p.explain(o, text)
		}
	})
	head := container.New(layout.NewCustomPaddedVBoxLayout(0),
		container.NewBorder(nil, nil, nil, container.NewHBox(p.dims, hide), p.filter),
		p.proposal.object,
		widget.NewSeparator(),
	)
	// Leave room for the scroll bar.
	p.params = container.NewVScroll(container.New(layout.NewCustomPaddedLayout(0, 0, 0, 10),
		container.NewVBox(p.basic, container.NewBorder(nil, nil, p.more, container.NewHBox(presets, reset)), p.origin, p.others)))
	p.explained = container.NewVBox(widget.NewSeparator(), fixedLines(p.help, helpLines))
	foot := container.NewVBox(
		p.explained,
		widget.NewSeparator(),
		container.NewBorder(nil, nil, p.auto, p.preview, p.took),
		p.status,
		container.NewStack(p.apply, container.NewBorder(nil, nil, nil, p.cancel, p.bar)),
	)
	p.content = container.NewBorder(head, foot, nil, nil, p.params)
}

// Resize implements fyne.CanvasObject.
func (p *Widget) Resize(size fyne.Size) {
	p.BaseWidget.Resize(size)
	p.placeHelp()
}

// Needs returns the height from which on the rows that are always shown need no scroll, without
// the help.
func (p *Widget) Needs() float32 {
	needs := p.content.MinSize().Height - p.params.MinSize().Height + p.basic.MinSize().Height + theme.Padding() + p.more.MinSize().Height
	if p.explained.Visible() {
		needs -= p.helpHeight()
	}
	return needs
}

// Wants returns the height with all rows that are unfolded and the help; folded rows need no more than [Widget.Needs].
func (p *Widget) Wants() (least, most float32) {
	least = p.Needs()
	most = least
	if p.others.Visible() { // which scroll
		most += p.helpHeight() + theme.Padding() + p.others.MinSize().Height
		least = most
	}
	return least, most
}

func (p *Widget) helpHeight() float32 { return theme.Padding() + p.explained.MinSize().Height }

// placeHelp shows the help, with the source of the filter, in the panel if its own parameters are unfolded and leave room for it.
func (p *Widget) placeHelp() {
	const rounding = 0.5 // of the frame, which gives the height that is wanted
	if hidden := !p.others.Visible() || p.Size().Height < p.Needs()+p.helpHeight()-rounding; hidden != p.explained.Hidden {
		p.explained.Hidden = hidden
		p.content.Refresh()
	}
}

// explain shows the help on a row: beside it if the panel has no room for it, so that nothing moves.
func (p *Widget) explain(o fyne.CanvasObject, text string) {
	before := p.help.Text
	p.help.SetText(text)
	long := p.help.MinSize().Height > linesHeight(p.help, helpLines)
	if long {
		p.help.SetText(before)
	}
	if long || p.explained.Hidden {
		p.hooks.Hint(o, text)
	}
}

// small returns a small grey label that wraps.
func small(text string) *widget.Label {
	l := widget.NewLabel(text)
	l.SizeName = theme.SizeNameCaptionText
	l.Importance = widget.LowImportance
	l.Wrapping = fyne.TextWrapWord
	return l
}

// setText redraws a label only if its text changes: the panel is displayed with every
// slice.
func setText(l *widget.Label, text string) {
	if l.Text != text {
		l.SetText(text)
	}
}

// fixedLines gives a wrapping label the height of n lines, so that the layout does
// not move when its text changes.
func fixedLines(l *widget.Label, n int) fyne.CanvasObject {
	ground := canvas.NewRectangle(nil)
	ground.SetMinSize(fyne.NewSize(0, linesHeight(l, n)))
	return container.NewStack(ground, l)
}

// linesHeight returns the height of n lines of a label.
func linesHeight(l *widget.Label, n int) float32 {
	line := fyne.MeasureText("M", theme.Size(l.SizeName), fyne.TextStyle{}).Height
	return float32(n)*line + 2*theme.InnerPadding()
}

// helpLines is how many lines of help the panel has room for.
const helpLines = 4

// choose proposes the defaults of another filter, with the current dimensionality
// if the filter has it.
func (p *Widget) choose(f denoise.Filter) {
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

// ShowMore unfolds the filter's own parameters, or folds them.
func (p *Widget) ShowMore(on bool) {
	p.others.Hidden = !on
	text, icon := lang.L("More"), theme.MenuDropDownIcon()
	if on {
		text, icon = lang.L("Less"), theme.MenuDropUpIcon()
	}
	p.more.Icon = icon
	p.more.SetText(text)
	p.placeHelp()
}

// same says whether two snapshots show the same.
func (s Snapshot) same(o Snapshot) bool {
	recipes := s.Recipe.Equal(o.Recipe) && s.Resolved.Equal(o.Resolved)
	s.Recipe, s.Resolved, o.Recipe, o.Resolved = denoise.Recipe{}, denoise.Recipe{}, denoise.Recipe{}, denoise.Recipe{}
	return recipes && reflect.DeepEqual(s, o)
}

// Display shows a snapshot; it returns at once if nothing has changed.
func (p *Widget) Display(s Snapshot) {
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
	p.origin.Hidden = len(s.Carried) == 0
	setText(p.origin, wording.Origin(s.Carried))
	p.proposal.show(s.Proposal)
	control.SetEnabled(p.filter, s.Ready)
	control.SetEnabled(p.dims, s.Ready)

	p.auto.SetChecked(s.AutoPreview)
	if p.preview.Hidden != s.AutoPreview {
		p.preview.Hidden = s.AutoPreview
		p.content.Refresh() // the line next to it gets or gives its place
	}
	control.SetEnabled(p.preview, s.Ready && !s.AutoPreview)
	importance := widget.LowImportance
	if s.Problem || s.Memory != "" && s.Progress == "" {
		importance = widget.WarningImportance
	}
	if p.status.Importance != importance {
		p.status.Importance = importance
		p.status.Refresh()
	}
	setText(p.status, s.status())
	p.status.Hidden = p.status.Text == ""
	took := s.Preview
	if s.Problem {
		took = ""
	}
	setText(p.took, took)
	p.showRun(s)
}

func (p *Widget) showFilter(f denoise.Filter) {
	if p.built != f.Name {
		p.buildRows(f)
	}
	p.filter.Options = nil
	for _, f := range denoise.FiltersFor(p.shown.Volumes) {
		p.filter.Options = append(p.filter.Options, lang.L(f.Title))
	}
	if title := lang.L(f.Title); !slices.Contains(p.filter.Options, title) {
		p.filter.ClearSelected()
	} else if p.filter.Selected != title {
		p.filter.SetSelected(title)
	}
	var labels []string
	for _, n := range slices.Sorted(slices.Values(f.Dims)) { // a choice keeps its place from filter to filter
		labels = append(labels, dimsLabel(n))
	}
	p.dims.SetOptions(labels)
	p.dims.SetSelected(dimsLabel(p.shown.Recipe.Dims))
}

func (p *Widget) showRun(s Snapshot) {
	control.SetEnabled(p.apply, s.Ready && !s.Busy && !s.Applied)
	p.apply.Hidden = s.Running
	p.bar.Hidden = !s.Running
	p.cancel.Hidden = !s.Running
	p.bar.SetValue(s.Fraction)
}

// status says how far the run is, or else the fault of the preview, that the
// volume was filtered, or what memory a run will take.
func (s Snapshot) status() string {
	switch {
	case s.Progress != "":
		return s.Progress
	case s.Problem:
		return s.Preview
	case s.Applied:
		return lang.L("The whole volume was filtered with these parameters.")
	case s.Recipe.SeriesFilter() != nil:
		return lang.L("Filters this volume together with all others. An export writes it alone, or all of them.")
	case s.Memory != "":
		return s.Memory
	}
	return ""
}

// buildRows replaces the rows by the rows of filter f.
func (p *Widget) buildRows(f denoise.Filter) {
	p.built = f.Name
	p.rows = nil
	p.basic.RemoveAll()
	p.others.RemoveAll()
	p.help.SetText(lang.L(f.Help) + " (" + f.Source + ")")
	hooks := rowHooks{
		changed: func(param denoise.Param, v denoise.Value, final bool) {
			p.hooks.Changed(p.shown.Recipe.Set(param.Name, v), final)
		},
		leave: func() { p.hooks.Hint(nil, "") }, // help in the panel stays readable
	}
	for _, param := range f.Params {
		var r *row
		own := hooks
		own.help = func(title, text string) { p.explain(r.object, title+": "+text) }
		if param.Name == f.Strength.Param {
			own.find = p.hooks.Find
		}
		if param.Mixes {
			own.dial = p.hooks.Dial
		}
		r = newRow(param, own)
		p.rows = append(p.rows, r)
		switch {
		case param.Mixes: // the one dial
			p.basic.Add(r.object)
		case param.Name == f.Strength.Param:
			p.others.Objects = append([]fyne.CanvasObject{r.object}, p.others.Objects...)
		default:
			p.others.Add(r.object)
		}
	}
	p.placeHelp()
}
