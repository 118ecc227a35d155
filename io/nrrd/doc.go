// Package nrrd reads and writes NRRD: .nrrd files, and .nhdr headers with their voxels in another file.
// What it reads is what ITK and 3D Slicer write: voxels that are single numbers, stored raw or compressed
// by gzip, on 2 or 3 axes in space, and volumes behind each other along further axes. Positions are as in
// ITK: "space directions" and "space origin", turned to LPS+.
//
// The format is defined at https://teem.sourceforge.net/nrrd/format.html.
package nrrd
