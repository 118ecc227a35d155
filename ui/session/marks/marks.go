// Package marks draws, moves and measures the marks of the series that is shown.
package marks

import (
	"math"
	"slices"

	"quell/app/workbench"
	"quell/internal/message"
	"quell/measure"
	"quell/ui/session/desk"
	"quell/ui/session/preview"
	"quell/ui/viewer"
	"quell/volume"
)

// Tool is the shape that the next drag on a picture draws.
type Tool int

// The tools.
const (
	NoTool Tool = iota
	RectangleTool
	EllipseTool
	FreehandTool
	LineTool
)

// shapes are the shapes that tools draw.
var shapes = map[Tool]measure.Shape{
	RectangleTool: measure.Box, EllipseTool: measure.Ellipse, FreehandTool: measure.Freehand, LineTool: measure.Line,
}

// marking is the editing of the marks of a document.
type marking struct {
	tool     Tool
	selected int   // the ID of a mark; 0 for none
	drag     *drag // in progress; nil for none
	figures  map[int]Figures
}

// drag is a mark that follows the pointer, not yet in the history.
type drag struct {
	mark  workbench.Mark
	last  [2]float64 // of the pointer, if the whole mark moves
	point int        // that follows the pointer; -1: all do, -2: new ones are added
	moved bool
	fresh bool // it is not in the document yet
	shown volume.View
	view  volume.View // shown as radiologists are used to, in which marks are kept
}

const (
	wholeMark = -1
	newPoints = -2
	// maxPoints bounds the corners of a freehand shape.
	maxPoints = 2000
)

// Marks draws, moves and measures the marks of the series that is shown.
type Marks struct {
	desk    *desk.Desk
	preview *preview.Preview
	slot    desk.Slot[marking]
}

// New returns the marks of a desk.
func New(d *desk.Desk, p *preview.Preview) *Marks { return &Marks{desk: d, preview: p} }

func (mk *Marks) marking() *marking { return mk.slot.Of(mk.desk.Document) }

// Drop ends a drag; the mark is as it was before.
func (mk *Marks) Drop() { mk.marking().drag = nil }

// Tool returns the tool in use.
func (mk *Marks) Tool() Tool { return mk.marking().tool }

// SetTool takes a tool for one shape, or puts it away.
func (mk *Marks) SetTool(t Tool) {
	if mk.desk.Doc == nil {
		return
	}
	mk.marking().tool, mk.marking().drag = t, nil
	mk.desk.Changed()
}

// List returns the marks of the series in the order in which they were drawn, with the
// one that follows the pointer.
func (mk *Marks) List() []workbench.Mark {
	marks := mk.desk.Edit().Marks
	d := mk.marking().drag
	if d == nil {
		return marks
	}
	if d.fresh {
		return append(slices.Clip(marks), d.mark)
	}
	marks = slices.Clone(marks)
	if i := indexOf(marks, d.mark.ID); i >= 0 {
		marks[i] = d.mark
	}
	return marks
}

func indexOf(marks []workbench.Mark, id int) int {
	return slices.IndexFunc(marks, func(m workbench.Mark) bool { return m.ID == id })
}

// Here returns the marks on the slice that is shown.
func (mk *Marks) Here() []workbench.Mark { return mk.on(mk.desk.State.Cut()) }

// In returns the marks on the slice that the pane of a plane shows.
func (mk *Marks) In(p volume.Plane) []workbench.Mark { return mk.on(mk.desk.State.In(p)) }

// on returns the marks on the slice of a cut.
func (mk *Marks) on(cut viewer.Cut) (here []workbench.Mark) {
	for _, m := range mk.List() {
		if m.Plane == cut.View().Plane && m.Index == cut.Index() {
			here = append(here, m)
		}
	}
	return here
}

// Selected returns the mark that commands are about; false if there is none.
func (mk *Marks) Selected() (workbench.Mark, bool) {
	marks := mk.List()
	if i := indexOf(marks, mk.marking().selected); i >= 0 {
		return marks[i], true
	}
	return workbench.Mark{}, false
}

// Select selects a mark and shows its slice; 0 selects none.
func (mk *Marks) Select(id int) {
	mk.marking().selected = id
	if m, ok := mk.Selected(); ok {
		mk.desk.State.SetPlane(m.Plane)
		mk.desk.State.Cut().SetIndex(m.Index)
	}
	mk.desk.Changed()
}

