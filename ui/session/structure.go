package session

import (
	"quell/app"
	"quell/ui/viewer"
	"quell/volume"
)

// Structure is where the residual on the screen shows more than noise.
type Structure struct {
	Why   string // the reason of the verdict on it, a sentence
	Place Place
	Any   bool // there is structure, worst at Place

	tint *viewer.Tint
}

// Place is a voxel with a word for what lies there.
type Place struct {
	Voxel [3]int
	What  string // "edges" or "smooth tissue"
}

// Structures marks structure in the residual.
type Structures struct {
	s      *Session
	marked bool
}

// structureScale is the structure, in sigmas, that is marked most strongly.
const structureScale = 2

// Toggle marks structure in the residual, or stops marking it.
func (sx *Structures) Toggle() {
	sx.marked = !sx.marked
	sx.s.Screen.draw()
	sx.s.listener.Changed()
}

// Marked says whether structure in the residual is marked.
func (sx *Structures) Marked() bool { return sx.marked }

// Here returns what is known of the structure in the residual on the screen;
// nil while it is not judged.
func (sx *Structures) Here() *Structure {
	p := sx.s.Screen.picture
	if sx.s.doc == nil || p == nil || p.Result == nil {
		return nil
	}
	if r := sx.s.Results.of(sx.s.doc.Run()); r != nil && r.run.Result == p.Result && r.numbers.ok && r.numbers.err == nil {
		return structureOf(r.numbers.measures, false)
	}
	m := sx.s.Measures.sliceNumbers
	if !m.ok || m.err != nil || m.job.preview == nil {
		return nil
	}
	q := m.job.preview.Request
	if made, ok := sx.s.Measures.madeBy(p); !ok || !sameRequest(made, q) {
		return nil
	}
	return structureOf(m.measures, true)
}

// structureOf returns the structure of measured numbers; part says that they are of
// one slice alone.
func structureOf(m app.Measures, part bool) *Structure {
	if m.Map == nil {
		return nil
	}
	out := &Structure{Why: m.Why, tint: &viewer.Tint{
		Values: m.Map, Part: part, Unit: "σ", Colors: volume.Tint{Hi: structureScale, Marks: true},
	}}
	out.Place, out.Any = PlaceOf(m)
	return out
}

// PlaceOf returns the place where a residual shows the most structure; false where
// it shows none.
func PlaceOf(m app.Measures) (p Place, ok bool) {
	if m.Place == nil {
		return p, false
	}
	return Place{Voxel: [3]int{m.Place.X, m.Place.Y, m.Place.Slice}, What: m.Place.What}, true
}
