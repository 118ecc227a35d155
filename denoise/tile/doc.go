// Package tile holds what the fast paths of filters share: blocks of voxels with
// mirrored edges, neighbourhoods, and workers that compute one voxel after
// another.
//
// The package imports denoise and volume.
package tile
