package filterpanel

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"quell/denoise"
	"quell/denoise/lesions"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/ui/control"
	"quell/volume"

	_ "quell/denoise/filter"
)

// owner stands for the session that owns a panel.
type owner struct {
	t        *testing.T
	panel    *Widget
	snap     Snapshot
	finals   []denoise.Recipe
	drafts   int
	applied  int
	dialled  int
	cancels  int
	previews int
	hinted   fyne.CanvasObject
	hint     string
	held     bool // show does nothing, as before a refresh
	unfolded []bool
}

// canvas returns the canvas that the panel is on.
func (o *owner) canvas() fyne.Canvas { return fyne.CurrentApp().Driver().CanvasForObject(o.panel) }

func newOwner(t *testing.T, filter string) *owner {
	t.Helper()
	test.NewTempApp(t)
	o := &owner{t: t}
	o.panel = NewWidget(Hooks{
		Changed: func(r denoise.Recipe, final bool) {
			o.snap.Recipe = r
			if final {
				o.finals = append(o.finals, r)
			} else {
				o.drafts++
			}
			o.show()
		},
		AutoPreview: func(on bool) { o.snap.AutoPreview = on; o.show() },
		Preview:     func() { o.previews++ },
		Apply:       func() { o.applied++ },
		Cancel:      func() { o.cancels++ },
		Find:        func() {},
		Dial:        func() { o.dialled++ },
		Folded:      func(unfolded bool) { o.unfolded = append(o.unfolded, unfolded) },
		Hint:        func(at fyne.CanvasObject, text string) { o.hinted, o.hint = at, text },
	})
	r, err := denoise.NewRecipe(filter, 0)
	if err != nil {
		t.Fatal(err)
	}
	o.snap = Snapshot{Ready: true, Recipe: r, Facts: facts, Unit: "HU", AutoPreview: true}
	o.panel.ShowMore(true)
	w := test.NewTempWindow(t, o.panel)
	w.Resize(fyne.NewSize(430, 900)) // the texts of this theme are larger than the texts of the workbench
	o.show()
	return o
}

// show resolves and displays, as a session would.
func (o *owner) show() {
	if o.held {
		return
	}
	g := volume.NewGeometry([3]int{64, 64, 9}, [3]float64{0.5, 0.5, 5})
	resolved, err := o.snap.Recipe.Resolve(g, o.snap.Facts)
	if err != nil {
		o.t.Fatal(err)
	}
	o.snap.Resolved = resolved
	o.panel.Display(o.snap)
}

// parts finds the inputs of one row.
type parts struct {
	slider *slider
	entry  *entry
	choice *control.Select
	checks []fyne.CanvasObject
	labels []*widget.Label
}

// also is what the row says of its value in another unit.
func (p parts) also() string {
	for _, l := range p.labels {
		if strings.HasPrefix(l.Text, "= ") {
			return l.Text
		}
	}
	return ""
}

func (o *owner) row(name string) parts {
	o.t.Helper()
	for _, r := range o.panel.rows {
		if r.param.Name == name {
			var found parts
			for _, obj := range test.LaidOutObjects(r.object) {
				switch x := obj.(type) {
				case *slider:
					found.slider = x
				case *entry:
					found.entry = x
				case *control.Select:
					found.choice = x
				case *widget.Label:
					found.labels = append(found.labels, x)
				case interface{ SetChecked(bool) }:
					found.checks = append(found.checks, obj)
				}
			}
			return found
		}
	}
	o.t.Fatalf("there is no row for %s", name)
	return parts{}
}

// The filter of 4-D series is there for 8 volumes or more.
func TestTheFilterOf4DSeries(t *testing.T) {
	o := newOwner(t, "nlm")
	for volumes, listed := range map[int]bool{0: false, 7: false, 8: true} {
		o.snap.Volumes = volumes
		o.show()
		if slices.Contains(o.panel.filter.Options, "Low rank") != listed {
			t.Errorf("%d volumes: %v", volumes, o.panel.filter.Options)
		}
	}
	o.snap.Volumes = 8
	o.show()
	if o.panel.apply.Disabled() || o.panel.status.Text != "" {
		t.Error("another filter does not run")
	}
	o.panel.filter.SetSelected("Low rank")
	if o.snap.Recipe.Filter != "lowrank" || o.panel.apply.Disabled() || !strings.Contains(o.panel.status.Text, "together with all others") {
		t.Errorf("%v: %q", o.snap.Recipe, o.panel.status.Text)
	}
	if f, _ := denoise.FilterByName("lowrank"); len(o.panel.rows) != len(f.Params) {
		t.Errorf("%d rows", len(o.panel.rows))
	}
	o.snap.Volumes = 7
	o.show()
	if o.panel.filter.Selected != "" {
		t.Errorf("%q is chosen of 7 volumes", o.panel.filter.Selected)
	}
}

