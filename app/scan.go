package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"quell/internal/message"
	"quell/io/dicom"
)

// Scan finds the volumes under a path from headers alone: a DICOM file, a
// folder or zip of them, a DICOMDIR (which stands for its folder), .nii,
// .nii.gz, .hdr, .img, .nrrd, .nhdr, .mha or .mhd. A DICOM file may be compressed by gzip where its name
// ends in .gz. Files are recognised by their content; only an Analyze .img,
// which has no signature, is recognised by its name.
//
// One DICOM file is one slice, even beside the rest of its series: open the
// folder for the series. Errors are *InputError or the context's.
func Scan(ctx context.Context, path string) (*Catalog, error) {
	started := time.Now()
	c, err := scan(ctx, path)
	attrs := []any{outcome(err), slog.Duration("took", time.Since(started))}
	if err == nil {
		attrs = append(attrs, slog.Int("entries", len(c.Entries)), slog.Int("findings", len(c.Findings)))
	}
	logger.Load().Info("scan", attrs...)
	return c, err
}

func scan(ctx context.Context, path string) (*Catalog, error) {
	here := func(name string) string { return filepath.Join(path, filepath.FromSlash(name)) }
	info, err := os.Stat(path)
	if err != nil {
		return nil, inputError(err, path, here)
	}
	if info.IsDir() {
		return scanTree(ctx, openFolder(path, true), path, here)
	}
	if !info.Mode().IsRegular() {
		return nil, &InputError{Path: path, Problem: message.New(message.InputForeign, "is neither a file nor a folder"), Advice: message.Text("choose a series")}
	}
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	beside := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	head, inner, err := headsOf(path)
	if err != nil {
		return nil, inputError(err, path, beside)
	}
	if format := packedFormat(head, inner); !format.IsZero() {
		return nil, &InputError{Path: path, Problem: message.New(message.InputForeign, "is %s, which is not opened", format), Advice: message.Text("unpack it first")}
	}
	isDICOM := dicom.Sniff(head)
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06")):
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
	case isDICOM && strings.EqualFold(name, "DICOMDIR"):
		c, err := scanTree(ctx, openFolder(dir, true), path, beside)
		if errors.Is(err, dicom.ErrNoImages) {
			err = &InputError{Path: path, Problem: message.New(message.InputForeign, "is an index, and none of the images that it lists is here"), Advice: message.Text("choose the folder that holds them"), Err: err}
		}
		return c, err
	case isDICOM || dicom.Sniff(inner) && strings.EqualFold(filepath.Ext(name), ".gz"):
		return scanDICOM(ctx, openFolder(dir, false), []string{name}, path, beside)
	case dicom.Sniff(inner):
		return nil, &InputError{Path: path, Problem: message.New(message.InputUnsupported, "is a DICOM file compressed by gzip under a name that does not say so"), Advice: message.Text("add .gz to its name, or unpack it")}
	}
	if f := formatBy(head, name); f != nil {
		return scanFile(f, openFolder(dir, false), name, path, beside)
	}
	return nil, &InputError{Path: path, Problem: message.New(message.InputForeign, "is not a DICOM, NIfTI, Analyze, NRRD or MetaImage file"), Advice: message.Text("choose a scanner's file, or the folder that holds a series")}
}

// headSize is how much of a file the format checks look at, in bytes.
const headSize = 512

// headsOf returns the beginning of a file and, where it is compressed by gzip
// and can be read, of its content.
func headsOf(path string) (head, inner []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if head, err = readHead(f); err != nil || !bytes.HasPrefix(head, []byte("\x1f\x8b")) {
		return head, nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return head, nil, err
	}
	if z, err := gzip.NewReader(f); err == nil {
		inner, _ = readHead(z) // damage is reported by the reader of the format
	}
	return head, inner, nil
}

// readHead returns the first headSize bytes of a file, or fewer where it is
// shorter.
func readHead(f io.Reader) ([]byte, error) {
	head := make([]byte, headSize)
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return head[:n], err
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

// isImg reports whether a file is named like the voxels of an Analyze or NIfTI pair.
func isImg(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	return strings.HasSuffix(name, ".img")
}
