// Package reader shows pairs to a reader, in the place of everything else: of a blind comparison, and of a forced choice.
package reader

import (
	"cmp"
	"fmt"
	"image"
	"image/draw"
	"math"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/app/files"
	"quell/ui/blind"
	"quell/ui/command"
	"quell/ui/control"
	"quell/ui/dialogs"
	"quell/ui/host"
	"quell/ui/language"
	"quell/ui/palette"
	"quell/ui/panel"
	"quell/ui/viewer"
	"quell/ui/wording"
)

// Panel shows the pairs of a blind comparison, in the place of everything else, and has the place of forced choices.
type Panel struct {
	panel.Base
	Choice    *Choice
	h         *host.Host
	Now       *Comparison // in progress; nil for none
	Job       viewer.Job
	renderers [2]viewer.Renderer // of the left and the right picture
	pictures  [2]*canvas.Raster
	ended     *Comparison // the one with answers that are not saved yet; nil for none
	text      *widget.Label
	Layer     *fyne.Container
}

// Comparison is a blind comparison and what its table says besides.
type Comparison struct {
	Test *blind.Test   `json:"test"`
	Info blind.Details `json:"info"`
	// A and B say what the images are in the words of the panel; Info does in the words of a recipe.
	A string `json:"a,omitempty"` // "" in one that an earlier version kept
	B string `json:"b,omitempty"`
}

// unsaved returns the comparison with answers that are not saved yet, nil for none.
func (r *Panel) unsaved() *Comparison {
	if r.Now != nil && len(r.Now.Test.Answered()) > 0 {
		return r.Now
	}
	return r.ended
}

// New returns the place of blind comparisons of a workbench.
func New(h *host.Host) panel.Panel {
	r := &Panel{h: h, Choice: newChoice(h), text: widget.NewLabel("")}
	for side := range r.pictures {
		r.pictures[side] = canvas.NewRaster(func(width, height int) image.Image { return r.Draw(side, width, height) })
	}
	answer := func(text string, a blind.Preference) *control.Button {
		return control.NewButton(text, nil, func() { r.answer(a) })
	}
	buttons := container.NewHBox(answer(lang.L("1  Left"), blind.Left), answer(lang.L("3  Neither"), blind.Equal), answer(lang.L("2  Right"), blind.Right))
	end := control.NewButton(lang.L("End"), nil, r.AskEnd)
	r.Layer = layerOf(r.text, buttons, end, [2]fyne.CanvasObject{r.pictures[0], r.pictures[1]})
	return r
}

// layerOf returns two pictures side by side above the answers, hidden.
func layerOf(text, answers, end fyne.CanvasObject, pictures [2]fyne.CanvasObject) *fyne.Container {
	bar := container.NewBorder(nil, nil, text, end, container.NewCenter(answers))
	layer := container.NewStack(control.NewGround(theme.ColorNameBackground),
		container.NewBorder(nil, container.NewPadded(bar), nil, nil,
			container.NewStack(canvas.NewRectangle(palette.Picture.Ground), container.NewGridWithColumns(2, pictures[0], pictures[1]))))
	layer.Hide()
	return layer
}

// Dock implements panel.Panel.
func (r *Panel) Dock() panel.Dock {
	return panel.Dock{Area: panel.Cover, Object: container.NewStack(r.Layer, r.Choice.Layer)}
}

// Commands implements panel.Panel.
func (r *Panel) Commands() []command.Command {
	return []command.Command{{ID: "compare-blind", Title: "Blind comparison …", Menu: command.CompareMenu, Gap: true, Run: r.compare,
		Help:    "which do you prefer, without knowing which is which: slices and sides are drawn at random, the preference is tested",
		Enabled: func() bool { return r.h.Session.Screen.CanCompareBlind() || r.ended != nil }}, r.Choice.command()}
}