func TestEveryParameterOfEveryFilterHasARow(t *testing.T) {
	o := newOwner(t, "nlm")
	for _, f := range denoise.Filters() {
		o.panel.filter.SetSelected(f.Title)
		if o.snap.Recipe.Filter != f.Name {
			t.Fatalf("choosing %s gives a recipe for %s", f.Title, o.snap.Recipe.Filter)
		}
		if len(o.panel.rows) != len(f.Params) {
			t.Errorf("%s has %d rows for %d parameters", f.Name, len(o.panel.rows), len(f.Params))
		}
		basic := 1 // the strength of the mixture
		if o.panel.basic.Objects[0] != o.panel.rows[len(o.panel.rows)-1].object || !f.Params[len(f.Params)-1].Mixes {
			t.Errorf("%s: the first row is not the strength", f.Name)
		}
		if got := len(o.panel.basic.Objects); got != basic {
			t.Errorf("%s shows %d basic parameters; want %d", f.Name, got, basic)
		}
		if o.panel.more.Hidden != (basic == len(f.Params)) {
			t.Errorf("%s: \"more\" is hidden: %v", f.Name, o.panel.more.Hidden)
		}
		if len(o.panel.dims.Options()) != len(f.Dims) {
			t.Errorf("%s offers %v; want %v", f.Name, o.panel.dims.Options(), f.Dims)
		}
		if !slices.IsSorted(o.panel.dims.Options()) {
			t.Errorf("%s offers %v; want 2-D in front of 3-D, as every filter", f.Name, o.panel.dims.Options())
		}
	}
}

func TestDisplayingChangesNothing(t *testing.T) {
	o := newOwner(t, "nlm")
	for _, f := range denoise.Filters() {
		r, err := denoise.NewRecipe(f.Name, 0)
		if err != nil {
			t.Fatal(err)
		}
		o.snap.Recipe = r
		o.show()
		o.show()
	}
	if len(o.finals) != 0 || o.drafts != 0 {
		t.Errorf("showing snapshots made %d recipes and %d drafts", len(o.finals), o.drafts)
	}
}

func TestDragMakesDraftsAndOneRecipe(t *testing.T) {
	o := newOwner(t, "nlm")
	s := o.row("h").slider
	for _, x := range []float32{100, 140, 200} {
		e := &fyne.DragEvent{}
		e.Position = fyne.NewPos(x, 10)
		s.Dragged(e)
	}
	if o.drafts != 3 || len(o.finals) != 0 {
		t.Fatalf("%d drafts, %d recipes while dragging; want 3 and 0", o.drafts, len(o.finals))
	}
	s.DragEnd()
	if len(o.finals) != 1 {
		t.Fatalf("%d recipes after the drag; want 1", len(o.finals))
	}
	h := o.finals[0].Get("h")
	if steps := h.Float() / 0.05; !h.IsSigmas() || h.Float() < 2 || h.Float() > 4 || math.Abs(steps-math.Round(steps)) > 1e-9 {
		t.Errorf("h is %v; want it in the middle of 0 to 5 sigma on a step of 0.05", h)
	}
	if o.row("h").entry.Text != format(denoise.Param{}, h) {
		t.Errorf("the entry says %q; want %v", o.row("h").entry.Text, h)
	}
}

