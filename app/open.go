package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"quell/io/dicom"
	"quell/io/nifti"
	"quell/series"
	"quell/volume"
)

// Entry is one volume that a path offers: a series, the part of a series that
// fits one regular grid, one volume of a 4-D file, or one component of voxels
// that are colours or complex numbers.
type Entry struct {
	series.Meta
	Part      string          // what tells it from the others of its series; empty for a whole one
	Component string          // "magnitude", "red": see nifti.Component; empty where voxels are single numbers
	Geometry  volume.Geometry // zero where Err is set and no grid could be formed
	Slices    int
	Bytes     int64 // of its files
	Datatype  string
	Findings  []series.Finding
	Err       error // why it cannot be loaded: an *InputError; nil where it can

	load      func(ctx context.Context, progress func(done, total int)) (*series.Series, error)
	thumbnail func(ctx context.Context, side int) (*image.Gray, error) // nil where a picture would need the whole file
}

// Catalog is what Scan found under one path. Its methods may be called from any
// goroutine. It stays open while its series are in use: an export reads the
// source's files again.
type Catalog struct {
	Path     string // as given to Scan
	Entries  []Entry
	Findings []series.Finding // about files that belong to no entry
	Default  int              // the largest volume that can be loaded
	closer   io.Closer
}

// Scan says what is under a path, from headers alone: a DICOM file, a folder or
// zip of them, a DICOMDIR (which stands for its folder), .nii, .nii.gz, .hdr or
// .img. What a file is, its content says; the name only helps with an Analyze
// .img, which has no marks of its own.
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
		return nil, &InputError{Path: path, Problem: "is neither a file nor a folder", Advice: "choose a series"}
	}
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	beside := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	head, err := headOf(path)
	if err != nil {
		return nil, inputError(err, path, beside)
	}
	if what := wrapping(path, head); what != "" {
		return nil, &InputError{Path: path, Problem: "is " + what + ", which is not opened", Advice: "unpack it first"}
	}
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
	case dicom.Sniff(head) && strings.EqualFold(name, "DICOMDIR"):
		c, err := scanTree(ctx, openFolder(dir, true), path, beside)
		if errors.Is(err, dicom.ErrNoImages) {
			err = &InputError{Path: path, Problem: "is an index, and none of the images that it lists is here", Advice: "choose the folder that holds them", Err: err}
		}
		return c, err
	case dicom.Sniff(head):
		return scanDICOM(ctx, openFolder(dir, false), []string{name}, path, beside)
	case looksNIfTI(head) || isImg(name):
		return scanNIfTI(openFolder(dir, false), name, path, beside)
	}
	return nil, &InputError{Path: path, Problem: "is not a DICOM, NIfTI or Analyze file", Advice: "choose a scanner's file, or the folder that holds a series"}
}

// readHead returns as much of a file's beginning as the sniffers look at, or what
// there is of it.
func readHead(f io.Reader) ([]byte, error) {
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return head[:n], err
}

// headOf is readHead for the file at a path.
func headOf(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readHead(f)
}

// looksNIfTI says whether a file begins as NIfTI-1, NIfTI-2 or Analyze do, in
// either byte order, or is compressed, which of these only NIfTI is.
func looksNIfTI(head []byte) bool {
	for _, start := range []string{"\x5c\x01\x00\x00", "\x00\x00\x01\x5c", "\x1c\x02\x00\x00", "\x00\x00\x02\x1c", "\x1f\x8b"} {
		if bytes.HasPrefix(head, []byte(start)) {
			return true
		}
	}
	return false
}

func isImg(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	return strings.HasSuffix(name, ".img")
}

// scanTree looks at everything below a root: DICOM, and where there is none the
// NIfTI and Analyze files.
func scanTree(ctx context.Context, fsys fs.FS, path string, locate func(string) string) (*Catalog, error) {
	c, err := scanDICOM(ctx, fsys, nil, path, locate)
	if err == nil || !errors.Is(err, dicom.ErrNoImages) {
		return c, err
	}
	var names []string
	packed := ""
	walkErr := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(ctx.Err(), err)
		}
		// The .hdr stands for its pair.
		if d.Type().IsRegular() && nifti.HasExt(name) && !isImg(name) {
			names = append(names, name)
		} else if isPacked(name) && packed == "" {
			packed = name
		}
		return nil
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if walkErr != nil {
		return nil, inputError(walkErr, path, locate)
	}
	all := &Catalog{Path: path}
	for _, name := range names {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		one, err := scanNIfTI(fsys, name, locate(name), locate)
		if err != nil {
			all.Findings = append(all.Findings, series.Finding{
				Severity: series.Refused, Kind: series.Unreadable, Text: err.Error() + ".", Files: []string{name},
			})
			continue
		}
		all.Entries = append(all.Entries, one.Entries...)
	}
	if len(all.Entries) == 0 {
		problem, advice := "holds no DICOM, NIfTI or Analyze image", "choose the folder that holds a series"
		if len(all.Findings) > 0 {
			return nil, &InputError{Path: path, Problem: problem + " that can be read: " + strings.TrimSuffix(all.Findings[0].Text, "."), Err: err}
		}
		if packed != "" {
			problem += fmt.Sprintf(" beside packed files (%s), which are not opened inside of it", packed)
			advice = "unpack all and open their folder"
		}
		return nil, &InputError{Path: path, Problem: problem, Advice: advice, Err: err}
	}
	all.Default = largest(all.Entries)
	return all, nil
}

