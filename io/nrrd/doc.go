// Package nrrd reads and writes NRRD: .nrrd files, and .nhdr headers with their voxels in another file.
// What it reads is what ITK and 3D Slicer write: voxels that are single numbers, raw, compressed, as hexadecimal digits
// or as text, in one file or a list, on 2 or 3 axes in space, and volumes along further axes, behind or before those. The
// keys of diffusion (DWMRI) are read and written. Positions are as in
// ITK: "space directions" and "space origin", turned to LPS+.
//
// The format is defined at https://teem.sourceforge.net/nrrd/format.html.
package nrrd
