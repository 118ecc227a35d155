package app

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"quell/volume"
)

// folder is a directory of the machine as an fs.FS that remembers where it is,
// so that an export can tell whether it would touch its own source.
type folder struct {
	fs.FS
	root  string // as the user named it
	whole bool   // everything below root was looked at, not just one file
}

func openFolder(root string, whole bool) *folder {
	return &folder{FS: os.DirFS(root), root: root, whole: whole}
}

// ReadFile, Stat and ReadDir pass on what os.DirFS does better than Open.
func (f *folder) ReadFile(name string) ([]byte, error)       { return fs.ReadFile(f.FS, name) }
func (f *folder) Stat(name string) (fs.FileInfo, error)      { return fs.Stat(f.FS, name) }
func (f *folder) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(f.FS, name) }

// Limits of an archive. Headers are read before sizes can be believed, so a
// small file that promises a huge one is refused at the door.
const (
	maxArchiveFiles = 200_000
	maxArchiveBytes = 64 << 30 // decompressed
	// An honest archive of images shrinks by a factor of 2 to 10, one of
	// nothing but air by 100; deflate reaches 1032.
	maxArchiveRatio = 200
	ratioCountsFrom = 1 << 30 // decompressed bytes below which any ratio is harmless
)

// archive is a zip file as an fs.FS that remembers where it is.
type archive struct {
	*zip.ReadCloser
	path string
}

func openArchive(path string) (*archive, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, &InputError{Path: path, Problem: "this zip file is damaged or cut off", Advice: "copy it again from where it came", Err: err}
	}
	if err := checkArchive(&z.Reader, path); err != nil {
		z.Close()
		return nil, err
	}
	return &archive{ReadCloser: z, path: path}, nil
}

// checkArchive judges an archive by its directory. What a member inflates to
// beyond the size stated there, archive/zip itself refuses to read.
func checkArchive(z *zip.Reader, path string) error {
	const advice = "unpack it and open the folder if you trust it"
	if len(z.File) > maxArchiveFiles {
		return &InputError{Path: path, Problem: fmt.Sprintf("this zip file holds %d files, more than %d", len(z.File), maxArchiveFiles), Advice: advice}
	}
	var packed, unpacked uint64
	for _, f := range z.File {
		packed += f.CompressedSize64
		unpacked += f.UncompressedSize64
		if f.UncompressedSize64 > maxArchiveBytes || unpacked > maxArchiveBytes {
			return &InputError{Path: path, Problem: fmt.Sprintf("this zip file unpacks to more than %d GiB", maxArchiveBytes>>30), Advice: advice}
		}
	}
	if unpacked > ratioCountsFrom && unpacked/max(packed, 1) > maxArchiveRatio {
		return &InputError{Path: path, Problem: fmt.Sprintf("this zip file unpacks to %d times its size, which no image does", unpacked/max(packed, 1)), Advice: advice}
	}
	return nil
}

// origin returns the file of the machine that a source lies in; false where it
// lies in none (the bundled series).
func origin(src volume.Source) (path string, ok bool) {
	switch f := src.FS.(type) {
	case *folder:
		return filepath.Join(f.root, filepath.FromSlash(src.Name)), true
	case *archive:
		return f.path, true
	}
	return "", false
}

// baseName is the last element of a path of this machine.
func baseName(path string) string { return filepath.Base(path) }