func TestArrowKeysStep(t *testing.T) {
	o := newOwner(t, "nlm")
	s := o.row("search-radius").slider
	thumbs := func() (at []fyne.Position) {
		for _, part := range test.WidgetRenderer(s).Objects() {
			at = append(at, part.Position())
		}
		return at
	}
	s.Resize(fyne.NewSize(200, 30))
	before := thumbs()
	s.TypedKey(&fyne.KeyEvent{Name: fyne.KeyRight})
	if slices.Equal(thumbs(), before) {
		t.Error("the slider is not drawn at its new value")
	}
	s.TypedKey(&fyne.KeyEvent{Name: fyne.KeyRight})
	s.TypedKey(&fyne.KeyEvent{Name: fyne.KeyLeft})
	if len(o.finals) != 3 || o.snap.Recipe.Get("search-radius").Int() != 4 {
		t.Errorf("search radius %v after %d steps; want 4 after 3", o.snap.Recipe.Get("search-radius"), len(o.finals))
	}
}

// Keys may come faster than the panel is refreshed.
func TestArrowKeysStepFromTheLastKey(t *testing.T) {
	o := newOwner(t, "nlm")
	o.held = true
	s := o.row("search-radius").slider
	for range 3 {
		s.TypedKey(&fyne.KeyEvent{Name: fyne.KeyRight})
	}
	if got := o.snap.Recipe.Get("search-radius").Int(); got != 6 {
		t.Errorf("search radius %d after three steps from 3; want 6", got)
	}
}

// Every key but Left and Right goes on to the pictures.
func TestASliderPassesOtherKeysOn(t *testing.T) {
	o := newOwner(t, "nlm")
	s := o.row("search-radius").slider
	var passed []fyne.KeyName
	o.canvas().SetOnTypedKey(func(e *fyne.KeyEvent) { passed = append(passed, e.Name) })
	keys := []fyne.KeyName{fyne.KeyEscape, fyne.KeyDown, fyne.Key8, fyne.KeyLeft}
	for _, k := range keys {
		s.TypedKey(&fyne.KeyEvent{Name: k})
	}
	if !slices.Equal(passed, keys[:3]) || len(o.finals) != 1 {
		t.Errorf("passed on %v, %d recipes; want all but the arrow", passed, len(o.finals))
	}
}

// Return and Escape give the keyboard back; the keys in between are the field's.
func TestAFieldReleasesTheKeyboard(t *testing.T) {
	o := newOwner(t, "nlm")
	e := o.row("h").entry
	passed := 0
	o.canvas().SetOnTypedKey(func(*fyne.KeyEvent) { passed++ })
	for text, leave := range map[string]fyne.KeyName{"7": fyne.KeyReturn, "8": fyne.KeyEscape} {
		o.canvas().Focus(e)
		e.SetText(text)
		if !e.Editing() {
			t.Error("a field with new text does not count as being edited")
		}
		e.TypedKey(&fyne.KeyEvent{Name: fyne.KeyC})
		if passed != 0 {
			t.Error("a letter was passed on")
		}
		e.TypedKey(&fyne.KeyEvent{Name: leave})
		if o.canvas().Focused() != nil || e.Editing() {
			t.Errorf("%s leaves the focus on the field", leave)
		}
		e.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
		if passed != 1 {
			t.Error("Down, which a line of text does not use, was not passed on")
		}
		passed = 0
	}
	if len(o.finals) != 1 {
		t.Errorf("%d recipes; want that of Return alone", len(o.finals))
	}
}

func TestChoosingTheSameFilterKeepsItsParameters(t *testing.T) {
	o := newOwner(t, "nlm")
	o.panel.filter.SetSelected("Bilateral")
	n := len(o.finals)
	o.panel.filter.OnChanged("Bilateral")
	if len(o.finals) != n {
		t.Error("choosing the current filter again starts its defaults")
	}
}

