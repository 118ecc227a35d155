package open

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"quell/app/files"
	"quell/app/job"
	"quell/internal/message"
	"quell/io/format"
)

// Scan finds the volumes under a path from headers alone: a DICOM file, a folder or zip of them, a
// DICOMDIR (which stands for its folder), .nii, .nii.gz, .hdr, .img, .nrrd, .nhdr, .mha or .mhd. A DICOM
// file may be compressed by gzip if its name ends in .gz. Files are recognised by their content; only an
// Analyze .img, which has no signature, is recognised by its name.
//
// One DICOM file is one slice, even beside the rest of its series: open the
// folder for the series. Errors are *job.InputError or the context's.
func Scan(ctx context.Context, path string) (*Catalog, error) {
	started := time.Now()
	c, err := ScanUnlogged(ctx, path)
	attrs := []any{job.Outcome(err), slog.Duration("took", time.Since(started))}
	if err == nil {
		attrs = append(attrs, slog.Int("entries", len(c.Entries)), slog.Int("findings", len(c.Findings)))
	}
	job.Log("scan", attrs...)
	return c, err
}

// ScanUnlogged is Scan without a line in the log.
func ScanUnlogged(ctx context.Context, path string) (*Catalog, error) {
	here := func(name string) string { return filepath.Join(path, filepath.FromSlash(name)) }
	info, err := os.Stat(path)
	if err != nil {
		return nil, job.Unreadable(err, path, here)
	}
	if info.IsDir() {
		return scanTree(ctx, files.OpenFolder(path, true), path, here)
	}
	if !info.Mode().IsRegular() {
		return nil, &job.InputError{Path: path, Problem: message.New(message.InputForeign, "is neither a file nor a folder"), Advice: message.Text("choose a series")}
	}
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	beside := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	head, inner, err := files.Heads(path)
	if err != nil {
		return nil, job.Unreadable(err, path, beside)
	}
	if format := packedFormat(head, inner); !format.IsZero() {
		return nil, &job.InputError{Path: path, Problem: message.New(message.InputForeign, "is %s, which is not opened", format), Advice: message.Text("unpack it first")}
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06")) {
		z, err := openArchive(path)
		if err != nil {
			return nil, err
		}
		c, err := scanTree(ctx, z, path, here)
		if err != nil {
			z.Close()
			return nil, err
		}
		c.closer = z
		return c, nil
	}
	f, packed := files.FormatBy(head, inner, name)
	switch {
	case f == nil:
		return nil, &job.InputError{Path: path, Problem: message.New(message.InputForeign, "is not a %s file", files.AllNames()), Advice: message.Text("choose a scanner's file, or the folder that contains a series")}
	case packed && !strings.EqualFold(filepath.Ext(name), ".gz"):
		return nil, &job.InputError{Path: path, Problem: message.New(message.InputUnsupported, "is a %s file compressed by gzip under a name that does not say so", f.Name), Advice: message.Text("add .gz to its name, or unpack it")}
	case !packed && f.Index != "" && strings.EqualFold(name, f.Index):
		c, err := scanTree(ctx, files.OpenFolder(dir, true), path, beside)
		if errors.Is(err, format.ErrNoImages) {
			err = &job.InputError{Path: path, Problem: message.New(message.InputForeign, "is an index, and none of the images that it lists is here"), Advice: message.Text("choose the folder that contains them"), Err: err}
		}
		return c, err
	}
	return scanBy(ctx, f, files.OpenFolder(dir, false), []string{name}, path, beside)
}

// packedFormat names the archive format of a file that is not opened, given the
// beginning of the file and of its decompressed content; "" for other files.
func packedFormat(head, inner []byte) message.Message {
	switch {
	case isTar(head), isTar(inner):
		return message.Text("a tar archive")
	case bytes.HasPrefix(head, []byte("7z\xbc\xaf\x27\x1c")):
		return message.Text("a 7z archive")
	case bytes.HasPrefix(head, []byte("Rar!\x1a\x07")):
		return message.Text("a RAR archive")
	}
	return message.Message{}
}

func isTar(head []byte) bool { return len(head) >= 262 && string(head[257:262]) == "ustar" }

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