// PressMark begins to draw a shape if a tool is in use, or else to move the mark at a point of
// the picture, or a corner of it; false if there is nothing to take. Points are (column, row),
// reach is how far from a point its mark can be taken, in pixels of the picture along both axes.
func (mk *Marks) PressMark(at, reach [2]float64) bool {
	return mk.pressMark(mk.desk.State.Cut(), at, reach)
}

// PlaneMarker draws and moves the marks in the pane of a plane, as Marks does in the panes of
// the comparison.
type PlaneMarker struct {
	*Marks
	plane volume.Plane
}

// On returns the marker of the pane of a plane.
func (mk *Marks) On(p volume.Plane) PlaneMarker { return PlaneMarker{mk, p} }

// PressMark is PressMark of Marks, on the slice of the plane.
func (m PlaneMarker) PressMark(at, reach [2]float64) bool {
	return m.pressMark(m.desk.State.In(m.plane), at, reach)
}

// pressMark is PressMark on the slice of a cut.
func (mk *Marks) pressMark(cut viewer.Cut, at, reach [2]float64) bool {
	if mk.desk.Doc == nil {
		return false
	}
	shown := cut.View()
	view := mk.desk.Doc.Series().Volume.View(shown.Plane)
	at = shown.To(view, at)
	if shown.Axis != view.Axis { // by a quarter of a turn
		reach[0], reach[1] = reach[1], reach[0]
	}
	if shape, ok := shapes[mk.marking().tool]; ok {
		at = onPicture(at, view)
		d := &drag{mark: workbench.Mark{
			ID: mk.desk.Doc.Edits().NewMarkID(), Plane: view.Plane, Index: cut.Index(),
			Outline: measure.Outline{Shape: shape, Points: [][2]float64{at, at}},
		}, point: 1, fresh: true, shown: shown, view: view}
		if shape == measure.Freehand {
			d.mark.Points, d.point = [][2]float64{at}, newPoints
		}
		mk.marking().drag, mk.marking().selected = d, d.mark.ID
		mk.desk.Changed()
		return true
	}
	here := mk.on(cut)
	slices.Reverse(here) // the last drawn lies on top
	for _, m := range here {
		if point, ok := taken(m.Outline, at, reach); ok {
			if point >= 0 {
				m.Points, point = grip(m.Outline, point)
			}
			mk.marking().drag, mk.marking().selected = &drag{mark: m, last: at, point: point, shown: shown, view: view}, m.ID
			mk.desk.Changed()
			return true
		}
	}
	if mk.marking().selected != 0 {
		mk.marking().selected = 0
		mk.desk.Changed()
	}
	return false
}

// DragMark follows the pointer.
func (mk *Marks) DragMark(at [2]float64) {
	d := mk.marking().drag
	if d == nil {
		return
	}
	view := d.view
	at = d.shown.To(view, at)
	switch d.point {
	case newPoints:
		if len(d.mark.Points) < maxPoints {
			d.mark.Points = append(slices.Clip(d.mark.Points), onPicture(at, view))
		}
	case wholeMark:
		lo, hi := d.mark.Bounds()
		points := slices.Clone(d.mark.Points)
		for c := range at {
			// The middle stays on the picture, so that the mark can be taken again.
			middle := (lo[c] + hi[c]) / 2
			step := min(max(middle+at[c]-d.last[c], 0), float64(view.Size[c]-1)) - middle
			for i := range points {
				points[i][c] += step
			}
			d.last[c] += step
		}
		d.mark.Points = points
	default:
		points := slices.Clone(d.mark.Points)
		points[d.point] = onPicture(at, view)
		d.mark.Points = points
	}
	d.moved = true
	mk.desk.Changed()
}

// ReleaseMark ends a drag: what was drawn or moved is one step of the history. A line
// needs two ends; a click draws none.
func (mk *Marks) ReleaseMark() {
	d := mk.marking().drag
	if d == nil {
		return
	}
	marks := mk.List()
	mk.marking().drag = nil
	switch {
	case d.fresh && d.mark.Shape == measure.Line && d.mark.Points[0] == d.mark.Points[1]:
		mk.marking().selected = 0
	case d.fresh || d.moved:
		mk.marking().tool = NoTool
		mk.push(marks)
	}
	mk.desk.Changed()
}