func TestTypedValuesAreCheckedAgainstTheDomain(t *testing.T) {
	o := newOwner(t, "nlm")
	e := o.row("h").entry
	e.SetText("400 HU") // beyond the slider, inside the domain
	e.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if got := o.snap.Recipe.Get("h"); !got.Equal(denoise.Number(400)) {
		t.Errorf("h is %v; want 400", got)
	}
	e.SetText("-1")
	e.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	problem := o.problem("h")
	if problem.Hidden || len(o.finals) != 1 {
		t.Errorf("hidden: %t, %d recipes; want a refusal and 1", problem.Hidden, len(o.finals))
	}
	if e.Text != "400" {
		t.Errorf("the entry says %q; want the value in force", e.Text)
	}
	if problem.Text != "“-1” is outside the domain: above 0; the value stays as it was." {
		t.Errorf("beside the field stands %q; want what is wrong", problem.Text)
	}
	e.SetText("-1 HU")
	e.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if problem.Text != "“-1 HU” is not taken: -1 is outside the domain: above 0; the value stays as it was." {
		t.Errorf("beside the field stands %q; want what is wrong", problem.Text)
	}
	e.SetText("1e9")
	e.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if problem.Text != "“1e9” is not taken: it is more than 100 times as far as the slider reaches; the value stays as it was." {
		t.Errorf("beside the field stands %q; want what is wrong", problem.Text)
	}
	e.SetText("")
	e.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if problem.Hidden || problem.Text != "Type a number; the value stays as it was." {
		t.Errorf("for an empty field stands %q", problem.Text)
	}
	e.SetText("7")
	if !problem.Hidden {
		t.Error("the refusal stays while the next value is typed")
	}
	e.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if e.Text != "400" || len(o.finals) != 1 {
		t.Errorf("Escape leaves %q and %d recipes; want 400 and 1", e.Text, len(o.finals))
	}
}

func TestTypingIsNotOverwritten(t *testing.T) {
	o := newOwner(t, "nlm")
	e := o.row("patch-radius").entry
	e.FocusGained()
	e.SetText("2")
	o.show() // a preview arrives
	if e.Text != "2" {
		t.Errorf("the entry says %q in the middle of typing 2", e.Text)
	}
	e.FocusLost()
	if o.snap.Recipe.Get("patch-radius").Int() != 2 {
		t.Errorf("patch radius %v after leaving the entry; want 2", o.snap.Recipe.Get("patch-radius"))
	}
}

// If auto stands in for 0, the label says so in place of a tiny number.
func TestAutoThatRemovesNothing(t *testing.T) {
	o := newOwner(t, "nlm")
	o.snap.Facts.Noise.Negligible = true
	o.show()
	if text := o.row("h").also(); text != "= 0 HU, removes nothing" {
		t.Errorf("auto without noise is labelled %q", text)
	}
	if text := o.row("h").entry.Text; text != "0" {
		t.Errorf("the field says %q", text)
	}
	for x, want := range map[float64]bool{1: true, 1.01: false} {
		o.snap.Recipe = o.snap.Recipe.With("h", denoise.Number(x*facts.Negligible()))
		o.show()
		if text := o.row("h").also(); strings.HasSuffix(text, "removes nothing") != want {
			t.Errorf("%g of a negligible strength is labelled %q", x, text)
		}
	}
}

// If the noise is not known, auto says why it removes nothing; a number of the user does not.
func TestAutoWithoutKnownNoise(t *testing.T) {
	o := newOwner(t, "nlm")
	o.snap.Facts.Noise = noise.Estimate{Figure: noise.Figure{Confidence: noise.None, Why: message.Verbatim("there are few regions")}}
	o.show()
	if text := o.row("h").also(); text != "= 0, noise unknown" {
		t.Errorf("auto without a figure of the noise is labelled %q", text)
	}
	o.snap.Facts.Noise = noise.Estimate{Figure: noise.Figure{Sigma: 0.01, Low: 0, High: 15, Confidence: noise.Low}}
	o.show()
	if text := o.row("h").also(); text != "= 0, noise unknown" {
		t.Errorf("auto with noise that is at most 15 is labelled %q", text)
	}
	o.snap.Recipe = o.snap.Recipe.With("h", denoise.Number(o.snap.Facts.Negligible()))
	o.show()
	if text := o.row("h").also(); text != "= 0 HU, removes nothing" {
		t.Errorf("a negligible strength is labelled %q", text)
	}
}

