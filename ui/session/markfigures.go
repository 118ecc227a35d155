package session

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/internal/clean"
	"quell/measure"
	"quell/ui/language"
	"quell/ui/viewer"
	"quell/volume"
)

// MarkFigures is what is measured in a mark on its slice, in the unit of the series.
type MarkFigures struct {
	Mark   app.Mark
	Area   float64                     // mm²; 0 for a line
	Length float64                     // mm; of a line
	Stats  [viewer.Roles]measure.Stats // of the pixels inside; N is 0 where there is no picture
	Edge   [viewer.Roles]EdgeFigure    // along a line; none of the residual

	result *volume.Volume // the stats are of it
	source *volume.Volume
	base   *volume.Volume // in the pane of the original; nil for that
}

// EdgeFigure is an edge along a line, or why there is none.
type EdgeFigure struct {
	measure.Edge
	Why string // a sentence; "" where the edge is known
}

// Figures returns the figures of a mark, by the result that is known of its slice. They
// are measured once.
func (mk *Marks) Figures(m app.Mark) MarkFigures {
	q := mk.s.Tuning.request()
	q.Plane, q.Index = m.Plane, m.Index
	result, part, status := mk.s.Preview.resultOn(q)
	if status == Coarse { // is not measured
		result = nil
	}
	source := mk.s.doc.Series().Volume
	base := mk.s.Results.baseVolume()
	if f, ok := mk.s.marking.figures[m.ID]; ok && f.result == result && f.source == source && f.base == base && sameMark(f.Mark, m) {
		return f
	}
	view := source.View(m.Plane)
	f := MarkFigures{Mark: m, result: result, source: source, base: base}
	g := view.Slice(source.Geometry, m.Index)
	p := mk.pictureOf(viewer.Job{Source: source, Base: base, View: view, Index: m.Index, Result: result, Part: part})
	pixels := m.Pixels(view.Size[0], view.Size[1])
	f.Area = m.Area() * measure.PixelArea(g)
	if m.Shape == measure.Line {
		f.Length = measure.Distance(g, voxelOf(m.Points[0]), voxelOf(m.Points[1]))
	}
	for role, values := range [viewer.Roles][]float32{p.Before, p.After, p.Residual} {
		switch {
		case m.Shape != measure.Line && values != nil:
			f.Stats[role] = measure.StatsOf(measure.Pick(values, p.Mask, pixels))
		case m.Shape != measure.Line:
			f.Stats[role] = measure.StatsOf(nil)
		case viewer.Role(role) == viewer.Residual:
		case values == nil:
			f.Edge[role].Why = "The slice is not filtered yet."
		default:
			edge, err := measure.EdgeOf(measure.Profile(p.Volume(values), voxelOf(m.Points[0]), voxelOf(m.Points[1])))
			f.Edge[role] = EdgeFigure{Edge: edge, Why: sentence(err)}
		}
	}
	if mk.s.marking.figures == nil {
		mk.s.marking.figures = map[int]MarkFigures{}
	}
	mk.s.marking.figures[m.ID] = f
	return f
}

func voxelOf(p [2]float64) [3]float64 { return [3]float64{p[0], p[1], 0} }

func sameMark(a, b app.Mark) bool {
	return a.ID == b.ID && a.Plane == b.Plane && a.Index == b.Index && a.Shape == b.Shape && slices.Equal(a.Points, b.Points)
}

// pictureOf returns the picture of a job: that on the screen or one like it.
func (mk *Marks) pictureOf(j viewer.Job) *viewer.Picture {
	if p := mk.s.Screen.picture; p != nil && p.Source == j.Source && p.Base == j.Base && p.Result == j.Result && p.View == j.View && p.Index == j.Index {
		return p
	}
	return viewer.Extract(j)
}

