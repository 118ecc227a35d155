package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"quell/internal/regular"
	"quell/series"
)

// folder is a directory of the machine as an fs.FS that remembers its path, so
// that an export can find out whether it would touch its own source.
type folder struct {
	fs.FS
	root  string // as the user named it
	whole bool   // everything below root was scanned, not just one file
}

// OpenFolder returns a folder; whole says that everything below it is read, not one file alone.
func OpenFolder(root string, whole bool) *folder {
	return &folder{FS: os.DirFS(root), root: root, whole: whole}
}

// nonUTF8 returns the path of a name that is not UTF-8. io/fs refuses such
// names, but folders from other systems hold them and the operating system
// opens them.
func (f *folder) nonUTF8(name string) (string, bool) {
	if utf8.ValidString(name) || !fs.ValidPath(strings.ToValidUTF8(name, "_")) {
		return "", false
	}
	return filepath.Join(f.root, filepath.FromSlash(name)), true
}

// OnDisk returns the path of a file.
func (f *folder) OnDisk(name string) string {
	return filepath.Join(f.root, filepath.FromSlash(name))
}

// Open opens a file or folder, and nothing else (package regular); a DICOM file compressed by gzip is decompressed.
func (f *folder) Open(name string) (fs.File, error) {
	return OpenPlain(name, func() (fs.File, error) {
		if full, ok := f.nonUTF8(name); ok {
			return regular.Open(full)
		}
		return regular.OpenIn(f.FS, name)
	})
}

// ReadDir forwards to what os.DirFS does better than Open.
func (f *folder) ReadDir(name string) ([]fs.DirEntry, error) {
	if full, ok := f.nonUTF8(name); ok {
		return os.ReadDir(full)
	}
	return fs.ReadDir(f.FS, name)
}

// Stat describes a file as Open returns it, without opening it if the size on disk
// is the size of the content.
func (f *folder) Stat(name string) (fs.FileInfo, error) {
	if mayBePacked(name) {
		file, err := f.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return file.Stat()
	}
	if full, ok := f.nonUTF8(name); ok {
		return os.Stat(full)
	}
	return fs.Stat(f.FS, name)
}

// origin returns the file of the machine that holds a source; false if there is
// none (the bundled series).
func origin(src series.Source) (path string, ok bool) {
	if f, found := src.FS.(interface{ OnDisk(name string) string }); found {
		return f.OnDisk(src.Name), true
	}
	return "", false
}