func TestAutoShowsItsNumber(t *testing.T) {
	o := newOwner(t, "nlm")
	row := o.row("h")
	x, err := strconv.ParseFloat(row.entry.Text, 64)
	want := o.snap.Resolved.Get("h").Float()
	if err != nil || math.Abs(8*x/want-1) > 1e-3 || row.choice.Selected != "σ" {
		t.Errorf("auto h of %g HU at 8 HU of noise shows %q %s; want it in sigmas", want, row.entry.Text, row.choice.Selected)
	}
	if text := row.also(); text != "= "+digits(want)+" HU" {
		t.Errorf("the label says %q; want the value in HU", text)
	}
	auto := row.checks[0].(interface{ SetChecked(bool) })
	auto.SetChecked(false)
	if got := o.snap.Recipe.Get("h"); !got.Equal(denoise.Sigmas(x)) {
		t.Errorf("auto off gives %v; want the number shown", got)
	}
	row.choice.SetSelected("HU")
	if got := o.snap.Recipe.Get("h"); !got.Equal(denoise.Number(shortened(8*x))) || row.also() != "= "+digits(x)+" σ" {
		t.Errorf("in HU it is %v, labelled %q", got, row.also())
	}
	row.choice.SetSelected("σ")
	if got := o.snap.Recipe.Get("h"); !got.IsSigmas() {
		t.Errorf("back in sigmas it is %v", got)
	}
	auto.SetChecked(true)
	if got := o.snap.Recipe.Get("h"); !got.IsAuto() {
		t.Errorf("auto on gives %v", got)
	}
}

// A strength that a rule gives shows the rule's name in the field and its number on the slider.
func TestARuleShowsItsNameAndItsNumber(t *testing.T) {
	o := newOwner(t, "nlm")
	row := o.row("h")
	row.entry.SetText("coupe")
	row.entry.OnSubmitted("coupe")
	if got := o.snap.Recipe.Get("h"); !got.Equal(denoise.Word("coupe")) || row.entry.Text != "coupe" {
		t.Errorf("typed coupe gives %v, displayed as %q", got, row.entry.Text)
	}
	if want := o.snap.Resolved.Get("h").Float(); row.also() != "= "+digits(want)+" HU" {
		t.Errorf("the label says %q; want %g HU", row.also(), want)
	}
}

// Numbers for each axis are divided by semicolons, as a comma may be a decimal one; the slider
// stands at the first.
func TestNumbersForEachAxis(t *testing.T) {
	o := newOwner(t, "bilateral")
	row := o.row("sigma-spatial")
	row.entry.SetText("1.5; 2")
	row.entry.OnSubmitted("1.5; 2")
	if got := o.snap.Recipe.Get("sigma-spatial"); !got.Equal(denoise.Numbers(1.5, 2)) || row.entry.Text != "1.5; 2" || row.slider.Value != 1.5 || row.slider.Min != 0.2 {
		t.Errorf("typed numbers give %v, displayed as %q at %g from %g", got, row.entry.Text, row.slider.Value, row.slider.Min)
	}
}

func TestAutoRadiusBecomesOneNumber(t *testing.T) {
	f, err := denoise.FilterByName("gaussian")
	if err != nil {
		t.Fatal(err)
	}
	p, _ := f.Param("radius")
	for _, c := range []struct{ resolved, want denoise.Value }{
		{denoise.List(4, 4, 0), denoise.List(4)},
		{denoise.List(4, 4, 4), denoise.List(4)},
		{denoise.List(4, 4, 1), denoise.List(4, 4, 1)},
	} {
		if got := manual(p, c.resolved); !got.Equal(c.want) || p.Check(got) != nil {
			t.Errorf("radius %v becomes %v; want %v", c.resolved, got, c.want)
		}
	}
}

func TestAnotherFilterKeepsTheDimensions(t *testing.T) {
	o := newOwner(t, "nlm")
	o.panel.dims.SetSelected("3-D")
	o.panel.filter.SetSelected("Bilateral")
	if o.snap.Recipe.Dims != 3 {
		t.Errorf("bilateral in %d dimensions; want 3 kept", o.snap.Recipe.Dims)
	}
	o.panel.filter.SetSelected("LPA-ICI")
	if o.snap.Recipe.Dims != 2 {
		t.Errorf("lpa in %d dimensions; it has only 2", o.snap.Recipe.Dims)
	}
}

