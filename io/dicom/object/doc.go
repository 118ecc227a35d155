// Package object makes what new DICOM objects about the images of a study consist of: parametric maps, reports and
// presentation states.
//
//	elements.go   attributes in any order
//	identity.go   the modules of patient, study, series, equipment and instance
//	reference.go  references to images
//	unit.go       codes of units
//
// What identifies patient and study comes from the header of an image, byte for byte: an object about de-identified
// images has their pseudonyms and no date.
package object