// sentence returns an error as a sentence; "" for none.
func sentence(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// CNR returns the contrast of an ROI to the ground, in every pane; NaN where it is not
// defined, and for the ground itself.
func (mk *Marks) CNR(f MarkFigures) (out [viewer.Roles]measure.Float) {
	ground, ok := mk.Ground()
	for role := range out {
		out[role] = measure.Float(math.NaN())
	}
	if !ok || f.Mark.Shape == measure.Line || ground.ID == f.Mark.ID {
		return out
	}
	g := mk.Figures(ground)
	for _, role := range []viewer.Role{viewer.Original, viewer.Denoised} {
		if f.Stats[role].N > 0 && g.Stats[role].N > 0 {
			out[role] = measure.CNR(f.Stats[role], g.Stats[role])
		}
	}
	return out
}

// NoiseIn returns the noise of the original in the selected ROI, and of how many voxels; an
// error says why it cannot be measured there.
func (mk *Marks) NoiseIn() (sigma float64, voxels int, err error) {
	m, ok := mk.Selected()
	if !ok || m.Shape == measure.Line {
		return 0, 0, errors.New(lang.L("select an ROI to measure the noise in it"))
	}
	source := mk.s.doc.Series().Volume
	view := source.View(m.Plane)
	p := mk.pictureOf(viewer.Job{Source: source, View: view, Index: m.Index})
	pixels := m.Pixels(view.Size[0], view.Size[1])
	sigma, err = measure.EvenNoise(p.Before, p.Mask, pixels, view.Size[0])
	return sigma, len(measure.Pick(p.Before, p.Mask, pixels)), err
}

// UseNoise takes the noise in the selected ROI for that of the series, in the place of the
// estimate; strengths that count in sigmas follow.
func (mk *Marks) UseNoise() {
	sigma, voxels, err := mk.NoiseIn()
	if err != nil {
		mk.s.Tasks.message = language.Sentence(sentence(err))
		mk.s.listener.Changed()
		return
	}
	m, _ := mk.Selected()
	v := mk.s.doc.Series().Volume
	e := mk.s.edit()
	e.Noise = &app.GivenNoise{Sigma: sigma, Voxels: voxels, From: m.Name(), Of: v}
	mk.s.doc.Edits().Push(e)
	mk.s.Tasks.message = fmt.Sprintf(lang.L("The noise is that of %s, %s."), m.Name(), Quantity(sigma, v.Unit))
	mk.s.viewChanged()
}

// EstimateNoise takes the estimated noise again.
func (mk *Marks) EstimateNoise() {
	if mk.s.doc == nil || mk.s.doc.GivenNoise() == nil {
		return
	}
	e := mk.s.edit()
	e.Noise = nil
	mk.s.doc.Edits().Push(e)
	mk.s.Tasks.message = lang.L("The noise is the estimated one again.")
	mk.s.viewChanged()
}

// SetWindow sets window width and level so that they hold the values of the original in
// the selected ROI.
func (mk *Marks) SetWindow() {
	m, ok := mk.Selected()
	if !ok || m.Shape == measure.Line {
		return
	}
	f := mk.Figures(m).Stats[viewer.Original]
	if f.N == 0 || f.Min == f.Max {
		mk.s.Tasks.message = fmt.Sprintf(lang.L("The values in %s are all the same; they give no window."), m.Name())
		if f.N == 0 {
			mk.s.Tasks.message = m.Name() + lang.L(" holds no voxel.")
		}
		mk.s.listener.Changed()
		return
	}
	mk.s.state.SetWindow(volume.Window{Name: m.Name(), Center: float64(f.Min+f.Max) / 2, Width: float64(f.Max - f.Min), Exact: true})
}

// CSV returns a table of all marks, a row for each pane, with the numbers in full.
func (mk *Marks) CSV() string {
	var b strings.Builder
	w := clean.NewCSV(&b)
	unit := mk.s.doc.Series().Volume.Unit
	in := func(name, unit string) string {
		if unit == "" {
			return name
		}
		return name + " (" + unit + ")"
	}
	w.Row("mark", "shape", "plane", "slice", "image", "pixels", "area (mm2)", in("mean", unit), in("SD", unit), in("min", unit), in("max", unit),
		"SNR", "CNR", "CNR against", "length (mm)", "edge width (mm)", "standard error (mm)", in("edge height", unit), "note")
	number := func(x float64) string {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return ""
		}
		return strconv.FormatFloat(x, 'g', 7, 64)
	}
	names := map[measure.Shape]string{measure.Box: "rectangle", measure.Ellipse: "ellipse", measure.Freehand: "freehand", measure.Line: "line"}
	for _, m := range mk.List() {
		f := mk.Figures(m)
		cnr := mk.CNR(f)
		for role := range viewer.Roles {
			row := []string{m.Name(), names[m.Shape], m.Plane.String(), strconv.Itoa(m.Index + 1), strings.ToLower(role.String())}
			st, e := f.Stats[role], f.Edge[role]
			switch {
			case m.Shape == measure.Line && role == viewer.Residual:
				continue
			case m.Shape == measure.Line && e.Why != "":
				row = append(row, "", "", "", "", "", "", "", "", "", number(f.Length), "", "", "", e.Why)
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
