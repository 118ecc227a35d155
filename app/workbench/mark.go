package workbench

import (
	"fmt"
	"math"

	"quell/measure"
	"quell/volume"
)

// Mark is a shape that a person has drawn on one slice of a series, to measure there. It
// is not changed once it is in a history.
type Mark struct {
	ID    int          `json:"id"` // its number, from 1; not used again while the mark can come back
	Plane volume.Plane `json:"plane"`
	Index int          `json:"index"` // of the slice, as in volume.View
	measure.Outline
}

// Name returns "ROI 2" or "Line 3".
func (m Mark) Name() string {
	if m.Shape == measure.Line {
		return fmt.Sprintf("Line %d", m.ID)
	}
	return fmt.Sprintf("ROI %d", m.ID)
}

// On says whether the mark can be drawn on a geometry: one that was read from a file may
// be damaged.
func (m Mark) On(g volume.Geometry) bool {
	points := 2
	if m.Shape == measure.Freehand {
		points = 1
	}
	return m.ID > 0 && m.Shape >= measure.Box && m.Shape <= measure.Line && len(m.Points) >= points &&
		m.Plane >= volume.Axial && m.Plane <= volume.Sagittal && m.Index >= 0 && m.Index < g.View(m.Plane).Size[2]
}

// In returns the outline in a view of the mark's plane, which may be mirrored or turned.
func (m Mark) In(view volume.View, g volume.Geometry) measure.Outline {
	own, out := g.View(m.Plane), m.Outline
	out.Points = make([][2]float64, len(m.Points))
	for i, p := range m.Points {
		out.Points[i] = own.To(view, p)
	}
	return out
}

// GivenNoise is a sigma that was measured in a mark and takes the place of the estimated
// one.
type GivenNoise struct {
	Sigma  float64 `json:"sigma"` // in the unit of the series
	Voxels int     `json:"voxels"`
	From   string  `json:"from"` // the name of the mark

	Of *volume.Volume `json:"-"` // it holds for these voxels alone
}

// For returns the noise for voxels that were read again; nil for none, and if a saved one is
// damaged.
func (n *GivenNoise) For(v *volume.Volume) *GivenNoise {
	if n == nil || !(n.Sigma > 0) || math.IsInf(n.Sigma, 0) || n.Voxels < 1 {
		return nil
	}
	again := *n
	again.Of = v
	return &again
}
