// Package pixel converts between the stored pixels of one frame and real values.
//
//	format.go     the image pixel module: sizes, bits, rescale, padding
//	values.go     stored values <-> real values
//	padding.go    which pixels are padding
//	fragments.go  encapsulated pixel data -> the fragments of each frame
//	compress.go   frames -> lossless streams and encapsulated pixel data
//
// Real values are stored*slope + intercept. Package codec, below, decodes streams.
package pixel
