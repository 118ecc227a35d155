package files

import (
	"hash"
	"io"

	"quell/internal/regular"
)

// AddFile adds the bytes of a file to a hash.
func AddFile(h hash.Hash, path string) error {
	f, err := regular.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(h, f)
	return err
}
