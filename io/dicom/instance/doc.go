// Package instance reads one DICOM file into the slices that it holds: the image of
// a plain file, the frames of a multi-frame image, the tiles of a mosaic.
//
//	instance.go          Instance: one file, its kind and why it cannot be used
//	slice.go             Slice: one image with its place in space and its pixel format
//	wanted.go            the attributes that a scan reads
//	distinctions.go      the attributes that distinguish volumes at one place
//	frames.go, functional_groups.go  multi-frame images
//	mosaic.go, csa.go, united_imaging.go  volumes tiled into one image
//	pixelfile.go         the pixels of a slice
//	source.go            a file as the source of a derived one, its pixels decompressed
//
// Lengths are mm and positions LPS+. A file is read without its neighbours; package
// assemble forms volumes from the slices.
package instance
