// Package raster reads and writes files that consist of a header and of voxels stored one after another:
// what the formats NIfTI, NRRD and MetaImage share. A format parses its header into a [Layout] and names
// it by an [Opener]; it makes the header of an output in a [Spec] and names it by a [Maker]. Everything
// else is here: types of voxels, byte orders, compression, parts of a volume, volumes of a series, values
// without a number, and files that are read back before they are kept.
//
// A header may come from anywhere. Every length in it is checked against the size of the file before memory
// is allocated, and a compressed file gets memory as it arrives.
package raster
