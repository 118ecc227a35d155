package reader

import (
	"bytes"
	"fmt"
	"image/png"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"quell/app/files"
	"quell/app/study"
	denoised "quell/denoise/lesions"
	"quell/measure/readers"
	"quell/ui/command"
	"quell/ui/control"
	"quell/ui/dialogs"
	"quell/ui/host"
	"quell/ui/language"
	"quell/ui/session/lesions"
	"quell/ui/wording"
)

// Choice shows the pairs of a forced choice between two squares, in the place of everything else.
type Choice struct {
	h        *host.Host
	Now      *study.Reading // in progress; nil for none
	pictures [2]*canvas.Image
	text     *widget.Label
	Layer    *fyne.Container
}

// squareSide is the side of both squares in units of the screen, as on the page for a browser.
const squareSide = 384

// newChoice returns the place of forced choices of a workbench.
func newChoice(h *host.Host) *Choice {
	c := &Choice{h: h, text: widget.NewLabel("")}
	var squares [2]fyne.CanvasObject
	for side := range c.pictures {
		c.pictures[side] = control.NewPicture(fyne.NewSquareSize(squareSide))
		squares[side] = container.NewCenter(c.pictures[side])
	}
	buttons := container.NewHBox(
		control.NewButton(lang.L("1  Left"), nil, func() { c.answer(true) }),
		control.NewButton(lang.L("2  Right"), nil, func() { c.answer(false) }))
	c.Layer = layerOf(c.text, buttons, control.NewButton(lang.L("Pause"), nil, c.AskEnd), squares)
	return c
}

func (c *Choice) command() command.Command {
	return command.Command{
		ID: "forced-choice", Title: "Forced choice …", Menu: command.CompareMenu, Run: c.ask,
		Help:    "which of two squares has a virtual lesion, as they are and filtered: percent correct and d' of a reader, and a file for iMRMC",
		Enabled: func() bool { return !c.h.Session.Tasks.Busy() },
	}
}

// ask explains a forced choice and starts or continues one.
func (c *Choice) ask() {
	r := dialogs.ChoiceRequest{
		Check: study.CheckReader,
		Make:  c.make,
		Continue: func(reader string) {
			c.h.AskFile(lang.L("Choose the page (.html) of a study"), func(page string) { c.open(page, reader) })
		},
	}
	if c.h.Session.Lesions.CanMakeStudy() {
		r.Sizes = denoised.UsualSizes(c.h.Session.Series().Volume.Geometry)
	}
	c.h.ShowDialog(dialogs.Choice(r, c.h.Window))
}

// make asks where to write a study, makes it and begins with it.
func (c *Choice) make(reader string, size, sigmas float64, places int) {
	of := c.h.Session.Series()
	c.h.ShowDialog(dialogs.Save(dialogs.SaveRequest{
		Title: lang.L("Save the study"), Folder: c.h.Settings.ExportFolder, Name: "study.html",
		Note: lang.L("A page that any browser shows too, and beside it the key and the answers of every reader. They name no patient."),
		Check: func(path string, overwrite bool) error {
			if err := files.Check(files.StudyKeyOutput, study.KeyPath(path), overwrite, of); err != nil {
				return err
			}
			return files.Check(files.StudyOutput, path, overwrite, of)
		},
		Show: c.h.ShowDialog,
		Save: func(path string, overwrite bool) {
			c.h.RememberFolder(path)
			c.h.Session.Lesions.MakeStudy(lesions.StudyRequest{
				Size: size, Sigmas: sigmas, Places: places, Seed: uint64(c.h.Now().Unix()), Path: path, Overwrite: overwrite,
			}, func() { c.open(path, reader) })
		},
	}, c.h.Window))
}

// open begins with a study, or goes on with it, or shows the result if all is answered.
func (c *Choice) open(page, reader string) {
	if c.Now != nil || c.h.Covered() {
		return
	}
	now, err := study.Open(page, reader)
	if err != nil {
		c.h.Fail(err)
		return
	}
	c.Now = now
	c.h.TakeOver(c, c.Layer)
	c.next()
}

// next shows the first pair without an answer, or the result.
func (c *Choice) next() {
	pair, more := c.Now.Next()
	if !more {
		c.showResult(c.leave())
		return
	}
	for side, data := range pair {
		m, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			c.leave()
			c.h.Fail(err)
			return
		}
		c.pictures[side].Image = m
		c.pictures[side].Refresh()
	}
	c.text.SetText(fmt.Sprintf(lang.L("Which side has the %s?  %d of %d.  %s."), lesionText(c.Now.Page.Shape, c.Now.Page.Size), c.Now.Answered()+1, len(c.Now.Page.Pairs), lang.L(wording.NotClinical)))
}