func TestApplyAndCancel(t *testing.T) {
	o := newOwner(t, "nlm")
	test.Tap(o.panel.apply)
	if o.applied != 1 {
		t.Fatal("the button did not apply")
	}
	o.snap.Running, o.snap.Fraction, o.snap.Progress = true, 0.25, "Filtering: 1 of 4, 3 s left"
	o.show()
	if !o.panel.apply.Hidden || o.panel.cancel.Hidden || o.panel.bar.Hidden || o.panel.bar.Value != 0.25 {
		t.Error("while it runs there must be a bar and a way to cancel, and no apply")
	}
	test.Tap(o.panel.cancel)
	if o.cancels != 1 {
		t.Error("the button did not cancel")
	}
	o.snap.Running, o.snap.Applied, o.snap.Progress = false, true, ""
	o.show()
	if !o.panel.apply.Disabled() {
		t.Error("what is applied can be applied again")
	}
}

func TestManualPreview(t *testing.T) {
	o := newOwner(t, "nlm")
	if !o.panel.preview.Hidden {
		t.Error("a preview button beside automatic previews")
	}
	o.panel.auto.SetChecked(false)
	if o.snap.AutoPreview || o.panel.preview.Hidden {
		t.Fatal("without automatic previews there must be a button")
	}
	test.Tap(o.panel.preview)
	if o.previews != 1 {
		t.Error("the button asked for no preview")
	}
}

// A parameter that the recipe ignores stays in its place, disabled and at its
// default, and its help says why.
func TestIgnoredParametersAreDisabled(t *testing.T) {
	o := newOwner(t, "nlm")
	h := o.row("h").entry
	h.SetText("25")
	h.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if !o.row("k").entry.Disabled() {
		t.Error("the norm of weighting lk can be edited without that weighting")
	}
	weighting := o.row("weighting")
	weighting.choice.SetSelected("L_k norm")
	if !o.snap.Recipe.Get("h").IsAuto() {
		t.Errorf("h is %v; want its default, as weighting lk ignores it", o.snap.Recipe.Get("h"))
	}
	row := o.row("h")
	if !row.entry.Disabled() || !row.slider.Disabled() || o.row("k").entry.Disabled() {
		t.Error("with weighting lk, h must be disabled and k enabled")
	}
	row.slider.MouseIn(&desktop.MouseEvent{})
	if !strings.Contains(o.panel.help.Text, "no effect") {
		t.Errorf("the help on h is %q; want why it has no effect", o.panel.help.Text)
	}
	weighting.choice.SetSelected("Gaussian")
	if o.row("h").entry.Disabled() || !o.row("k").entry.Disabled() {
		t.Error("back with Gaussian weights, h must be enabled and k disabled")
	}
}

func TestInputsAreDisabledWithoutASeries(t *testing.T) {
	o := newOwner(t, "nlm")
	o.snap.Ready = false
	o.show()
	if !o.panel.apply.Disabled() || !o.panel.filter.Disabled() || !o.row("h").entry.Disabled() {
		t.Error("inputs are enabled without a series")
	}
}

func TestLongestTextsFitTheirLines(t *testing.T) {
	o := newOwner(t, "nlm")
	for _, f := range denoise.Filters() {
		o.panel.filter.SetSelected(f.Title)
		if need, have := o.panel.help.MinSize().Height, o.panel.help.Size().Height; need > have {
			t.Errorf("the description of %s needs %g and has %g", f.Name, need, have)
		}
		for _, r := range o.panel.rows {
			r.object.(*hoverArea).hovered(true)
			if need, have := o.panel.help.MinSize().Height, o.panel.help.Size().Height; need > have {
				t.Errorf("the help on %s %s needs %g and has %g", f.Name, r.param.Name, need, have)
			}
		}
	}
}

func TestCarriedValuesAreNamed(t *testing.T) {
	o := newOwner(t, "nlm")
	if o.panel.origin.Visible() {
		t.Error("a note although nothing was carried over")
	}
	o.snap.Carried = []string{"Patch radius", "Rician noise"}
	o.show()
	if want := "From an earlier series: Patch radius, Rician noise. “Defaults” sets everything back."; !o.panel.origin.Visible() || o.panel.origin.Text != want {
		t.Errorf("note %q, visible %v", o.panel.origin.Text, o.panel.origin.Visible())
	}
	o.snap.Carried = nil
	o.show()
	if o.panel.origin.Visible() {
		t.Error("the note stays")
	}
}

// problem returns the label that says why a typed value was refused.
func (o *owner) problem(name string) *widget.Label {
	for _, r := range o.panel.rows {
		if r.param.Name == name {
			return r.problem
		}
	}
	return nil
}

