package marks

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"fyne.io/fyne/v2/lang"

	"quell/app/workbench"
	"quell/internal/message"
	"quell/measure"
	"quell/ui/language"
	"quell/ui/session/preview"
	"quell/ui/viewer"
	"quell/volume"
)

// Figures returns the figures of a mark in what the panes show, by the result that is known of its slice: side A
// may be an earlier run or another series. They are measured once.
func (mk *Marks) Figures(m workbench.Mark) Figures {
	return mk.figuresBy(m, mk.desk.BaseVolume())
}

// Own returns the figures of a mark in original, result and residual, whatever side A is.
func (mk *Marks) Own(m workbench.Mark) Figures { return mk.figuresBy(m, nil) }

// figuresBy returns the figures of a mark with a volume as side A; nil for the original.
func (mk *Marks) figuresBy(m workbench.Mark, base *volume.Volume) Figures {
	q := mk.desk.Request()
	q.Plane, q.Index = m.Plane, m.Index
	result, part, status := mk.preview.ResultOn(q)
	if status == preview.Coarse { // is not measured
		result = nil
	}
	source := mk.desk.Doc.Series().Volume
	if base != nil && mk.desk.Unfiltered() {
		result, part = source, false
	}
	if f, ok := mk.marking().figures[m.ID]; ok && f.result == result && f.source == source && f.base == base && sameMark(f.Mark, m) {
		return f
	}
	view := source.View(m.Plane)
	f := Figures{Mark: m, result: result, source: source, base: base}
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
			f.Edge[role].Why = message.Text("The slice is not filtered yet.")
		default:
			edge, err := measure.EdgeOf(measure.Profile(p.Volume(values), voxelOf(m.Points[0]), voxelOf(m.Points[1])))
			f.Edge[role] = EdgeFigure{Edge: edge, Why: message.Of(err).Sentence()}
		}
	}
	if mk.marking().figures == nil {
		mk.marking().figures = map[int]Figures{}
	}
	mk.marking().figures[m.ID] = f
	return f
}

func voxelOf(p [2]float64) [3]float64 { return [3]float64{p[0], p[1], 0} }

func sameMark(a, b workbench.Mark) bool {
	return a.ID == b.ID && a.Plane == b.Plane && a.Index == b.Index && a.Shape == b.Shape && slices.Equal(a.Points, b.Points)
}

// pictureOf returns the picture of a job: that on the screen or one like it.
func (mk *Marks) pictureOf(j viewer.Job) *viewer.Picture {
	if p := mk.desk.Picture; p != nil && p.Source == j.Source && p.Base == j.Base && p.Result == j.Result && p.View == j.View && p.Index == j.Index {
		return p
	}
	return viewer.Extract(j)
}

// CNR returns the contrast of an ROI to the ground, in every pane; NaN if it is not
// defined, and for the ground itself.
func (mk *Marks) CNR(f Figures) (out [viewer.Roles]measure.Float) {
	ground, ok := mk.Ground()
	for role := range out {
		out[role] = measure.Float(math.NaN())
	}
	if !ok || f.Mark.Shape == measure.Line || ground.ID == f.Mark.ID {
		return out
	}
	g := mk.figuresBy(ground, f.base)
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
	source := mk.desk.Doc.Series().Volume
	view := source.View(m.Plane)
	p := mk.pictureOf(viewer.Job{Source: source, View: view, Index: m.Index})
	pixels := m.Pixels(view.Size[0], view.Size[1])
	sigma, err = measure.EvenNoise(p.Before, p.Mask, pixels, view.Size[0])
	return sigma, len(measure.Pick(p.Before, p.Mask, pixels)), err
}

// UseNoise takes the noise in the selected ROI for the noise of the series, in the place
// of the estimate; strengths that count in sigmas follow.
func (mk *Marks) UseNoise() {
	sigma, voxels, err := mk.NoiseIn()
	if err != nil {
		mk.desk.Tasks.Show(language.Of(message.Of(err).Sentence()))
		return
	}
	m, _ := mk.Selected()
	v := mk.desk.Doc.Series().Volume
	e := mk.desk.Edit()
	e.Noise = &workbench.GivenNoise{Sigma: sigma, Voxels: voxels, From: m.Name(), Of: v}
	mk.desk.Doc.Edits().Push(e)
	mk.desk.Tasks.Say(fmt.Sprintf(lang.L("The noise is that of %s, %s."), m.Name(), language.Quantity(sigma, v.Unit)))
	mk.desk.ViewChanged()
}

// EstimateNoise takes the estimated noise again.
func (mk *Marks) EstimateNoise() {
	if mk.desk.Doc == nil || mk.desk.Doc.GivenNoise() == nil {
		return
	}
	e := mk.desk.Edit()
	e.Noise = nil
	mk.desk.Doc.Edits().Push(e)
	mk.desk.Tasks.Say(lang.L("The noise is the estimated one again."))
	mk.desk.ViewChanged()
}

// SetWindow sets window width and level so that they hold the values of the original in
// the selected ROI.
func (mk *Marks) SetWindow() {
	m, ok := mk.Selected()
	if !ok || m.Shape == measure.Line {
		return
	}
	f := mk.Own(m).Stats[viewer.Original]
	if f.N == 0 || f.Min == f.Max {
		mk.desk.Tasks.Say(fmt.Sprintf(lang.L("The values in %s are all the same; they give no window."), m.Name()))
		if f.N == 0 {
			mk.desk.Tasks.Say(m.Name() + lang.L(" has no voxel."))
		}
		mk.desk.Changed()
		return
	}
	mk.desk.State.Windows.Set(volume.Window{Name: m.Name(), Center: float64(f.Min+f.Max) / 2, Width: float64(f.Max - f.Min), Exact: true})
}
