// Package phantom makes volumes with known truth: CT and MR test objects described
// by ellipsoids and boxes, exact or as a scanner would image them.
//
// A Phantom is a list of shapes. Voxels gives its exact values. For CT, Scan
// computes parallel-beam projections of every slice analytically (so that
// simulation and reconstruction share no grid), adds noise to the projections
// and reconstructs them by filtered backprojection or SART: the noise has the
// correlation, and few views the streaks, of a real reconstruction.
//
// Lengths are millimetres; the origin is the middle of the volume. Equal
// arguments give equal bits on any number of cores.
//
// The package imports volume, denoise, internal/parallel and gonum's FFT.
package phantom
