// Package dicom reads series of DICOM files into volumes and writes derived
// series back.
//
// In: Scan lists what a folder (or any fs.FS) holds from headers alone, Load
// brings one volume in, Thumbnail paints its middle slice. A Part 10 tokenizer of
// our own stands at the door (token.go): it proves that every element lies inside
// its file and says which transfer syntax and where the pixels are. Attribute values
// are then taken by github.com/suyashkumar/dicom from the few elements that are
// wanted (values.go), once for all files that say the same (valuecache.go); text is
// decoded here, and only to be shown (charset.go). Pixels become real values in bulk
// (realvalues.go). Compressed ones are decoded by the package codec below this one,
// deflated files are inflated first.
//
// A slice is a file, a frame of a multi-frame image (frames.go, functional.go) or a
// tile of a mosaic (mosaic.go, uih.go). Slices, wherever they lie, are grouped into
// series, these into planes, and planes into volumes that hold each position once
// (group.go, planes.go, split.go, interleaved.go); geometry.go makes the grid.
// Whatever is odd is told in findings, and whatever is left out is named there.
//
// Out: Write patches the bytes of the source's own files (patch.go), so that every
// attribute that the table in derive_table.go does not name stays byte for byte, and
// a multi-frame image or a mosaic stays one; WriteNew makes a series for a volume
// that has no DICOM source. Both write to a folder beside the target (stage.go), read
// it back and rename it (batch.go). Pixels may be compressed without loss
// (compress.go). A derived series may leave the patient's identity behind:
// profile_table.go is the standard's table, deidentify.go applies it to the source
// before anything else is made of it.
//
// Positions are LPS+ mm. Slices are ordered along the slice normal (row x
// column), never by file name or instance number.
//
// The package imports the standard library, volume, codec, klauspost/compress, suyashkumar/dicom,
// x/sync, x/sys and x/text; nothing else of Quell.
package dicom