// Unsaved implements panel.Unsaved.
func (r *Panel) Unsaved() string {
	if r.ended == nil {
		return ""
	}
	return lang.L("The answers of the blind comparison are not saved.")
}

// Keep implements panel.Keeper. A comparison is not continued, but its answers can be saved.
func (r *Panel) Keep(put func(name string, value any)) {
	if c := r.unsaved(); c != nil {
		put("blind", c)
	}
}

// Restore implements panel.Keeper.
func (r *Panel) Restore(get func(name string, into any) bool) {
	var c Comparison
	if get("blind", &c) && c.Test != nil && r.ended == nil {
		r.ended = &c
		r.showResult()
	}
}

// Offer implements panel.Keeper.
func (r *Panel) Offer(get func(name string, into any) bool) string {
	var c *Comparison
	if get("blind", &c) && c != nil {
		return lang.L(" The answers of a blind comparison can be saved.")
	}
	return ""
}

// side returns the image on a side of the pair at hand.
func (r *Panel) side(side int, t blind.Trial) viewer.Role {
	if (side == 0) == t.Swapped {
		return viewer.Denoised
	}
	return viewer.Original
}

// Draw draws a side of the pair at hand.
func (r *Panel) Draw(side, width, height int) image.Image {
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(out, out.Rect, image.Black, image.Point{}, draw.Src)
	if r.Now == nil {
		return out
	}
	trial, _, ok := r.Now.Test.Current()
	if !ok || width < 1 || height < 1 {
		return out
	}
	role, job := r.side(side, trial), r.Job
	job.Index = trial.Slice
	for k := range job.Panes {
		job.Panes[k].Hidden = true
	}
	job.Panes[role] = viewer.Pane{Width: width, Height: height}
	_, frames := r.renderers[side].Render(job)
	if f := frames[role]; f.Image != nil {
		draw.Draw(out, image.Rect(f.X0, f.Y0, f.X1, f.Y1), f.Image, f.Image.Rect.Min, draw.Src)
	}
	return out
}

// compare explains a blind comparison and starts it, or shows the result of one that is
// not saved yet.
func (r *Panel) compare() {
	if r.ended != nil {
		r.showResult()
		return
	}
	if !r.h.Session.Screen.CanCompareBlind() {
		return
	}
	job, slices, info, asked := r.h.Session.Screen.CompareBlind()
	c := &Comparison{Info: info, A: lang.L("original"), B: lang.L("original")}
	if asked[0] == nil && info.A != "original" {
		c.A = lang.L("another series")
	}
	for i, in := range [2]*string{&c.A, &c.B} {
		if asked[i] != nil {
			*in = wording.Recipe(r.h.Session, *asked[i])
		}
	}
	r.h.ShowDialog(dialogs.BlindStart(c.A, c.B, func(trials int) { r.start(job, slices, c, trials) }, r.h.Window))
}

func (r *Panel) start(job viewer.Job, slices []int, c *Comparison, trials int) {
	now := r.h.Now()
	c.Test = blind.New(uint64(now.UnixNano()), trials, slices, now)
	r.Job, r.Now = job, c
	r.h.TakeOver(r, r.Layer)
	r.display()
}

// display shows the pair at hand.
func (r *Panel) display() {
	_, number, _ := r.Now.Test.Current()
	r.text.SetText(fmt.Sprintf(lang.L("Which do you prefer?  %d of %d.  %s."), number, len(r.Now.Test.Trials), lang.L(wording.NotClinical)))
	for _, p := range r.pictures {
		p.Refresh()
	}
}

// answers are the answers of keys.
var answers = map[fyne.KeyName]blind.Preference{
	fyne.Key1: blind.Left, fyne.KeyLeft: blind.Left, fyne.Key2: blind.Right, fyne.KeyRight: blind.Right,
	fyne.Key3: blind.Equal, fyne.KeyDown: blind.Equal,
}

// Key implements panel.Covering.
func (r *Panel) Key(k fyne.KeyName) { r.answer(answers[k]) }

