// Package volume holds the words every other package shares: Geometry (where
// voxels are), Volume (geometry and voxels), Region (a box of voxels), View
// (how a volume is cut into planes for a screen) and Window (how values become
// grey).
//
// Conventions, stated once: voxels are float32 in real units, x fastest, then
// y, then z; lengths are millimetres; patient coordinates are LPS+ (x grows to
// the patient's left, y to posterior, z to head), as in DICOM.
//
// The package imports the standard library and internal/parallel.
package volume
