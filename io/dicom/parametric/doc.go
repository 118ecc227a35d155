// Package parametric makes Parametric Maps (PS3.3 A.75): one quantity for every voxel of a volume, as numbers of 32
// bits, with its unit and its meaning in codes.
//
//	map.go         the quantity of a map, and its file
//	modules.go     the attributes of the whole map
//	frames.go      functional groups: what the frames share, and the place and the sources of each
//	quantities.go  the quantities that Quell maps
//
// It makes bytes and writes no files. The files are explicit little endian. Parametric maps are not read.
package parametric
