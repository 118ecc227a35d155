// Package derive makes the files of derived and of new series.
//
//	derive.go             the caller's description of the derivation; the report
//	series.go, image.go   a derived series and one of its files
//	attribute_table.go    every attribute that changes in a derived image
//	functional_groups.go  the same for multi-frame images
//	tiles.go              private elements that mosaics need
//	recipe.go             the recipe's private block
//	secondary_capture.go  new series, for volumes without a DICOM source
//	uid.go                UIDs: hashes of all that decides pixels, place and encoding
//
// It makes bytes and writes no files: io/dicom writes them and reads them back.
package derive
