// Package enginetest is the conformance suite of denoise.Engine. Every engine's
// tests call Run, which checks the contract of docs/FILTERS.md and of the Engine
// interface for every registered filter:
//
//   - every case of a filter (denoise.Filter.Cases) agrees with cpu.Reference, on
//     volumes of one voxel, of even, odd and unequal dims, of a single slice, and of
//     several tiles;
//   - a region equals the same region of the whole, padding and excluded voxels are
//     neither used nor changed, the input is not changed, the same run gives the
//     same bits;
//   - constants stay, noise falls, a shifted volume gives the shifted result, a
//     scaled volume the scaled one;
//   - cancel, progress and refusals follow the contract.
//
// Volumes are generated and lie between guard bands of NaN: an engine that reads
// past its input spoils its result. The package imports denoise, denoise/filter
// for the filters, denoise/cpu for the reference, and volume.
package enginetest
