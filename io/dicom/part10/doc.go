// Package part10 converts between the bytes of a DICOM file (PS3.10) and its elements.
//
//	read.go                      whole files, and files read forward through a buffer
//	tokenizer.go                 bytes -> the place of every element, each length proven
//	                             against the file
//	file.go, sequence.go         a tokenized file, the items of its sequences
//	values.go                    value bytes -> elements of github.com/suyashkumar/dicom
//	syntax.go, deflated.go       transfer syntaxes
//	tags.go, vr.go, sopclass.go  every tag of the program, value representations, SOP classes
//	encode.go, reencode.go       elements -> bytes, edits of a data set
//	errors.go                    the error type of all readers and writers below io/dicom
//	charset                      text in its character set -> UTF-8
//
// Nothing allocates more than the file could hold, and no input makes it panic. The
// package imports the standard library, the element model and dictionary of
// suyashkumar/dicom and klauspost/compress, charset x/text; neither imports more of Quell.
package part10