func scanDICOM(ctx context.Context, fsys fs.FS, names []string, path string, locate func(string) string) (*Catalog, error) {
	found, err := dicom.Scan(ctx, fsys, names)
	if err != nil {
		return nil, inputError(err, path, locate)
	}
	c := &Catalog{Path: path, Findings: found.Findings, Default: found.Default}
	for i, e := range found.Entries {
		c.Entries = append(c.Entries, Entry{
			Meta: e.Meta, Part: e.Part, Geometry: e.Geometry, Slices: e.Slices, Bytes: e.Bytes, Findings: e.Findings,
			Err: inputError(e.Err, path, locate),
			load: func(ctx context.Context, progress func(done, total int)) (*series.Series, error) {
				s, err := found.Load(ctx, i, progress)
				return s, inputError(err, path, locate)
			},
			thumbnail: func(ctx context.Context, side int) (*image.Gray, error) {
				return found.Thumbnail(ctx, i, side)
			},
		})
	}
	return c, nil
}

// scanNIfTI makes an entry of every volume of one file, and of every component
// of it where there are some.
func scanNIfTI(fsys fs.FS, name, path string, locate func(string) string) (*Catalog, error) {
	info, err := nifti.ReadHeader(fsys, name)
	if err != nil {
		return nil, inputError(err, path, locate)
	}
	components := info.Components
	if len(components) == 0 {
		components = []nifti.Component{""}
	}
	c := &Catalog{Path: path}
	for _, component := range components {
		for t := range info.Volumes {
			e := Entry{
				Meta: info.Meta, Component: string(component), Geometry: info.Geometry, Slices: info.Geometry.Dims[2],
				Bytes: info.Bytes / int64(info.Volumes), Datatype: info.Datatype, Findings: info.Findings,
				load: func(ctx context.Context, progress func(done, total int)) (*series.Series, error) {
					s, err := nifti.ReadComponent(ctx, fsys, name, t, component)
					if err != nil {
						return nil, inputError(err, path, locate)
					}
					if progress != nil {
						progress(1, 1)
					}
					return s, nil
				},
			}
			var part []string
			if component != "" {
				part = append(part, e.Component)
			}
			if info.Volumes > 1 {
				part = append(part, fmt.Sprintf("volume %d of %d", t+1, info.Volumes))
			}
			e.Part = strings.Join(part, ", ")
			c.Entries = append(c.Entries, e)
		}
	}
	return c, nil
}

// largest returns the entry with the most voxels among those that can be
// loaded, the first of equals.
func largest(entries []Entry) int {
	best, most := 0, -1
	for i, e := range entries {
		if n := e.Geometry.Voxels(); e.Err == nil && n > most {
			best, most = i, n
		}
	}
	return best
}

// Load reads the voxels of entry i. progress, which may be nil, counts files. A
// DICOM series has the catalog's findings as well as its own, notes aside.
func (c *Catalog) Load(ctx context.Context, i int, progress func(done, total int)) (*series.Series, error) {
	if i < 0 || i >= len(c.Entries) {
		return nil, Usagef("%s holds %d series, counted from 0; there is no series %d", c.Path, len(c.Entries), i)
	}
	if err := c.Entries[i].Err; err != nil {
		return nil, err
	}
	started := time.Now()
	s, err := c.Entries[i].load(ctx, progress)
	if err == nil && strings.HasPrefix(s.Format, "DICOM") {
		// What could not be read beside the slices may be one of them.
		for _, f := range c.Findings {
			if f.Severity > series.Note {
				s.Findings = append(s.Findings, f)
			}
		}
	}
	attrs := []any{outcome(err), slog.Duration("took", time.Since(started))}
	if err == nil {
		attrs = append(attrs, slog.String("format", s.Format), slog.Any("dims", s.Volume.Dims))
		if !strings.HasPrefix(s.Format, "DICOM") {
			// DICOM's default window function presumes whole numbers.
			for w := range s.Windows {
				s.Windows[w].Exact = true
			}
		}
	}
	logger.Load().Info("load", attrs...)
	return s, err
}

// Thumbnail paints the middle slice of entry i, at most side pixels wide and
// high, from that slice's file alone; nil where there is no such picture, as of
// NIfTI, whose voxels cannot be read in part. Errors are left out as well: Load
// tells them.
func (c *Catalog) Thumbnail(ctx context.Context, i, side int) *image.Gray {
	if i < 0 || i >= len(c.Entries) || c.Entries[i].thumbnail == nil {
		return nil
	}
	picture, err := c.Entries[i].thumbnail(ctx, side)
	if err != nil {
		return nil
	}
	return picture
}

// Close lets go of the files. Series that were loaded keep their voxels but can
// no longer be exported in kind from a zip.
func (c *Catalog) Close() error {
	if c == nil || c.closer == nil {
		return nil
	}
	return c.closer.Close()
}

// Open is Scan and Load in one; pick < 0 loads the entry that Pick("") gives.
// The caller closes the catalog when it has done with the series.
func Open(ctx context.Context, path string, pick int, progress func(done, total int)) (*series.Series, *Catalog, error) {
	c, err := Scan(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	if pick < 0 {
		pick, err = c.Pick("")
	}
	var s *series.Series
	if err == nil {
		s, err = c.Load(ctx, pick, progress)
	}
	if err != nil {
		c.Close()
		return nil, nil, err
	}
	return s, c, nil
}
