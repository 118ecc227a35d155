// Package presentation makes Grayscale Softcopy Presentation States (PS3.3 A.33.1): objects
// without pixels that say how the images of a series are shown, for other viewers.
//
//	state.go    the shown state, and its checks
//	images.go   the referenced images, and what the object takes from their headers
//	modules.go  the attributes, module by module
//	graphics.go marks as graphics and texts
//
// It makes bytes and writes no files. Presentation states are not read.
package presentation
