package nrrd_test

import (
	"testing"

	"quell/io/iotest"
	"quell/io/nrrd"
)

// TestFormat runs the suite of formats of single files. Its facts are what ITK reads of files that it wrote.
func TestFormat(t *testing.T) {
	iotest.RunFile(t, iotest.File{Format: nrrd.Format, Make: nrrd.Make})
}
