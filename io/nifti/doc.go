// Package nifti reads and writes NIfTI-1, NIfTI-2 and Analyze 7.5 images:
// .nii, .nii.gz and .hdr/.img pairs, in both byte orders.
//
// NIfTI's patient coordinates are RAS+; they become LPS+ on the way in and RAS+
// again on the way out, so that nobody outside this package meets them. A 4-D
// file gives one of its volumes, a file of complex numbers or colours one of
// their components. Nothing allocates more than the file holds, whatever its
// header claims.
//
// The package imports volume, the standard library, x/sync's errgroup,
// klauspost's gzip to read and pgzip to write.
package nifti
