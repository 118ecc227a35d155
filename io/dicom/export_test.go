package dicom

import (
	"context"
	"hash/maphash"

	"quell/volume"
)

var Largest = largest

// PixelSum is the hash that pixels are compared by.
func PixelSum(pixels []byte) uint64 { return maphash.Bytes(checkSeed, pixels) }

// WrittenTo returns the writer of a single volume that wrote the given files, each of the
// slices of these numbers in the order of its frames, into the folder dir.
func WrittenTo(dir, uid string, files [][]int, positions []volume.Vec, sums []uint64) *Writer {
	w := &Writer{dir: dir, made: true, volumes: 1, counter: newCounter(0, nil), files: make([]writtenFile, len(files)), slices: make([]written, len(positions)), ends: []int{len(positions)}}
	w.report.SeriesUID = uid
	for k, file := range files {
		for i, z := range file {
			w.slices[z] = written{file: k, frame: i, position: positions[z], sum: sums[z]}
		}
	}
	return w
}

// ReadBack reads the folder of a writer back.
var ReadBack = (*Writer).verify

// WriteFiles writes the one slice of file.
func (w *Writer) WriteFiles(ctx context.Context, file func() ([]byte, [][]byte, error)) error {
	w.files, w.slices = []writtenFile{{}}, []written{{}}
	return w.write(ctx, 0, []part{{0, []int{0}}}, func() fileMaker {
		return func(part) ([]byte, [][]byte, error) { return file() }
	})
}
