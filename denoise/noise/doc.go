// Package noise estimates the noise of a volume and adds noise of a known
// strength.
//
// Four estimators cover four kinds of noise:
//
//   - White noise (MR): the fourth difference along every axis removes anatomy,
//     which is smooth from voxel to voxel, and keeps white noise. See differences.go.
//   - Noise of k-space that was filled with zeros (MR): the same in slices that are cropped in k-space to what
//     was acquired, if the power of the slices shows it. See acquired.go and resolution.go.
//   - Noise that k-space coloured (MR): the sixth difference across slices keeps it with its colour. Its
//     power by frequency gives sigma and the correlation within slices. See across.go.
//   - Correlated noise (CT): neighbouring voxels share noise, so that differences
//     would lose most of it. The standard deviation is measured after a fit of a
//     quadratic surface in small windows of soft tissue, less what slices two apart share.
//     See surfacefit.go and sharing.go.
//
// All take a robust value over thousands of windows of the foreground, so that
// windows with edges or vessels do not count. Magnitude MR images are corrected
// for the Rician distribution (Koay, Basser 2006; rician.go).
//
// Sigma is always the standard deviation of the noise in the volume's unit; for
// Rician noise, of each of the two channels. Every figure comes with a Confidence,
// and is 0 if there is none.
package noise
