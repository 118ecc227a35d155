// Package assets holds what the program carries inside itself: one small real
// series to start with.
//
// The package imports only the standard library.
package assets

import (
	"embed"
	"io/fs"
)

//go:embed series/*.dcm
var files embed.FS

// Series holds the files of an anonymised head CT (nine DICOM slices); its
// origin and licence stand beside it in the source tree.
var Series = sub("series")

func sub(dir string) fs.FS {
	s, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // the name is a constant; fs.Sub fails only for invalid ones
	}
	return s
}
