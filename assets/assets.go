// Package assets embeds the files that the program contains: its icon and one small
// real series to start with.
//
// The package imports only the standard library.
package assets

import (
	"embed"
	"io/fs"
)

//go:embed series/*.dcm
var files embed.FS

// Series holds an anonymised head CT of nine DICOM slices; series/README.md and
// series/LICENSE state its origin and licence.
var Series = sub("series")

func sub(dir string) fs.FS {
	s, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // cannot happen: fs.Sub fails only for an invalid name
	}
	return s
}
