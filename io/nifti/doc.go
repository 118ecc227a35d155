// Package nifti reads and writes NIfTI-1, NIfTI-2 and Analyze 7.5 images:
// .nii, .nii.gz and .hdr/.img pairs, in both byte orders.
//
// The package converts NIfTI's RAS+ coordinates to LPS+ when it reads and back when
// it writes. From a 4-D file it reads one volume, from a file of complex numbers or
// colours one component. It never allocates more than the file can hold, whatever
// the header claims.
//
// The package imports volume, series, internal/parallel, the standard library and
// klauspost's compress and pgzip, which read gzip 1.35 times and write it 2.5 times
// as fast as compress/gzip on two cores.
package nifti
