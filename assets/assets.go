// Package assets embeds the files that the program contains: its icon, one small
// real series to start with, and the presets.
//
// The package imports only the standard library.
package assets

import (
	"embed"
	"io/fs"
)

//go:embed series/*.dcm presets/*.json
var files embed.FS

// Series holds an anonymised head CT of nine DICOM slices; series/README.md and
// series/LICENSE state its origin and licence.
var Series = sub("series")

// Presets holds the recipes for a modality and an anatomy, one a file, see app.Presets.
var Presets = sub("presets")

func sub(dir string) fs.FS {
	s, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // cannot happen: fs.Sub fails only for an invalid name
	}
	return s
}
