// Package structured makes measurement reports: Enhanced SR documents by template TID 1500 (PS3.16) that say in codes
// and numbers what was measured in a series.
//
//	report.go    the document: its modules and the top of its tree
//	library.go   the images that it is about (TID 1600)
//	volume.go    what was measured of a volume
//	group.go     measurements and findings of one series of it (TID 1501)
//	items.go     content items
//	codes.go     codes of the standard and of Quell
//
// It makes bytes and writes no files. The files are explicit little endian, their texts ASCII. Reports are not read.
package structured
