package session

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/measure"
	"quell/report"
	"quell/ui/viewer"
)

// SaveReport writes a report on the result to a file, see app.Page: with the slice, the
// window and the marks that are on the screen now, without the identity where hide is
// set. A result that is not judged yet is judged first. overwrite replaces a file that
// is no report. It does nothing during another task or without a result.
func (ex *Exports) SaveReport(path string, hide, overwrite bool) {
	run := ex.s.Results.Exportable()
	if run == nil || ex.s.Tasks.Busy() {
		return
	}
	p := app.Page{Run: run, Hide: hide, ROIs: ex.markTable(), Show: &app.Shown{
		View: ex.s.state.View(), Index: ex.s.state.Index(), Window: ex.s.state.Window(), Inverted: ex.s.state.Inverted(),
	}}
	reference := ex.s.doc.Reference()
	if r := ex.s.Results.of(run); r != nil && r.numbers.ok && r.numbers.err == nil && r.numbers.job.reference == reference {
		p.Measures = &r.numbers.measures
	}
	engine := ex.s.deps.Engine
	t := ex.s.Tasks.start(Exporting, lang.L("Writing the report"), "")
	ex.s.background(func() error {
		if p.Measures == nil {
			m, err := app.MeasureRun(t.ctx, engine, run, reference)
			if err != nil {
				return err
			}
			p.Measures = &m
		}
		return p.Write(t.ctx, path, overwrite)
	}, func(err error) {
		if ex.s.Tasks.finish(t, err) {
			ex.s.Tasks.message = lang.L("The report is saved.")
			ex.s.listener.Changed()
		}
	})
}

// markTable is the table of all marks for a report.
func (ex *Exports) markTable() (t report.Table) {
	unit := ex.s.doc.Series().Volume.Unit
	number := func(x float64) string {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return "–"
		}
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	arrow := func(before, after float64) string {
		if number(before) == number(after) {
			return number(before)
		}
		return number(before) + " → " + number(after)
	}
	pair := func(st measure.Stats) string {
		if st.N == 0 {
			return "–"
		}
		return strings.TrimSpace(number(float64(st.Mean)) + " ± " + number(float64(st.SD)) + " " + unit)
	}
	for _, m := range ex.s.Marks.List() {
		f := ex.s.Marks.Figures(m)
		row := []string{m.Name(), fmt.Sprintf("%s %d", m.Plane, m.Index+1)}
		if m.Shape == measure.Line {
			row = append(row, number(f.Length)+" mm")
			for _, role := range []viewer.Role{viewer.Original, viewer.Denoised} {
				if e := f.Edge[role]; e.Why != "" {
					row = append(row, e.Why)
				} else if e.Narrower {
					row = append(row, fmt.Sprintf("edge < %.2g mm", e.Width))
				} else {
					row = append(row, fmt.Sprintf("edge %.2f ± %.2f mm", e.Width, e.Edge.Error))
				}
			}
			t.Rows = append(t.Rows, append(row, "", "", ""))
			continue
		}
		cnr := ex.s.Marks.CNR(f)
		t.Rows = append(t.Rows, append(row, number(f.Area)+" mm²", pair(f.Stats[viewer.Original]), pair(f.Stats[viewer.Denoised]), pair(f.Stats[viewer.Residual]),
			arrow(float64(f.Stats[viewer.Original].SNR()), float64(f.Stats[viewer.Denoised].SNR())),
			arrow(float64(cnr[viewer.Original]), float64(cnr[viewer.Denoised]))))
	}
	if t.Rows != nil {
		t.Head = []string{"", "Slice", "Size", "Original", "Denoised", "Residual", "SNR", "CNR"}
		if ground, ok := ex.s.Marks.Ground(); ok {
			t.Head[7] += " to " + ground.Name()
		}
	}
	return t
}
