package measures

import (
	"context"

	"quell/app/workbench"
	"quell/denoise"
	"quell/internal/parallel"
	"quell/ui/newest"
	"quell/ui/session/desk"
)

// neighbourhoods are the neighbourhoods of the slice on the screen, found on another
// goroutine, as whole maps are read for them.
type neighbourhoods struct {
	request workbench.PreviewRequest
	at      func(x, y, z int) (denoise.Lengths, bool) // nil before they are found, and if there are none
}

// Neighbourhoods finds the neighbourhoods that the filter chooses on the slice on
// the screen.
type Neighbourhoods struct {
	desk   *desk.Desk
	worker newest.Worker[workbench.PreviewRequest, neighbourhoods]
	last   neighbourhoods
}

// NewNeighbourhoods returns the neighbourhoods of a desk.
func NewNeighbourhoods(d *desk.Desk) *Neighbourhoods {
	nb := &Neighbourhoods{desk: d}
	nb.worker = newest.Worker[workbench.PreviewRequest, neighbourhoods]{Go: d.Go, Do: d.Do, Work: nb.find, Done: nb.found}
	d.OnClear(func() { nb.last = neighbourhoods{} })
	return nb
}

// Here returns the neighbourhood that the current recipe's filter chooses around the voxel under
// the pointer. ok is false if the filter chooses none, if the view does not show the slices that
// it filters, and until the neighbourhoods of the slice are found.
func (nb *Neighbourhoods) Here() (l denoise.Lengths, ok bool) {
	voxel, pointed := nb.desk.State.Cursor()
	if nb.desk.Doc == nil || !pointed {
		return l, false
	}
	if _, known := nb.desk.Doc.Facts(); !known || nb.desk.State.Cut().View().Plane != nb.desk.Doc.Series().Volume.Acquired() {
		return l, false
	}
	q := nb.desk.Request()
	if !q.ChoosesNeighbourhoods() {
		return l, false
	}
	if !desk.SameRequest(q, nb.last.request) {
		nb.last = neighbourhoods{request: q}
		nb.worker.Request(q)
	}
	slice := q.Region()
	for c, i := range voxel { // a pointer that has not followed the slice yet
		if i < slice.Min[c] || i >= slice.Max[c] {
			return l, false
		}
	}
	if nb.last.at == nil {
		return l, false
	}
	return nb.last.at(voxel[0], voxel[1], voxel[2])
}

// find finds the neighbourhoods of a slice.
func (nb *Neighbourhoods) find(q workbench.PreviewRequest) neighbourhoods {
	found := neighbourhoods{request: q}
	// A panic is reported, and there are none.
	_ = nb.desk.Protect(func() error {
		found.at = q.Neighbourhoods(parallel.Sparing(context.Background(), 1))
		return nil
	})
	return found
}

// found takes the neighbourhoods of the slice on the screen.
func (nb *Neighbourhoods) found(found neighbourhoods) {
	if desk.SameRequest(found.request, nb.last.request) {
		nb.last = found
		nb.desk.Changed()
	}
}