// answer takes an answer and shows the next pair, or the result.
func (r *Panel) answer(a blind.Preference) {
	if r.Now == nil || a == blind.None || r.h.Covered() {
		return
	}
	r.Now.Test.Answer(a, r.h.Now())
	r.h.Changed()
	if _, _, more := r.Now.Test.Current(); more {
		r.h.Window.Canvas().Unfocus() // the keys go on
		r.display()
		return
	}
	r.end()
}

// AskEnd implements panel.Covering: it ends the comparison after a question; one is open at a time.
func (r *Panel) AskEnd() {
	if r.Now == nil || r.h.Covered() {
		return
	}
	r.h.ShowDialog(dialogs.BlindEnd(len(r.Now.Test.Answered()), len(r.Now.Test.Trials), r.end, r.h.Window))
}

// end shows everything again, and the result.
func (r *Panel) end() {
	ended := r.Now
	if ended == nil {
		return
	}
	r.Now, r.Job, r.renderers = nil, viewer.Job{}, [2]viewer.Renderer{}
	r.h.GiveBack(r.Layer)
	if len(ended.Test.Answered()) == 0 {
		r.h.Note(lang.L("The blind comparison ended without an answer."))
		return
	}
	r.ended = ended
	r.showResult()
}

// showResult shows what the comparison that ended last came to, until it is saved or
// discarded.
func (r *Panel) showResult() {
	ended := r.ended
	r.h.ShowDialog(dialogs.BlindResult(ended.text(), func() { r.save(ended) }, r.forget, r.h.Window))
}

// forget ends the comparison without saving its answers.
func (r *Panel) forget() {
	r.ended = nil
	r.h.Changed()
}

// text states the result of a comparison.
func (c *Comparison) text() string {
	test, info := c.Test, c.Info
	tally := test.Tally()
	var b strings.Builder
	fmt.Fprintf(&b, lang.L("%d of %d trials, seed %d, window %s.\n\n"), len(test.Answered()), len(test.Trials), test.Seed, language.Number(info.Window))
	fmt.Fprintf(&b, lang.L("%s was preferred %s, %s %s, neither %s.\n\n"), cmp.Or(c.A, info.A), times(tally.A), cmp.Or(c.B, info.B), times(tally.B), times(tally.Equal))
	if share := tally.Share(); math.IsNaN(share) {
		b.WriteString(lang.L("Neither was ever preferred: there is nothing to test."))
	} else {
		lo, hi := tally.Interval()
		b.WriteString(language.Sprintf(lang.L("%s: %.0f %% of the decided trials, 95 %% interval %.0f to %.0f %% (Clopper-Pearson). "+
			"Without a difference, a preference as strong as this would be seen with the probability p = %.2g (exact binomial test, two-sided, without ties)."),
			language.Number(info.B), 100*share, 100*lo, 100*hi, tally.P()))
	}
	return b.String()
}

func times(n int) string {
	if n == 1 {
		return lang.L("once")
	}
	return fmt.Sprintf(lang.L("%d times"), n)
}

// save asks where to write the table.
func (r *Panel) save(c *Comparison) {
	of := r.h.Session.Series()
	r.h.ShowDialog(dialogs.Save(dialogs.SaveRequest{
		Title: lang.L("Save the table"), Note: lang.L("One row for each trial, with seed, recipes and window. It names no patient."),
		Folder: r.h.Settings.ExportFolder, Name: "blind-comparison.csv", Check: files.CheckOf(files.TableOutput, of), Show: r.h.ShowDialog,
		Save: func(path string, overwrite bool) {
			if err := files.Write(files.TableOutput, path, []byte(c.Test.CSV(c.Info)), overwrite, of); err != nil {
				r.h.Fail(err)
				return
			}
			r.forget()
			r.h.RememberFolder(path)
			r.h.Note(lang.L("The table is saved."))
		},
	}, r.h.Window))
}
