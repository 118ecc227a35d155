package files

import (
	"io/fs"
	"path/filepath"
	"testing"
	"testing/fstest"

	"quell/series"
)

// packed is an archive.
type packed struct{ fs.FS }

func (packed) OnDisk(string) string { return "/data/a.zip" }

// TestOriginOfASource: files of a folder and of an archive have a path, others have none.
func TestOriginOfASource(t *testing.T) {
	for what, c := range map[string]struct {
		src  series.Source
		path string
		ok   bool
	}{
		"folder":  {series.Source{FS: OpenFolder("/data", true), Name: "a/b.dcm"}, filepath.Join("/data", "a", "b.dcm"), true},
		"archive": {series.Source{FS: packed{}, Name: "b.dcm"}, "/data/a.zip", true},
		"bundled": {series.Source{FS: fstest.MapFS{}, Name: "b.dcm"}, "", false},
		"none":    {series.Source{}, "", false},
	} {
		if path, ok := origin(c.src); path != c.path || ok != c.ok {
			t.Errorf("%s: %q, %v", what, path, ok)
		}
	}
}
