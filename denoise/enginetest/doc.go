// Package enginetest is the conformance suite of denoise.Engine. Every engine's
// tests call Run; what it asks is the contract of docs/FILTERS.md and of the
// Engine interface:
//
//   - each filter and option agrees with cpu.Reference, at sizes that are one,
//     even, odd, not cubic, a single slice, and larger than a tile;
//   - a region equals the same region of the whole, padding is neither used nor
//     changed, the input stays as it was, the same run gives the same bits;
//   - constants stay, noise falls, a shifted volume gives the shifted result;
//   - cancel, progress and refusals behave.
//
// Volumes are generated, and lie between guard bands of NaN: an engine that
// reads past its input spoils its result. The package imports denoise,
// denoise/cpu for the reference, volume and the standard library.
package enginetest
