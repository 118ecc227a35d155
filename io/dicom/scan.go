package dicom

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"

	"quell/internal/parallel"
	"quell/io/atomic"
	"quell/io/dicom/assemble"
	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
	"quell/series"
)

// Scan reads the headers of the named files of fsys (nil: every file below its
// root) and says which volumes they form. Files are read in parallel, as far as
// their pixels. A file that is no DICOM image is counted and told of in the
// findings; the error is an *Error where there is no DICOM image at all, or the
// context's.
//
// A series with a damaged file, or of a kind that is not read, has an entry
// whose Err says why; the others stay usable.
func Scan(ctx context.Context, fsys fs.FS, names []string) (*Catalog, error) {
	c := &Catalog{fsys: fsys}
	walked := names == nil
	if walked {
		var err error
		if names, err = c.walk(ctx); err != nil {
			return nil, err
		}
	}
	c.Files = len(names)
	headers := make([]*instance.Slice, len(names))
	kinds := make([]instance.Kind, len(names))
	// Reading waits for the disk at times, so there are more readers than cores.
	err := parallel.ForWorkers(ctx, len(names), 2*runtime.GOMAXPROCS(0), func() func(int) error {
		return func(i int) (err error) {
			headers[i], kinds[i], err = instance.Read(ctx, fsys, names[i])
			return err
		}
	})
	if err != nil {
		return nil, err
	}

	byKind := map[instance.Kind][]*instance.Slice{}
	for i, h := range headers {
		byKind[kinds[i]] = append(byKind[kinds[i]], h.Slices()...)
	}
	if len(byKind[instance.KindImage]) == 0 {
		return nil, noImages(byKind, names)
	}
	c.tell(byKind)
	if walked {
		for _, index := range byKind[instance.KindIndex] {
			c.Findings = append(c.Findings, tellMissing(index, names)...)
		}
	}
	c.Entries = assemble.Entries(byKind[instance.KindImage])
	suspect(c.Entries, byKind[instance.KindForeign])
	c.Default = largest(c.Entries)
	return c, nil
}

// walk lists every file below the root, except what an export that was killed
// left half-written.
func (c *Catalog) walk(ctx context.Context) ([]string, error) {
	var names []string
	err := fs.WalkDir(c.fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && name == ".":
			return part10.FileError(name, "check the path and that it may be read", err, "the folder cannot be opened (%s)", part10.Cause(err))
		case err != nil:
			c.Findings = append(c.Findings, series.Finding{Severity: series.Refused, Kind: series.Unreadable,
				Text: fmt.Sprintf("The folder %s cannot be read (%s).", name, part10.Cause(err)), Files: []string{name}})
			return fs.SkipDir
		case d.IsDir() && atomic.IsStage(d.Name()):
			return fs.SkipDir
		case d.Type()&^fs.ModeSymlink == 0: // no pipe or device, which would wait
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// noImages says why a scan found nothing to show.
func noImages(byKind map[instance.Kind][]*instance.Slice, names []string) error {
	const choose = "choose a file or folder with CT or MR images"
	switch {
	case len(names) == 0:
		return part10.FileError(".", choose, part10.ErrNoImages, "the folder is empty")
	case len(names) == 1 && len(byKind[instance.KindForeign]) == 1:
		if err := byKind[instance.KindForeign][0].Err; err != nil {
			return err
		}
		return part10.FileError(names[0], choose, part10.ErrNoImages, "it is not a DICOM file")
	case len(byKind[instance.KindIndex]) == len(names):
		return part10.FileError(names[0], "choose the folder that holds its images", part10.ErrNoImages, "it is an index of other files and holds no image")
	case len(names) == 1:
		return part10.FileError(names[0], choose, part10.ErrNoImages, "it is a DICOM file without an image (%s)", part10.ClassName(byKind[instance.KindOther][0].SOPClass))
	default:
		return part10.FileError(".", choose, part10.ErrNoImages, "none of the %d files holds a DICOM image", len(names))
	}
}

// tell writes the findings about files that belong to no series.
func (c *Catalog) tell(byKind map[instance.Kind][]*instance.Slice) {
	add := func(kind series.Kind, one, many string, hs []*instance.Slice) {
		if len(hs) == 0 {
			return
		}
		text := one
		if len(hs) > 1 {
			text = fmt.Sprintf(many, len(hs))
		}
		c.Findings = append(c.Findings, series.Finding{Severity: series.Note, Kind: kind, Text: text, Files: assemble.FileNames(hs)})
	}
	var foreign []*instance.Slice
	for _, h := range byKind[instance.KindForeign] {
		if h.Err == nil {
			foreign = append(foreign, h)
			continue
		}
		c.Findings = append(c.Findings, series.Finding{Severity: series.Refused, Kind: series.Unreadable,
			Text: h.Err.Error() + ".", Files: []string{h.Name}})
	}
	for _, h := range byKind[instance.KindImage] {
		if assemble.IsOrphan(h) {
			c.Findings = append(c.Findings, series.Finding{Severity: series.Refused, Kind: series.Damaged,
				Text: h.Err.Error() + "; its series cannot be told.", Files: []string{h.Name}})
		}
	}
	add("foreign", "One file is not DICOM.", "%d files are not DICOM.", foreign)
	add("index", "One file is an index (DICOMDIR); the images are read themselves.",
		"%d files are indexes (DICOMDIR); the images are read themselves.", byKind[instance.KindIndex])
	add("no-image", "One DICOM file holds no image.", "%d DICOM files hold no image.", byKind[instance.KindOther])
}

// largest returns the index of the largest entry among those that can be
// loaded and those that could be if a file were not damaged: a small series
// must not be taken for the one that was meant.
func largest(entries []assemble.Entry) int {
	best, most := 0, -1
	for i, e := range entries {
		n := e.Geometry.Voxels()
		if e.Damaged {
			n = int(e.Bytes / 2) // about: most pixels have two bytes
		}
		if (e.Err == nil || e.Damaged) && n > most {
			best, most = i, n
		}
	}
	return best
}

// suspect warns of files that are no DICOM or cannot be read and are named like
// the slices beside them: one that was cut off before its first element looks like
// that, and where it was the last slice no gap would tell.
func suspect(entries []assemble.Entry, foreign []*instance.Slice) {
	type place struct{ dir, ext string }
	placeOf := func(h *instance.Slice) place { return place{path.Dir(h.Name), path.Ext(h.Name)} }
	in := map[place][]*instance.Slice{}
	for _, f := range foreign {
		if p := placeOf(f); p.ext != "" || f.Size == 0 {
			in[p] = append(in[p], f)
		}
	}
	for i := range entries {
		e := &entries[i]
		looked := map[place]bool{}
		var like []*instance.Slice
		for _, h := range e.Stack {
			if p := placeOf(h); !looked[p] {
				looked[p] = true
				like = append(like, in[p]...)
			}
		}
		slices.SortFunc(like, assemble.ByFile)
		if len(like) > 0 {
			e.Findings = append(e.Findings, series.Finding{Severity: series.Warning, Kind: series.Foreign,
				Text:  fmt.Sprintf("%s named like the slices and could not be read as DICOM; a slice may be missing here.", part10.Count(len(like), "file is", "files are")),
				Files: assemble.FileNames(like)})
		}
	}
}
