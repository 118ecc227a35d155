package metaimage_test

import (
	"testing"

	"quell/io/iotest"
	"quell/io/metaimage"
)

// TestFormat runs the suite of formats of single files. Its facts are what ITK reads of files that it wrote.
func TestFormat(t *testing.T) {
	iotest.RunFile(t, iotest.File{Format: metaimage.Format, Make: metaimage.Make})
}
