package series

import "quell/volume"

// Gradient is the diffusion weighting of one volume of a 4-D series.
type Gradient struct {
	B float64 `json:"b"` // s/mm2
	// Direction is the unit vector of the gradient in the patient, LPS+; zero for a volume that
	// has none, as the one of b-value 0, or if its direction the files do not give.
	Direction volume.Vec `json:"direction"`
}

// Gradients are the diffusion weightings of the volumes of a 4-D series.
type Gradients struct {
	Volumes []Gradient // in the order of Group.Places
	// BVal and BVec are the files in FSL's format that they were read from, which a copy of the
	// series on the same grid keeps byte for byte; nil if they come from elsewhere.
	BVal, BVec []byte
}

// Directed reports whether any volume has a direction.
func (g *Gradients) Directed() bool {
	for _, v := range g.Volumes {
		if (v.Direction != volume.Vec{}) {
			return true
		}
	}
	return false
}

// Weighted reports whether any volume has a b-value other than 0.
func (g *Gradients) Weighted() bool {
	for _, v := range g.Volumes {
		if v.B > 0 {
			return true
		}
	}
	return false
}
