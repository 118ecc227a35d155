package open

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"quell/app/files"
	"quell/app/job"
	"quell/internal/message"
	"quell/io/format"
)

// ErrNoImages is in the chain of ScanFolder's error if a folder holds files, all can be
// opened, and none is a DICOM image.
var ErrNoImages = message.Errorf(message.InputForeign, "no image")

// ScanFolder is Scan for the DICOM files that lie directly in a folder, not in the folders
// below it, and not for its NIfTI and Analyze files.
func ScanFolder(ctx context.Context, path string) (*Catalog, error) {
	here := func(name string) string { return filepath.Join(path, filepath.FromSlash(name)) }
	paths, err := os.ReadDir(path)
	if err != nil {
		return nil, job.Unreadable(err, path, here)
	}
	names := []string{}
	for _, f := range paths {
		if f.Type()&^fs.ModeSymlink == 0 && !files.IsImageFile(f.Name()) && !files.IsVoxels(f.Name()) {
			names = append(names, f.Name())
		}
	}
	c, err := scanFolders(ctx, files.OpenFolder(path, true), names, path, here)
	if errors.Is(err, format.ErrNoImages) && !errors.Is(err, format.ErrNotOpened) {
		err = errors.Join(ErrNoImages, err)
	}
	return c, err
}
