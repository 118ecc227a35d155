package measurepanel

import (
	"math"
	"strconv"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/app/files"
	"quell/app/judge"
	"quell/denoise/noise"
	"quell/internal/clean"
	"quell/measure"
	"quell/ui/command"
	"quell/ui/dialogs"
	"quell/ui/session"
)

// Commands implements panel.Panel.
func (p *Panel) Commands() []command.Command {
	return []command.Command{{
		ID: "measures-save", Title: "Save the metrics (CSV) …", Menu: command.MeasureMenu, Run: p.askTable,
		Help:    "of the slice and of the volume, each with its unit, run and recipe, for a spreadsheet",
		Enabled: func() bool { return p.h.IsOpen() && tableOf(p.h.Session).any() },
	}}
}

// askTable asks where to write the measures as they are now.
func (p *Panel) askTable() {
	s := p.h.Session
	of, table := s.Series(), tableOf(s)
	recipe := s.Tuning.Recipe()
	p.h.ShowDialog(dialogs.Save(dialogs.SaveRequest{
		Title: lang.L("Save the metrics"), Folder: p.h.Settings.ExportFolder, Name: dialogs.MeasuresName(of, recipe, s.State().Cut().Index(), p.h.Settings.HideIdentity),
		Note:  lang.L("One CSV file with a row for each metric: its value in full, its unit, and what slice or run it is of. It names no patient."),
		Check: files.CheckOf(files.MeasuresOutput, of), Show: p.h.ShowDialog,
		Save: func(path string, overwrite bool) {
			p.h.RememberFolder(path)
			text := table.csv()
			p.h.Go(func() {
				err := files.Write(files.MeasuresOutput, path, []byte(text), overwrite, of)
				p.h.Do(func() {
					if err != nil {
						p.h.Fail(err)
					} else {
						p.h.Note(lang.L("The metrics are saved."))
					}
				})
			})
		},
	}, p.h.Window))
}

// table is what a file of the measures says: what the panel shows, and what that is of.
type table struct {
	Snapshot
	plane   string
	slice   int       // from 1
	recipes [2]string // of slice and volume
}

func tableOf(s *session.Session) table {
	t := table{Snapshot: snapshot(s)}
	if s.Series() == nil {
		return t
	}
	cut := s.State().Cut()
	t.plane, t.slice = cut.View().Plane.String(), cut.Index()+1
	if slice := s.Measures.Slice(); slice.Known {
		t.slice = slice.Index + 1
	}
	t.recipes[0] = s.Measures.SliceRecipe().String()
	for _, r := range s.Results.List() {
		if r.Number == t.Run {
			t.recipes[1] = r.Run.Resolved.String()
		}
	}
	return t
}

// any says whether there is a measure.
func (t table) any() bool { return t.Slice.Known || t.Volume.Known }

// csv returns the table with a row for each measure, with numbers in full; what is not known has no row. It is in English.
func (t table) csv() string {
	var b strings.Builder
	w := clean.NewCSV(&b)
	w.Row(append(strings.Split(files.MeasuresHead, ","), "state", "note")...)
	if !t.Slice.Current {
		t.Slice.Clipped = nil // of the slice on the screen, which is another
	}
	for i, c := range []Column{t.Slice, t.Volume} {
		of := []string{"slice", t.plane, strconv.Itoa(t.slice), "", t.recipes[0]}
		if i == 1 {
			of = []string{"volume", "", "", strconv.Itoa(t.Run), t.recipes[1]}
		}
		t.rows(c, func(name, value, unit, note string) {
			if value == "" {
				return
			}
			state := "current"
			if !c.Current {
				state = "earlier parameters"
			}
			w.Row(append(append([]string{name, value, unit}, of...), state, note)...)
		})
	}
	_ = w.Flush() // to memory
	return b.String()
}

// rows passes the measures of a column to row.
func (t table) rows(c Column, row func(name, value, unit, note string)) {
	if !c.Known {
		return
	}
	full := func(x float64) string {
		if math.IsNaN(x) {
			return ""
		}
		return strconv.FormatFloat(x, 'g', 7, 64)
	}
	if c.Noise.Confidence != noise.None && c.Noise.Confidence != "" {
		row("noise SD", full(c.Noise.Sigma), t.Unit, "confidence "+string(c.Noise.Confidence))
		row("residual SD / noise SD", full(float64(c.ResidualSD)/c.Noise.Sigma), "", "")
	}
	row("judgement", string(c.Judgement), "", c.Why.String())
	for _, f := range judge.FiguresOf(c.Measures) {
		unit := f.Unit
		if unit == "%" {
			unit = "" // a share of 1
		}
		row(f.Kind, full(f.Value), unit, f.Note().String())
		row(f.Kind+"_low", full(f.Low), unit, "")
		row(f.Kind+"_high", full(f.High), unit, "")
	}
	compared := func(against string, m *measure.Comparison, note string) {
		if m == nil {
			return
		}
		if m.Max > 0 {
			note = strings.TrimPrefix(note+", MAX "+full(float64(m.Max))+" "+t.Unit, ", ")
		}
		squared := t.Unit
		if squared != "" {
			squared += "^2"
		}
		row("MSE "+against, full(float64(m.MSE)), squared, note)
		row("PSNR "+against, full(float64(m.PSNR)), "dB", note)
		row("SSIM "+against, full(float64(m.SSIM)), "", note)
	}
	if x := c.Clipped; x != nil {
		window := "window width " + full(t.Within.Width) + ", level " + full(t.Within.Center)
		compared("within the window, against the original", &x.Change, window)
		compared("within the window, of the original against the reference", x.Start, window)
		compared("within the window, against the reference", x.Truth, window)
	}
}
