// Package part10 converts between the bytes of a DICOM file (PS3.10) and its elements.
//
//	tokenizer.go, readbuffer.go  bytes -> the place of every element, each length proven
//	                             against the file
//	file.go, sequence.go         a tokenized file, the items of its sequences
//	decode.go, values.go         value bytes -> elements of github.com/suyashkumar/dicom
//	charset.go                   text in its character set
//	syntax.go, deflated.go       transfer syntaxes
//	tags.go, vr.go, sopclass.go  every tag of the program, value representations, SOP classes
//	encode.go, merge.go, reencode.go  elements -> bytes, edits of a data set
//	readfile.go                  whole files
//	errors.go, text.go           the error type of all readers and writers below io/dicom
//
// Nothing allocates more than the file could hold, and no input makes it panic. The
// package imports the standard library, the element model and dictionary of
// suyashkumar/dicom, klauspost/compress and x/text; nothing else of Quell.
package part10
