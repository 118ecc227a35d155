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

// structureScale is the structure, in sigmas, that is marked most strongly.
const structureScale = 2

// ToggleStructure marks structure in the residual, or stops marking it.
func (s *Session) ToggleStructure() {
	s.marksStructure = !s.marksStructure
	s.draw()
	s.listener.Changed()
}

// MarksStructure says whether structure in the residual is marked.
func (s *Session) MarksStructure() bool { return s.marksStructure }

// Structure returns what is known of the structure in the residual on the screen;
// nil while it is not judged.
func (s *Session) Structure() *Structure {
	p := s.picture
	if s.doc == nil || p == nil || p.Result == nil {
		return nil
	}
	if r := s.resultOf(s.doc.Run()); r != nil && r.run.Result == p.Result && r.numbers.ok && r.numbers.err == nil {
		return structureOf(r.numbers.measures, false)
	}
	m := s.sliceNumbers
	if !m.ok || m.err != nil || m.job.preview == nil {
		return nil
	}
	q := m.job.preview.Request
	if made, ok := s.madeBy(p); !ok || !sameRequest(made, q) {
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