// A refusal is of the value that it was typed for.
func TestARefusalGoesWithItsValue(t *testing.T) {
	o := newOwner(t, "nlm")
	e := o.row("h").entry
	e.SetText("many")
	e.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if o.problem("h").Hidden {
		t.Fatal("a word is taken for a number")
	}
	o.panel.Display(o.snap)
	if o.problem("h").Hidden {
		t.Error("the refusal goes though nothing has changed")
	}
	o.snap.Recipe = o.snap.Recipe.With("h", denoise.Number(7))
	o.panel.Display(o.snap)
	if !o.problem("h").Hidden {
		t.Error("the refusal stays with another value")
	}
}

// A low panel has rows in the place of the help, which is shown next to the panel then: of
// the row that has the pointer, and no longer.
func TestALowPanelHasItsHelpBeside(t *testing.T) {
	o := newOwner(t, "nlm")
	o.panel.Resize(fyne.NewSize(430, 1000)) // texts wrap by the width
	enough := o.panel.Needs() + o.panel.helpHeight()
	for height, hidden := range map[float32]bool{enough - 1: true, enough: false, enough + 100: false} {
		o.panel.Resize(fyne.NewSize(430, height))
		if o.panel.explained.Hidden != hidden {
			t.Errorf("at a height of %g, of which %g are needed, the help is hidden: %t", height, enough, !hidden)
		}
		area := o.panel.rows[1].object.(*hoverArea)
		area.MouseIn(nil)
		if hinted := o.hint != ""; hinted != hidden || hidden && (o.hinted != area || !strings.HasPrefix(o.hint, "Patch radius: ")) {
			t.Errorf("at a height of %g the hint is %q", height, o.hint)
		}
		area.MouseOut()
		if o.hint != "" {
			t.Errorf("the hint %q stays", o.hint)
		}
	}
}

// The state of the preview has the place of the button that is not there.
func TestTheStateOfThePreviewHasItsPlace(t *testing.T) {
	o := newOwner(t, "nlm")
	wide := o.panel.took.Size().Width
	for _, on := range []bool{false, true} {
		o.snap.AutoPreview = on
		o.show()
		if got := o.panel.took.Size().Width; (got == wide) != on {
			t.Errorf("automatic previews %t: the line has a width of %g; it had %g", on, got, wide)
		}
	}
}

// The help follows the focus, so that it can be read without a mouse.
func TestTheHelpFollowsTheFocus(t *testing.T) {
	o := newOwner(t, "nlm")
	for name, label := range map[string]string{"patch-radius": "Patch radius: ", "search-radius": "Search radius: "} {
		for _, f := range []fyne.Focusable{o.row(name).slider, o.row(name).entry} {
			o.panel.help.SetText("")
			f.FocusGained()
			if !strings.HasPrefix(o.panel.help.Text, label) {
				t.Errorf("with the focus in %s the help is %q", name, o.panel.help.Text)
			}
			f.FocusLost()
		}
	}
}

// The row of the strength searches for what stays visible; typing the word does the same. Its help names the bounds.
func TestTheStrengthIsDialled(t *testing.T) {
	o := newOwner(t, "bilateral")
	o.snap.CanDial = true
	o.show()
	row := o.panel.basic.Objects[0]
	var button *control.Button
	for _, b := range test.LaidOutObjects(row) {
		if c, ok := b.(*control.Button); ok && c.Text == "Visible" {
			button = c
		}
	}
	if button == nil || button.Disabled() {
		t.Fatal("the row of the strength has no search")
	}
	test.Tap(button)
	button.OnHover(true)
	for _, want := range []string{fmt.Sprintf("%.0f %% of their contrast", 100*lesions.UsualBounds.Kept), fmt.Sprintf("%g of its mean frequency", lesions.UsualBounds.Texture)} {
		if !strings.Contains(o.panel.help.Text, want) {
			t.Errorf("the help %q does not say %q", o.panel.help.Text, want)
		}
	}
	o.snap.Dialling = true
	o.show()
	if button.Text != "Cancel" {
		t.Errorf("during the search the button says %q", button.Text)
	}
	test.Tap(button)
	o.snap.CanDial, o.snap.Dialling = false, false
	o.show()
	if o.dialled != 2 || !button.Disabled() || button.Text != "Visible" {
		t.Errorf("searched or cancelled %d times, %q, disabled %v", o.dialled, button.Text, button.Disabled())
	}
	o.held = true // a session replaces the word by a number
	object[*entry](row).commit("visible")
	if n := len(o.finals); n == 0 || !o.finals[n-1].Dials() {
		t.Errorf("typing visible gives %v", o.finals)
	}
}

