package measures

import (
	"quell/app/judge"
	"quell/denoise/tune"
	"quell/internal/message"
	"quell/ui/session/desk"
	"quell/ui/viewer"
	"quell/volume"
)

// Structure holds the places at which the residual on the screen shows more than
// noise.
type Structure struct {
	Why   message.Message // the reason of the verdict on it, a sentence
	Place tune.Place
	Any   bool // there is structure, worst at Place

	Tint *viewer.Tint // over the residual
}

// Structures marks structure in the residual.
type Structures struct {
	desk     *desk.Desk
	measures *Measures
}

// NewStructures returns the structure of the measured slice.
func NewStructures(d *desk.Desk, ms *Measures) *Structures { return &Structures{desk: d, measures: ms} }

// structureScale is the structure, in sigmas, that is marked most strongly.
const structureScale = 2

// Toggle marks structure in the residual, or stops marking it.
func (sx *Structures) Toggle() {
	sx.measures.marked = !sx.measures.marked
	sx.desk.Draw()
	sx.desk.Changed()
}

// Marked says whether structure in the residual is marked.
func (sx *Structures) Marked() bool { return sx.measures.marked }

// Here returns the figures of the structure in the residual on the screen;
// nil while it is not judged.
func (sx *Structures) Here() *Structure {
	p := sx.desk.Picture
	if sx.desk.Doc == nil || p == nil || p.Result == nil {
		return nil
	}
	if r := sx.desk.ResultOf(sx.desk.Doc.Run()); r != nil && r.Run.Result == p.Result && r.Numbers.Known && r.Numbers.Err == nil {
		return structureOf(r.Numbers.Measures, false)
	}
	m := sx.measures.sliceNumbers
	if !m.Known || m.Err != nil || m.job.preview == nil {
		return nil
	}
	q := m.job.preview.Request
	if made, ok := sx.measures.preview.MadeBy(p); !ok || !desk.SameRequest(made, q) {
		return nil
	}
	return structureOf(m.Measures, true)
}

// structureOf returns the structure of measured numbers; part says that they are of
// one slice alone.
func structureOf(m judge.Measures, part bool) *Structure {
	if m.Map == nil {
		return nil
	}
	out := &Structure{Why: m.Why, Tint: &viewer.Tint{
		Values: m.Map, Part: part, Unit: "σ", Colors: volume.Tint{Hi: structureScale, Marks: true},
	}}
	out.Place, out.Any = PlaceOf(m)
	return out
}

// PlaceOf returns the place at which a residual shows the most structure; false if it shows
// none.
func PlaceOf(m judge.Measures) (p tune.Place, ok bool) {
	if m.Place == nil {
		return p, false
	}
	return *m.Place, true
}
