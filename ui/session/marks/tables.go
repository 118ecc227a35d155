package marks

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"quell/internal/clean"
	"quell/measure"
	"quell/report"
	"quell/ui/viewer"
)

// number writes a number with some digits, and none for a value that is not finite.
func number(x float64, digits int, none string) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return none
	}
	return strconv.FormatFloat(x, 'g', digits, 64)
}

// CSV returns a table of all marks, a row each for original, denoised and residual, with the numbers in full.
func (mk *Marks) CSV() string {
	var b strings.Builder
	w := clean.NewCSV(&b)
	unit := mk.desk.Doc.Series().Volume.Unit
	in := func(name, unit string) string {
		if unit == "" {
			return name
		}
		return name + " (" + unit + ")"
	}
	w.Row("mark", "shape", "plane", "slice", "image", "pixels", "area (mm2)", in("mean", unit), in("SD", unit), in("min", unit), in("max", unit),
		"SNR", "CNR", "CNR against", "length (mm)", "edge width (mm)", "standard error (mm)", in("edge height", unit), "note")
	number := func(x float64) string { return number(x, 7, "") }
	names := map[measure.Shape]string{measure.Box: "rectangle", measure.Ellipse: "ellipse", measure.Freehand: "freehand", measure.Line: "line"}
	for _, m := range mk.List() {
		f := mk.Own(m)
		cnr := mk.CNR(f)
		for role := range viewer.Roles {
			row := []string{m.Name(), names[m.Shape], m.Plane.String(), strconv.Itoa(m.Index + 1), strings.ToLower(role.String())}
			st, e := f.Stats[role], f.Edge[role]
			switch {
			case m.Shape == measure.Line && role == viewer.Residual:
				continue
			case m.Shape == measure.Line && !e.Why.IsZero():
				row = append(row, "", "", "", "", "", "", "", "", "", number(f.Length), "", "", "", e.Why.String())
			case m.Shape == measure.Line:
				note := ""
				if e.Narrower {
					note = "The edge is narrower."
				}
				row = append(row, "", "", "", "", "", "", "", "", "", number(f.Length), number(e.Width), number(e.Error), number(e.Height), note)
			case st.N == 0 && role != viewer.Original && f.result == nil:
				row = append(row, "0", number(f.Area), "", "", "", "", "", "", "", "", "", "", "", "The slice is not filtered yet.")
			default:
				against := ""
				if ground, ok := mk.Ground(); ok && cnr[role].Finite() {
					against = ground.Name()
				}
				snr := number(float64(st.SNR()))
				if role == viewer.Residual {
					snr = ""
				}
				row = append(row, strconv.Itoa(st.N), number(f.Area), number(float64(st.Mean)), number(float64(st.SD)), number(float64(st.Min)), number(float64(st.Max)),
					snr, number(float64(cnr[role])), against, "", "", "", "", "")
			}
			w.Row(row...)
		}
	}
	_ = w.Flush() // to memory
	return b.String()
}

// Table is the table of all marks for a report.
func (mk *Marks) Table() (t report.Table) {
	unit := mk.desk.Doc.Series().Volume.Unit
	number := func(x float64) string { return number(x, 4, "–") }
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
	for _, m := range mk.List() {
		f := mk.Own(m)
		row := []string{m.Name(), fmt.Sprintf("%s %d", m.Plane, m.Index+1)}
		if m.Shape == measure.Line {
			row = append(row, number(f.Length)+" mm")
			for _, role := range []viewer.Role{viewer.Original, viewer.Denoised} {
				if e := f.Edge[role]; !e.Why.IsZero() {
					row = append(row, e.Why.String())
				} else if e.Narrower {
					row = append(row, fmt.Sprintf("edge < %.2g mm", e.Width))
				} else {
					row = append(row, fmt.Sprintf("edge %.2f ± %.2f mm", e.Width, e.Edge.Error))
				}
			}
			t.Rows = append(t.Rows, append(row, "", "", ""))
			continue
		}
		cnr := mk.CNR(f)
		t.Rows = append(t.Rows, append(row, number(f.Area)+" mm²", pair(f.Stats[viewer.Original]), pair(f.Stats[viewer.Denoised]), pair(f.Stats[viewer.Residual]),
			arrow(float64(f.Stats[viewer.Original].SNR()), float64(f.Stats[viewer.Denoised].SNR())),
			arrow(float64(cnr[viewer.Original]), float64(cnr[viewer.Denoised]))))
	}
	if t.Rows != nil {
		t.Head = []string{"", "Slice", "Size", "Original", "Denoised", "Residual", "SNR", "CNR"}
		if ground, ok := mk.Ground(); ok {
			t.Head[7] += " to " + ground.Name()
		}
	}
	return t
}
