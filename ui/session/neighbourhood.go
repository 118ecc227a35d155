package session

import (
	"context"

	"quell/denoise"
	"quell/volume"
)

// neighbourhood is the answer for the voxel last asked for.
type neighbourhood struct {
	series, noise *volume.Volume
	recipe        denoise.Recipe
	voxel         [3]int
	lengths       denoise.Lengths
	ok            bool
}

// Neighbourhood returns the neighbourhood that the current recipe's filter chooses
// around the voxel under the pointer. ok is false where the filter chooses none, and
// where the view does not show the slices that it filters.
func (s *Session) Neighbourhood() (l denoise.Lengths, ok bool) {
	voxel, pointed := s.state.Cursor()
	if s.doc == nil || !pointed {
		return l, false
	}
	v := s.doc.Series().Volume
	if _, known := s.doc.Facts(); !known || s.state.View().Plane != v.Acquired() {
		return l, false
	}
	n := &s.neighbourhood
	if n.series != v || n.noise != s.steering.maps.Noise || n.voxel != voxel || !n.recipe.Equal(s.recipe) {
		*n = neighbourhood{series: v, noise: s.steering.maps.Noise, voxel: voxel, recipe: s.recipe}
		n.lengths, n.ok = s.request().Neighbourhood(context.Background(), voxel)
	}
	return n.lengths, n.ok
}