// The dial is green up to the strength that keeps visible objects, and amber beyond; without a bound it is neither.
func TestTheBoundOnTheDial(t *testing.T) {
	test.NewTempApp(t)
	s := newSlider("Strength", func(bool) {})
	s.Max = 100
	b := newBound(s)
	for _, x := range []struct {
		at             float64
		within, beyond bool
	}{{0, false, false}, {25, true, true}, {100, true, false}} {
		b.show(x.at)
		b.object.Resize(fyne.NewSize(216, 30))
		if b.within.Visible() != x.within || b.beyond.Visible() != x.beyond {
			t.Errorf("%g: within %v, beyond %v", x.at, b.within.Visible(), b.beyond.Visible())
		}
		track := b.within.Size().Width + b.beyond.Size().Width
		if d := b.within.Size().Width - float32(x.at/100)*track; d*d > 1e-4 || b.beyond.Position().X != b.within.Position().X+b.within.Size().Width {
			t.Errorf("%g: %g of %g", x.at, b.within.Size().Width, track)
		}
	}
}

// The dial alone is shown at first; the filter's own parameters, its strength first, are behind a button, which says so to
// the owner.
func TestTheFiltersOwnParametersAreFolded(t *testing.T) {
	for _, f := range denoise.Filters() {
		o := newOwner(t, f.Name)
		o.panel.ShowMore(false)
		if n := len(o.panel.basic.Objects); n != 1 || o.panel.others.Visible() || o.panel.more.Text != "More" || !o.panel.more.Visible() {
			t.Errorf("%s: %d rows are always shown, the others are visible: %v, %q", f.Name, n, o.panel.others.Visible(), o.panel.more.Text)
		}
		test.Tap(o.panel.more)
		if !o.panel.others.Visible() || o.panel.more.Text != "Less" || len(o.unfolded) != 1 || !o.unfolded[0] {
			t.Errorf("%s: unfolded %v, %q", f.Name, o.unfolded, o.panel.more.Text)
		}
		for _, r := range o.panel.rows {
			if r.param.Name == f.Strength.Param && o.panel.others.Objects[0] != r.object {
				t.Errorf("%s: the strength is not the first of the parameters", f.Name)
			}
		}
		test.Tap(o.panel.more)
		if o.panel.others.Visible() || len(o.unfolded) != 2 || o.unfolded[1] {
			t.Errorf("%s: folded %v", f.Name, o.unfolded)
		}
	}
}

// Below the dial stands up to where visible objects stay: green within, amber beyond.
func TestHowFarTheDialCanGo(t *testing.T) {
	o := newOwner(t, "nlm")
	far := func() *widget.Label {
		for _, x := range test.LaidOutObjects(o.panel.basic) {
			if l, ok := x.(*widget.Label); ok && strings.Contains(strings.ToLower(l.Text), "visible") {
				return l
			}
		}
		t.Fatal("nothing is said")
		return nil
	}
	for _, c := range []struct {
		bound, value float64
		text         string
		importance   widget.Importance
	}{
		{0, 100, "Visible: the highest strength at which small lesions keep 90 % of their contrast.", widget.LowImportance},
		{40, 40, "Visible objects stay up to 40, and fade beyond.", widget.SuccessImportance},
		{40, 41, "Visible objects stay up to 40, and fade beyond.", widget.WarningImportance},
		{100, 100, "Visible objects stay at every strength.", widget.SuccessImportance},
	} {
		o.snap.Bound, o.snap.Recipe = c.bound, o.snap.Recipe.With("strength", denoise.Number(c.value))
		o.show()
		if l := far(); l.Text != c.text || l.Importance != c.importance {
			t.Errorf("%+v: %q, importance %v", c, l.Text, l.Importance)
		}
	}
}
