// Package dicom reads series of DICOM files into volumes and writes derived series
// back. It is the entrance to the packages below it:
//
//	part10    bytes <-> elements: tokenizer, transfer syntaxes, character sets, all tags
//	pixel     stored <-> real values, padding, encapsulation
//	codec     compressed frames
//	instance  one file -> its slices: frames, functional groups, mosaics
//	assemble  slices -> volumes: grouping, splitting, grids, findings
//	deid      the PS3.15 profile as a function over elements
//	derive    a volume and its source -> the files of a derived or a new series
//	presentation
//	          how a series is shown -> a presentation state, for other viewers
//
// In: Scan lists the volumes of a folder (or any fs.FS) from headers alone, Load reads
// one, Thumbnail paints its middle slice. What is odd about a volume, and every image that
// is not in it, is in its findings.
//
// Out: a Writer patches the bytes of the source's own files, so that every attribute that
// derive does not name stays byte for byte, or makes new files of a volume that has no DICOM
// source. It reads back what it wrote.
//
// Positions are LPS+ mm. Slices are ordered along the slice normal (row x column), never
// by file name or instance number.
package dicom
