package dicom

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"

	"quell/internal/parallel"
	"quell/io/atomic"
	"quell/series"
)

// listedFiles is how many names a finding about many files carries.
const listedFiles = 20

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
	known := new(elementCache)
	headers := make([]*header, len(names))
	kinds := make([]kind, len(names))
	// Reading waits for the disk at times, so there are more readers than cores.
	err := parallel.ForWorkers(ctx, len(names), 2*runtime.GOMAXPROCS(0), func() func(int) error {
		return func(i int) (err error) {
			headers[i], kinds[i], err = readHeader(ctx, fsys, names[i], known)
			return err
		}
	})
	if err != nil {
		return nil, err
	}

	byKind := map[kind][]*header{}
	for i, h := range headers {
		byKind[kinds[i]] = append(byKind[kinds[i]], h.slices()...)
	}
	if len(byKind[kindImage]) == 0 {
		return nil, noImages(byKind, names)
	}
	c.tell(byKind)
	if walked {
		for _, index := range byKind[kindIndex] {
			c.Findings = append(c.Findings, tellMissing(index, names)...)
		}
	}
	c.Entries = formEntries(byKind[kindImage])
	suspect(c.Entries, byKind[kindForeign])
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
			return fileError(name, "check the path and that it may be read", err, "the folder cannot be opened (%s)", cause(err))
		case err != nil:
			c.Findings = append(c.Findings, series.Finding{Severity: series.Refused, Kind: series.Unreadable,
				Text: fmt.Sprintf("The folder %s cannot be read (%s).", name, cause(err)), Files: []string{name}})
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
func noImages(byKind map[kind][]*header, names []string) error {
	const choose = "choose a file or folder with CT or MR images"
	switch {
	case len(names) == 0:
		return fileError(".", choose, ErrNoImages, "the folder is empty")
	case len(names) == 1 && len(byKind[kindForeign]) == 1:
		if err := byKind[kindForeign][0].err; err != nil {
			return err
		}
		return fileError(names[0], choose, ErrNoImages, "it is not a DICOM file")
	case len(byKind[kindIndex]) == len(names):
		return fileError(names[0], "choose the folder that holds its images", ErrNoImages, "it is an index of other files and holds no image")
	case len(names) == 1:
		return fileError(names[0], choose, ErrNoImages, "it is a DICOM file without an image (%s)", className(byKind[kindOther][0].sopClass))
	default:
		return fileError(".", choose, ErrNoImages, "none of the %d files holds a DICOM image", len(names))
	}
}

// tell writes the findings about files that belong to no series.
func (c *Catalog) tell(byKind map[kind][]*header) {
	add := func(kind series.Kind, one, many string, hs []*header) {
		if len(hs) == 0 {
			return
		}
		text := one
		if len(hs) > 1 {
			text = fmt.Sprintf(many, len(hs))
		}
		c.Findings = append(c.Findings, series.Finding{Severity: series.Note, Kind: kind, Text: text, Files: fileNames(hs)})
	}
	var foreign []*header
	for _, h := range byKind[kindForeign] {
		if h.err == nil {
			foreign = append(foreign, h)
			continue
		}
		c.Findings = append(c.Findings, series.Finding{Severity: series.Refused, Kind: series.Unreadable,
			Text: h.err.Error() + ".", Files: []string{h.name}})
	}
	for _, h := range byKind[kindImage] {
		if isOrphan(h) {
			c.Findings = append(c.Findings, series.Finding{Severity: series.Refused, Kind: series.Damaged,
				Text: h.err.Error() + "; its series cannot be told.", Files: []string{h.name}})
		}
	}
	add("foreign", "One file is not DICOM.", "%d files are not DICOM.", foreign)
	add("index", "One file is an index (DICOMDIR); the images are read themselves.",
		"%d files are indexes (DICOMDIR); the images are read themselves.", byKind[kindIndex])
	add("no-image", "One DICOM file holds no image.", "%d DICOM files hold no image.", byKind[kindOther])
}

// fileNames lists the files of slices, each once and not too many.
func fileNames(hs []*header) []string {
	var out []string
	for _, h := range onePerFile(hs) {
		if len(out) < listedFiles {
			out = append(out, h.name)
		}
	}
	return out
}

// largest returns the index of the largest entry among those that can be
// loaded and those that could be if a file were not damaged: a small series
// must not be taken for the one that was meant.
func largest(entries []Entry) int {
	best, most := 0, -1
	for i, e := range entries {
		n := e.Geometry.Voxels()
		if e.damaged {
			n = int(e.Bytes / 2) // about: most pixels have two bytes
		}
		if (e.Err == nil || e.damaged) && n > most {
			best, most = i, n
		}
	}
	return best
}

// isOrphan says whether a broken file does not tell its series.
func isOrphan(h *header) bool { return h.err != nil && h.meta.UID == "" }

// suspect warns of files that are no DICOM or cannot be read and are named like
// the slices beside them: one that was cut off before its first element looks like
// that, and where it was the last slice no gap would tell.
func suspect(entries []Entry, foreign []*header) {
	type place struct{ dir, ext string }
	placeOf := func(h *header) place { return place{path.Dir(h.name), path.Ext(h.name)} }
	in := map[place][]*header{}
	for _, f := range foreign {
		if p := placeOf(f); p.ext != "" || f.size == 0 {
			in[p] = append(in[p], f)
		}
	}
	for i := range entries {
		e := &entries[i]
		looked := map[place]bool{}
		var like []*header
		for _, h := range e.slices {
			if p := placeOf(h); !looked[p] {
				looked[p] = true
				like = append(like, in[p]...)
			}
		}
		slices.SortFunc(like, byFile)
		if len(like) > 0 {
			e.Findings = append(e.Findings, series.Finding{Severity: series.Warning, Kind: series.Foreign,
				Text:  fmt.Sprintf("%s named like the slices and could not be read as DICOM; a slice may be missing here.", count(len(like), "file is", "files are")),
				Files: fileNames(like)})
		}
	}
}

// refuseBeside refuses the entries with files in the folder of an orphan that is of
// their class, or tells none: the slice that was lost may be theirs.
func refuseBeside(entries []Entry, orphans []*header) {
	type place struct{ dir, sopClass string }
	lost := map[place]*header{} // the first of each
	for _, o := range slices.Backward(orphans) {
		lost[place{path.Dir(o.name), o.sopClass}] = o
	}
	for i := range entries {
		e := &entries[i]
		for _, h := range e.slices {
			dir := path.Dir(h.name)
			if o := cmp.Or(lost[place{dir, h.sopClass}], lost[place{dir, ""}]); o != nil && e.Err == nil {
				e.Err, e.damaged = o.err, true
			}
		}
	}
}
