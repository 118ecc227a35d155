package ui

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"quell/app"
	"quell/ui/blind"
	"quell/ui/control"
	"quell/ui/dialogs"
	"quell/ui/language"
	"quell/ui/viewer"
)

// reader shows the pairs of a blind comparison, in the place of everything else.
type reader struct {
	w         *Workbench
	now       *comparison // in progress; nil for none
	job       viewer.Job
	renderers [2]viewer.Renderer // of the left and the right picture
	pictures  [2]*canvas.Raster
	ended     *comparison // whose answers are not saved yet; nil for none
	text      *widget.Label
	layer     *fyne.Container
}

// comparison is a blind comparison and what its table says besides.
type comparison struct {
	Test *blind.Test `json:"test"`
	Info blind.Info  `json:"info"`
}

// unsaved returns the comparison whose answers are not saved yet, nil for none.
func (r *reader) unsaved() *comparison {
	if r.now != nil && len(r.now.Test.Answered()) > 0 {
		return r.now
	}
	return r.ended
}

func newReader(w *Workbench) *reader {
	r := &reader{w: w, text: widget.NewLabel("")}
	for side := range r.pictures {
		r.pictures[side] = canvas.NewRaster(func(width, height int) image.Image { return r.draw(side, width, height) })
	}
	answer := func(text string, a blind.Answer) *control.Button {
		return control.NewButton(text, nil, func() { r.answer(a) })
	}
	buttons := container.NewHBox(answer(lang.L("1  Left"), blind.Left), answer(lang.L("3  Neither"), blind.Equal), answer(lang.L("2  Right"), blind.Right))
	end := control.NewButton(lang.L("End"), nil, r.askEnd)
	bar := container.NewBorder(nil, nil, r.text, end, container.NewCenter(buttons))
	r.layer = container.NewStack(canvas.NewRectangle(color.Black),
		container.NewBorder(nil, container.NewPadded(bar), nil, nil, container.NewGridWithColumns(2, r.pictures[0], r.pictures[1])))
	r.layer.Hide()
	return r
}

// active says whether a comparison is in progress.
func (r *reader) active() bool { return r.now != nil }

// side returns the image on a side of the pair at hand.
func (r *reader) side(side int, t blind.Trial) viewer.Role {
	if (side == 0) == t.Swapped {
		return viewer.Denoised
	}
	return viewer.Original
}

// draw draws a side of the pair at hand.
func (r *reader) draw(side, width, height int) image.Image {
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(out, out.Rect, image.Black, image.Point{}, draw.Src)
	if r.now == nil {
		return out
	}
	trial, _, ok := r.now.Test.Current()
	if !ok || width < 1 || height < 1 {
		return out
	}
	role, job := r.side(side, trial), r.job
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

// compareBlind explains a blind comparison and starts it, or shows the result of one that is
// not saved yet.
func (w *Workbench) compareBlind() {
	if w.reader.ended != nil {
		w.reader.showResult()
		return
	}
	if !w.session.Screen.CanCompareBlind() {
		return
	}
	job, slices, info := w.session.Screen.CompareBlind()
	w.show(dialogs.BlindStart(info.A, info.B, func(trials int) { w.reader.start(job, slices, info, trials) }, w.main))
}

func (r *reader) start(job viewer.Job, slices []int, info blind.Info, trials int) {
	w := r.w
	now := w.options.Now()
	if w.session.State().Comparison().Mode == viewer.Blink {
		w.compare(viewer.Plain)
	}
	w.stopCine()
	r.job, r.now = job, &comparison{blind.New(uint64(now.UnixNano()), trials, slices, now), info}
	w.main.SetMainMenu(nil)
	w.frame.Hide()
	r.layer.Show()
	w.main.SetContent(w.main.Content()) // Fyne moves it to the place of the menu with its size alone
	w.main.Canvas().Unfocus()
	w.showTitle()
	r.display()
}

// display shows the pair at hand.
func (r *reader) display() {
	_, number, _ := r.now.Test.Current()
	r.text.SetText(fmt.Sprintf(lang.L("Which do you prefer?  %d of %d.  %s."), number, len(r.now.Test.Trials), lang.L(notClinical)))
	for _, p := range r.pictures {
		p.Refresh()
	}
}

// readerKeys are the answers of keys.
var readerKeys = map[fyne.KeyName]blind.Answer{
	fyne.Key1: blind.Left, fyne.KeyLeft: blind.Left, fyne.Key2: blind.Right, fyne.KeyRight: blind.Right,
	fyne.Key3: blind.Equal, fyne.KeyDown: blind.Equal,
}

// answer takes an answer and shows the next pair, or the result.
func (r *reader) answer(a blind.Answer) {
	if r.now == nil || a == blind.None || r.w.covered() {
		return
	}
	r.now.Test.Answer(a, r.w.options.Now())
	r.w.autosave()
	if _, _, more := r.now.Test.Current(); more {
		r.w.main.Canvas().Unfocus() // the keys go on
		r.display()
		return
	}
	r.end()
}

// askEnd ends the comparison after a question, of which one is open at a time.
func (r *reader) askEnd() {
	if r.now == nil || r.w.covered() {
		return
	}
	r.w.show(dialogs.BlindEnd(len(r.now.Test.Answered()), len(r.now.Test.Trials), r.end, r.w.main))
}

// end shows everything again, and the result.
func (r *reader) end() {
	w, ended := r.w, r.now
	if ended == nil {
		return
	}
	r.now, r.job, r.renderers = nil, viewer.Job{}, [2]viewer.Renderer{}
	r.layer.Hide()
	w.frame.Show()
	if !w.pictures {
		w.setMenu()
	}
	w.main.SetContent(w.main.Content())
	w.refresh()
	if len(ended.Test.Answered()) == 0 {
		w.status.note(lang.L("The blind comparison ended without an answer."))
		return
	}
	r.ended = ended
	r.showResult()
}

// showResult shows what the comparison that ended last came to, until it is saved or
// discarded.
func (r *reader) showResult() {
	ended := r.ended
	r.w.show(dialogs.BlindResult(ended.text(), func() { r.save(ended) }, r.forget, r.w.main))
}

// forget ends the comparison whose answers were not saved.
func (r *reader) forget() {
	r.ended = nil
	r.w.autosave()
}

// text says what a comparison came to.
func (c *comparison) text() string {
	test, info := c.Test, c.Info
	tally := test.Tally()
	var b strings.Builder
	fmt.Fprintf(&b, lang.L("%d of %d trials, seed %d, window %s.\n\n"), len(test.Answered()), len(test.Trials), test.Seed, language.Number(info.Window))
	fmt.Fprintf(&b, lang.L("%s was preferred %s, %s %s, neither %s.\n\n"), language.Number(info.A), times(tally.A), language.Number(info.B), times(tally.B), times(tally.Equal))
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
func (r *reader) save(c *comparison) {
	w, of := r.w, r.w.session.Series()
	w.show(dialogs.Save(dialogs.SaveRequest{
		Title: lang.L("Save the table"), Note: lang.L("One row for each trial, with seed, recipes and window. It names no patient."),
		Folder: w.settings.ExportFolder, Name: "blind-comparison.csv", Check: app.CheckOf(app.TableOutput, of), Show: w.show,
		Save: func(path string, overwrite bool) {
			if err := app.WriteFile(app.TableOutput, path, []byte(c.Test.CSV(c.Info)), overwrite, of); err != nil {
				w.failed(err)
				return
			}
			r.forget()
			w.rememberFolder(path)
			w.status.note(lang.L("The table is saved."))
		},
	}, w.main))
}
