// Package dicom reads series of DICOM files into volumes and writes derived
// series back.
//
// In: Scan lists what a folder (or any fs.FS) holds from headers alone, Load
// brings one volume in. A Part 10 tokenizer of our own stands at the door: it
// proves that every element lies inside its file and says which transfer
// syntax and where the pixels are. Attribute values are then taken by
// github.com/suyashkumar/dicom from the few elements that are wanted, and pixel
// bytes are converted here, in bulk. A slice is a file, a frame of a multi-frame
// image (described by functional groups, which are read here) or a tile of a
// Siemens mosaic; what a series holds is grouped by slices, wherever they lie.
//
// Out: Write patches the bytes of the source's own files, so that every
// attribute that the table in derive_table.go does not name stays byte for
// byte, and a multi-frame image or a mosaic stays one; WriteNew makes a series for
// a volume that has no DICOM source. Both write to a temporary folder beside the
// target, read it back and rename it. A derived series may leave the patient's
// identity behind: profile_table.go is the standard's table, deidentify.go applies
// it to the source before anything else is made of it.
//
// Positions are LPS+ mm. Slices are ordered along the slice normal (row x
// column), never by file name or instance number.
//
// Compressed pixels are decoded by the package codec below this one.
//
// Text is decoded here (charset.go) and only to be shown.
//
// The package imports the standard library, volume, codec, suyashkumar/dicom,
// x/sync and x/text; nothing else of Quell.
package dicom
