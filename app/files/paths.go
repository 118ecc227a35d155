package files

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"quell/app/job"
	"quell/io/atomic"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// lineage returns what exists of path and the folders above it, by its true names.
func lineage(path string) []fs.FileInfo {
	var all []fs.FileInfo
	for path = realPath(path); ; path = filepath.Dir(path) {
		if info, err := os.Stat(path); err == nil {
			all = append(all, info)
		}
		if path == filepath.Dir(path) {
			return all
		}
	}
}

// holds reports whether one of them is the file or folder of info.
func holds(all []fs.FileInfo, info fs.FileInfo) bool {
	return slices.ContainsFunc(all, func(one fs.FileInfo) bool { return os.SameFile(one, info) })
}

// sameName reports whether two paths, which may not exist, are one.
func sameName(a, b string) bool {
	a, b = realPath(a), realPath(b)
	return a == b || runtime.GOOS != "linux" && strings.EqualFold(a, b)
}

// IsBelow reports whether path is dir or lies below it, by their names.
func IsBelow(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// SameFile reports whether two paths lead to one file, by whatever names.
func SameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// IsInside reports whether path is dir or lies below it, by whatever names. path
// may not exist.
func IsInside(path, dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && holds(lineage(path), info)
}

// realPath is absolute and free of links as far as the path exists.
func realPath(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return filepath.Clean(path)
	}
	if resolved, err := filepath.EvalSymlinks(abs); err == nil {
		return resolved
	}
	// A link to what does not exist yet is written through by what appends.
	if to, err := os.Readlink(abs); err == nil {
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(abs), to)
		}
		if to != abs {
			return to
		}
	}
	parent := filepath.Dir(abs)
	if parent == abs {
		return abs
	}
	return filepath.Join(realPath(parent), filepath.Base(abs))
}

// Exists reports whether path names anything, a broken link too.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// isPlaceError reports whether an error is about the place of an output and not its name.
func isPlaceError(err error) bool {
	var number syscall.Errno
	return errors.As(err, &number) && number != syscall.ENAMETOOLONG && number != syscall.ENOTDIR && number != syscall.EINVAL && number != syscall.EXDEV
}

// unwritable words the error of atomic.Check: a name that cannot be is the fault of the
// person who gave it.
func unwritable(err error) error {
	if err == nil || isPlaceError(err) {
		return err
	}
	return job.Usage(err)
}

// checkFile reports why a file cannot be written to path.
func checkFile(path string) error { return unwritable(atomic.Check(path, false)) }

// holdsMark reports whether a file has mark in its first n bytes, by which Quell knows a file
// that it wrote.
func holdsMark(path, mark string, n int64) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	start, err := io.ReadAll(io.LimitReader(f, n))
	return err == nil && bytes.Contains(start, []byte(mark))
}

// endsWith reports whether a file ends with a mark, by which Quell knows it.
func endsWith(path, mark string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() < int64(len(mark)) {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	end := make([]byte, len(mark))
	_, err = f.ReadAt(end, info.Size()-int64(len(mark)))
	return err == nil && string(end) == mark
}

// otherEndings belong to formats that Quell does not write under an output's name.
var otherEndings = []string{
	".7z", ".apng", ".avi", ".bmp", ".bval", ".bvec", ".bz2", ".csv", ".dcm", ".dicom", ".gif", ".gz", ".h5", ".hdf5", ".htm", ".html", ".ima", ".img", ".jp2", ".jpeg",
	".jpg", ".json", ".jsonl", ".log", ".mat", ".mgh", ".mgz", ".mha", ".mhd", ".mif", ".minc", ".mnc", ".mp4", ".nhdr", ".nifti", ".npy", ".npz", ".nrrd",
	".par", ".pdf", ".png", ".quell", ".rar", ".raw", ".rec", ".svg", ".tar", ".tgz", ".tif", ".tiff", ".tsv", ".txt", ".v16", ".xml", ".xz", ".zip", ".zst",
}
