package exports

import (
	"slices"

	"fyne.io/fyne/v2/lang"

	"quell/app/files"
	"quell/app/judge"
	"quell/app/output"
	"quell/app/workbench"
	"quell/ui/session/desk"
	"quell/ui/session/marks"
	"quell/ui/viewer"
)

// SaveReport writes a report on the result to a file, see output.Page: with the slice, the
// window and the marks that are on the screen now, without the identity if hide is set.
// A result that is not judged yet is judged first, and its recipe runs on virtual lesions. overwrite replaces a file that is no
// report. It does nothing during another task or without a result.
func (ex *Exports) SaveReport(path string, hide, overwrite bool) {
	run := ex.results.Exportable()
	if run == nil || ex.desk.Tasks.Busy() {
		return
	}
	cut := ex.desk.State.Cut()
	p := output.Page{Run: run, Hide: hide, ROIs: ex.marks.Table(), Show: &output.Shown{
		View: cut.View(), Index: cut.Index(), Window: ex.desk.State.Windows.Current(), Inverted: ex.desk.State.Windows.Inverted(),
	}}
	reference := ex.desk.Doc.Reference()
	if r := ex.desk.ResultOf(run); r != nil && r.Numbers.Known && r.Numbers.Err == nil && r.Numbers.Reference == reference {
		p.Measures = &r.Numbers.Measures
	}
	engine := ex.desk.Engine
	t := ex.desk.Tasks.Start(desk.Exporting, lang.L("Writing the report"), "")
	ex.desk.Tasks.Do(t, func() error {
		if p.Measures == nil {
			m, err := judge.Measure(t.Ctx, engine, run, reference)
			if err != nil {
				return err
			}
			p.Measures = &m
		}
		return p.Write(t.Ctx, path, overwrite)
	}, func() { ex.desk.Tasks.Show(lang.L("The report is saved.")) })
}

// SaveCine writes the pictures of all slices to a file, see output.Cine. overwrite replaces a file that is no cine of Quell. It does
// nothing during another task or without a series.
func (ex *Exports) SaveCine(c output.Cine, path string, overwrite bool) {
	if ex.desk.Doc == nil || ex.desk.Tasks.Busy() {
		return
	}
	of := ex.desk.Doc.Series()
	t := ex.desk.Tasks.Start(desk.Exporting, lang.L("Writing the cine"), lang.L("slices"))
	progress := ex.desk.Tasks.Reporter(t)
	ex.desk.Tasks.Do(t, func() error { return c.Write(t.Ctx, path, overwrite, progress, of) }, func() {
		ex.desk.Tasks.Show(lang.L("The cine is saved."))
	})
}

// Presentable says whether a presentation state can be saved, and of what: of the series that the
// shown result was exported to, or if folder is "" of the series that is open.
func (ex *Exports) Presentable() (folder string, ok bool) {
	if ex.desk.Doc == nil || ex.desk.Tasks.Busy() {
		return "", false
	}
	if r := ex.desk.ResultOf(ex.desk.Doc.Run()); ex.results.Applied() && r != nil {
		for _, e := range slices.Backward(r.Exports) {
			if files.Identified(e.Output) && !ex.results.Files.Gone(e) {
				return e.Output, true
			}
		}
	}
	_, noisy := ex.desk.Doc.Noise()
	return "", workbench.Presentable(ex.desk.Doc.Series()) && !noisy
}

// SavePresentation writes how the acquired slices are shown as a DICOM presentation state: window,
// turn, area and the marks on them, with the texts that text gives for the pane of a role. It does
// nothing if Presentable says no.
func (ex *Exports) SavePresentation(path string, text func(marks.Figures, viewer.Role) string, overwrite bool) {
	folder, ok := ex.Presentable()
	if !ok {
		return
	}
	source := ex.desk.Doc.Series()
	cut := ex.desk.State.In(source.Volume.Acquired())
	p := workbench.Presentation{Of: source, Now: ex.desk.Now(), View: cut.View(), Inverted: ex.desk.State.Windows.Inverted()}
	role := viewer.Original
	if folder != "" {
		role, p.Run, p.Exported = viewer.Denoised, ex.desk.Doc.Run(), folder
	}
	p.Window = ex.desk.State.Windows.Of(role)
	p.Area = ex.shownArea(cut, role)
	for _, m := range ex.desk.Edit().Marks {
		if m.Plane == p.View.Plane {
			p.Marks = append(p.Marks, workbench.CaptionedMark{Mark: m, Text: text(ex.marks.Own(m), role)})
		}
	}
	t := ex.desk.Tasks.Start(desk.Exporting, lang.L("Writing the presentation state"), "")
	ex.desk.Tasks.Do(t, func() error { return p.Write(t.Ctx, path, overwrite) }, func() {
		ex.desk.Tasks.Show(lang.L("The presentation state is saved."))
	})
}

// shownArea returns the pixels at the top left and the bottom right of the pane of a role, or of
// another pane if that is hidden.
func (ex *Exports) shownArea(cut viewer.Cut, role viewer.Role) [2][2]int {
	panes := ex.desk.Panes()
	pane := panes[role]
	for _, other := range panes {
		if pane.Hidden {
			pane = other
		}
	}
	w, h := float64(pane.Width), float64(pane.Height)
	if pane.Hidden {
		w, h = 0, 0
	}
	first, last := cut.Transform(w, h).Pixels(w, h)
	return [2][2]int{first, last}
}
