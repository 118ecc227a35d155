// Package dct is what the filters share that shrink the coefficients of sliding
// blocks (Yaroslavsky 1996; Manjon 2012): every block of the volume, at every
// position, is transformed by an orthonormal DCT-II along each axis, its
// coefficients are shrunk by a [Rule], and a voxel becomes the weighted mean of
// the estimates of all blocks that hold it. Samples outside the volume are
// mirrored with the edge voxel repeated.
//
// Both forms compute what the rule removes from the blocks, not what it keeps:
//
//	out_i = v_i - sum_B w_B r_B(i) / sum_B w_B
//
// with r_B the inverse transform of the removed parts. This is the same number
// and leaves a constant volume exactly as it was.
//
// [Reference] computes a voxel in float64, block by block. [Filter] computes tiles
// in float32. As the transform is separable and blocks overlap, the transform
// along x of a row serves all blocks that hold the row, and the one along x and y
// all that hold the plane; the sums over blocks are taken before the inverse
// transforms along y and x, which are linear. All of it is row kernels (rows.go),
// which have AVX2 forms that give the same bits. Sums run over the blocks in the
// order of their positions, whatever the tiles.
//
// The package imports denoise, denoise/tile, volume and golang.org/x/sys/cpu.
package dct
