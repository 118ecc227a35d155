package toy_test

import (
	"testing"

	"quell/io/iotest"
	"quell/io/iotest/toy"
)

// TestFormat runs the suite of formats of single files.
func TestFormat(t *testing.T) {
	iotest.RunFile(t, iotest.File{Format: toy.Format, Make: toy.Make})
}
