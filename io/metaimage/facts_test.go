package metaimage_test

import (
	"os"
	"testing"

	"quell/io/iotest"
	"quell/io/metaimage"
	"quell/series"
)

// TestFacts: files that ITK wrote hold what ITK reads of them.
func TestFacts(t *testing.T) {
	dir := os.DirFS("testdata")
	iotest.CheckFacts(t, func(name string) (*series.Series, int, error) {
		info, err := metaimage.Open.ReadHeader(dir, name)
		if err != nil {
			return nil, 0, err
		}
		s, err := metaimage.Open.Read(t.Context(), dir, name, 0, "")
		return s, info.Volumes, err
	})
}
