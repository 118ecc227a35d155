// Package noise estimates the noise of a volume and adds noise of a known
// strength.
//
// Estimators by the kind of noise:
//
//   - White noise (MR): the sixth difference along every axis removes anatomy,
//     which is smooth from voxel to voxel, and keeps white noise. See differences.go.
//   - Noise of k-space that was filled with zeros (MR): the same in slices that are cropped in k-space to what
//     was acquired, if the power of the slices shows it. See acquired.go and resolution.go.
//   - Noise that neighbours share (MR): what a fit leaves in homogeneous windows, by the correlation in the
//     evenest of them, which differences across slices make evener. See homogeneous.go.
//   - Noise beside the object (MR), in one channel without signal. See background.go.
//   - Correlated noise (CT): neighbouring voxels share noise, so that differences
//     would lose most of it. The standard deviation is measured after a fit of a
//     quadratic surface in small windows of soft tissue, less what slices two apart share.
//     See surfacefit.go and sharing.go.
//
// Those of MR are combined to an interval, see interval.go. All take a robust value over thousands of windows of the foreground, so that
// windows with edges or vessels do not count. Magnitude MR images are corrected
// for the Rician distribution (Koay, Basser 2006; rician.go).
//
// Sigma is always the standard deviation of the noise in the volume's unit; for
// Rician noise, of each of the two channels. Every figure comes with a Confidence,
// and is 0 if there is none.
package noise
