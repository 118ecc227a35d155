package dicom

import "hash/maphash"

var (
	ReadBack = (*seriesWriter).verify
	RunWrite = (*seriesWriter).run
	Largest  = largest
)

// PixelSum is the hash that pixels are compared by.
func PixelSum(pixels []byte) uint64 { return maphash.Bytes(checkSeed, pixels) }

// NewSeriesWriter returns the writer of the given files with the report's series UID.
func NewSeriesWriter(uid string, files [][]int, encode func(k int) ([]byte, [][]byte, error)) *seriesWriter {
	w := newSeriesWriter(files, nil)
	w.report.SeriesUID, w.start = uid, func() fileMaker { return encode }
	return w
}