func (mk *Marks) push(marks []workbench.Mark) {
	e := mk.desk.Edit()
	e.Marks = marks
	mk.desk.Doc.Edits().Push(e)
}

// Delete deletes the selected mark.
func (mk *Marks) Delete() {
	m, ok := mk.Selected()
	if !ok || mk.marking().drag != nil {
		return
	}
	mk.push(slices.DeleteFunc(slices.Clone(mk.desk.Edit().Marks), func(other workbench.Mark) bool { return other.ID == m.ID }))
	mk.marking().selected = 0
	mk.desk.Changed()
}

// DeleteAll deletes all marks.
func (mk *Marks) DeleteAll() {
	if len(mk.desk.Edit().Marks) == 0 {
		return
	}
	mk.marking().drag, mk.marking().selected = nil, 0
	mk.push(nil)
	mk.desk.Changed()
}

// Ground returns the ROI that contrasts are measured against: the one that was chosen, or
// else the first.
func (mk *Marks) Ground() (workbench.Mark, bool) {
	marks := mk.List()
	if i := indexOf(marks, mk.desk.Edit().Ground); i >= 0 {
		return marks[i], true
	}
	if i := slices.IndexFunc(marks, func(m workbench.Mark) bool { return m.Shape != measure.Line }); i >= 0 {
		return marks[i], true
	}
	return workbench.Mark{}, false
}

// SetGround measures contrasts against the selected ROI.
func (mk *Marks) SetGround() {
	m, ok := mk.Selected()
	if !ok || m.Shape == measure.Line {
		return
	}
	e := mk.desk.Edit()
	e.Ground = m.ID
	mk.desk.Doc.Edits().Push(e)
	mk.desk.Changed()
}

// onPicture returns the nearest point on a picture.
func onPicture(at [2]float64, view volume.View) [2]float64 {
	for c := range at {
		at[c] = min(max(at[c], -0.5), float64(view.Size[c])-0.5)
	}
	return at
}

// grip returns the points of a mark so that handle i is one of them, and which one. A line
// keeps its direction, as its profile runs along it.
func grip(o measure.Outline, i int) (points [][2]float64, moves int) {
	if o.Shape == measure.Line {
		return o.Points, i
	}
	all := o.Handles()
	return [][2]float64{all[(i+2)%len(all)], all[i]}, 1
}

// taken returns the part of a mark that a press at a point takes: a handle, or wholeMark for its edge.
func taken(o measure.Outline, at, reach [2]float64) (point int, ok bool) {
	scaled := func(p [2]float64) [2]float64 {
		return [2]float64{(p[0] - at[0]) / reach[0], (p[1] - at[1]) / reach[1]}
	}
	for i, h := range o.Handles() {
		if p := scaled(h); math.Hypot(p[0], p[1]) <= 1 {
			return i, true
		}
	}
	corners := o.Corners()
	for i, a := range corners {
		if o.Shape == measure.Line && i > 0 {
			break
		}
		if toSegment(scaled(a), scaled(corners[(i+1)%len(corners)])) <= 1 {
			return wholeMark, true
		}
	}
	return 0, false
}

// toSegment returns the distance of the origin from the segment from a to b.
func toSegment(a, b [2]float64) float64 {
	d := [2]float64{b[0] - a[0], b[1] - a[1]}
	t := 0.0
	if length := d[0]*d[0] + d[1]*d[1]; length > 0 {
		t = min(max(-(a[0]*d[0]+a[1]*d[1])/length, 0), 1)
	}
	return math.Hypot(a[0]+t*d[0], a[1]+t*d[1])
}

// Figures holds the figures of a mark on its slice, in the unit of the series.
type Figures struct {
	Mark   workbench.Mark
	Area   float64                     // mm²; 0 for a line
	Length float64                     // mm; of a line
	Stats  [viewer.Roles]measure.Stats // of the pixels inside; N is 0 if there is no picture
	Edge   [viewer.Roles]EdgeFigure    // along a line; none of the residual

	result *volume.Volume // the stats are of it
	source *volume.Volume
	base   *volume.Volume // in the pane of the original; nil for that
}

// EdgeFigure is an edge along a line, or why there is none.
type EdgeFigure struct {
	measure.Edge
	Why message.Message // a sentence; empty if the edge is known
}
