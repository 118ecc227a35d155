// Package volume defines the types that all other packages share: Geometry (the
// grid of voxels and its place in the patient), Volume (geometry and voxels), Region
// (a box of voxels), View (how a plane of a volume lies on a screen) and Window
// (window width and level: how values become grey).
//
// Conventions of the whole program: voxels are float32 in real units, x fastest, then
// y, then z; lengths are millimetres; patient coordinates are LPS+ (x grows to
// the patient's left, y to posterior, z to head), as in DICOM.
//
// The package imports the standard library and internal/parallel.
package volume