func lesionText(shape denoised.Shape, size float64) string {
	if shape == denoised.Disc {
		return language.Sprintf(lang.L("disc of %.3g mm"), size)
	}
	return language.Sprintf(lang.L("Gaussian of %.3g mm"), size)
}

// Key implements panel.Covering.
func (c *Choice) Key(k fyne.KeyName) {
	switch k {
	case fyne.Key1, fyne.KeyLeft:
		c.answer(true)
	case fyne.Key2, fyne.KeyRight:
		c.answer(false)
	}
}

// answer writes an answer and shows the next pair. An answer that cannot be written is given again.
func (c *Choice) answer(left bool) {
	if c.Now == nil || c.h.Covered() {
		return
	}
	if err := c.Now.Answer(left); err != nil {
		c.h.Fail(err)
		return
	}
	c.h.Window.Canvas().Unfocus() // the keys go on
	c.next()
}

// AskEnd implements panel.Covering. Nothing is lost, so nothing is asked.
func (c *Choice) AskEnd() {
	if c.Now == nil || c.h.Covered() {
		return
	}
	paused := c.leave()
	c.h.Note(fmt.Sprintf(lang.L("Paused: %d of %d pairs are answered. Forced choice, “Continue a study”, goes on."), paused.Answered(), len(paused.Page.Pairs)))
}

// leave shows everything else again.
func (c *Choice) leave() *study.Reading {
	now := c.Now
	c.Now, c.pictures[0].Image, c.pictures[1].Image = nil, nil, nil
	c.h.GiveBack(c.Layer)
	return now
}

// showResult shows what the reader saw.
func (c *Choice) showResult(r *study.Reading) {
	results, err := r.Results()
	if err != nil {
		c.h.Fail(err)
		return
	}
	score, known := r.Score(results)
	if !known {
		c.h.Note(lang.L("The key of the study is missing: its answers cannot be scored."))
		return
	}
	c.h.ShowDialog(dialogs.ChoiceResult(resultText(results.Keys[r.Page.Study], score, results), func() { c.export(results) }, c.h.Window))
}

// resultText states the score of a reader in a study.
func resultText(k study.Key, s readers.Score, all study.Results) string {
	var b strings.Builder
	b.WriteString(language.Sprintf(lang.L("Reader %s: %s. Filter and settings are in the key beside the page, for when all have read."), s.Reader, lesionText(k.Lesion.Shape, k.Lesion.Size)))
	share := func(title string, p *readers.Share) {
		if p != nil {
			b.WriteString("\n\n" + title + language.Sprintf(lang.L(": %d of %d right, %.0f %% (95 %% interval %.0f to %.0f %%), %s"), p.Right, p.Of, 100*p.Value, 100*p.Lo, 100*p.Hi, indexText(p.Index)))
		}
	}
	share(lang.L("As it is"), s.AsItIs)
	share(lang.L("Filtered"), s.Filtered)
	if d := s.Difference; d != nil {
		b.WriteString("\n\n" + language.Sprintf(lang.L("Filtered less as it is: %+.0f points (%+.0f to %+.0f), %d pairs."), 100*d.Value, 100*d.Lo, 100*d.Hi, d.Pairs))
	}
	seen := map[string]bool{}
	for _, a := range all.Answers {
		seen[a.Reader] = true
	}
	b.WriteString("\n\n" + fmt.Sprintf(lang.L("Chance is 50 %%. The intervals are over the cases, for this reader. Studies in this folder: %d, readers: %d; iMRMC adds the spread of the readers."), len(all.Plans), len(seen)))
	return b.String()
}

// indexText writes d', or on which side of an end it lies if all answers are right, or none.
func indexText(i readers.Index) string {
	switch {
	case i.Value.Finite():
		return language.Sprintf("d′ %.1f (%.1f–%.1f)", float64(i.Value), float64(i.Lo), float64(i.Hi))
	case i.Value > 0:
		return language.Sprintf("d′ > %.1f", float64(i.Lo))
	}
	return language.Sprintf("d′ < %.1f", float64(i.Hi))
}

// export asks where to write the answers of all readers and cases of the folder.
func (c *Choice) export(all study.Results) {
	c.h.ShowDialog(dialogs.Save(dialogs.SaveRequest{
		Title: lang.L("Export for iMRMC"), Note: lang.L("The answers of all readers and studies in this folder. Readers and cases are numbered; nobody is named."),
		Folder: c.h.Settings.ExportFolder, Name: "study.imrmc", Check: files.CheckOf(files.IMRMCOutput), Show: c.h.ShowDialog,
		Save: func(path string, overwrite bool) {
			if err := all.WriteIMRMC(path, overwrite); err != nil {
				c.h.Fail(err)
				return
			}
			c.h.RememberFolder(path)
			c.h.Note(lang.L("The file for iMRMC is written."))
		},
	}, c.h.Window))
}
