package dicom

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"

	"quell/internal/message"
	"quell/internal/parallel"
	"quell/io/atomic"
	"quell/io/dicom/assemble"
	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
	"quell/io/format"
	"quell/series"
)

// Catalog is what Scan found below one root: every series, from headers alone.
// It is read-only after Scan; its methods may be called from any goroutine.
type Catalog struct {
	// Entries holds one entry per volume that can be formed, in the order of
	// series number, then size (largest first). A series that cannot be loaded
	// has an entry too, with Err set.
	Entries []assemble.Entry
	// Findings are about files that belong to no series: indexes, files that are no
	// DICOM images, files that could not be read.
	Findings []series.Finding
	// Default is the index of the largest volume. A series with a damaged file
	// counts, so that Load reports it; one of a kind that is not read counts only if
	// there is no other.
	Default int
	// Files is the number of files that were looked at.
	Files int

	fsys    fs.FS
	images  []*instance.Slice    // of all entries, of broken files too
	foreign []*instance.Instance // files that are not DICOM
}

// Scan reads the headers of the named files of fsys (nil: every file below its
// root) and returns the volumes that they form. Files are read in parallel, as far as
// their pixels. Files that are no DICOM images are counted in the findings. The error
// is an *Error if there is no DICOM image at all, or the context's.
//
// A series with a damaged file, or of a kind that is not read, has an entry with an
// Err that says why; the others stay usable.
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
	files := make([]*instance.Instance, len(names))
	// Reading waits for the disk at times, so there are more readers than cores.
	err := parallel.ForWorkers(ctx, len(names), 2*runtime.GOMAXPROCS(0), func() func(int) error {
		return func(i int) (err error) {
			files[i], err = instance.Read(ctx, fsys, names[i])
			return err
		}
	})
	if err != nil {
		return nil, err
	}

	byKind := map[instance.Kind][]*instance.Instance{}
	for _, f := range files {
		byKind[f.Kind] = append(byKind[f.Kind], f)
	}
	if len(byKind[instance.Image]) == 0 {
		return nil, noImages(byKind, names)
	}
	c.reportFiles(byKind)
	if walked {
		for _, index := range byKind[instance.Index] {
			c.Findings = append(c.Findings, findMissing(index, names)...)
		}
	}
	for _, f := range byKind[instance.Image] {
		c.images = append(c.images, f.Slices...)
	}
	c.foreign = byKind[instance.Foreign]
	c.enter(assemble.Entries(c.images))
	return c, nil
}

// enter sets the entries.
func (c *Catalog) enter(entries []assemble.Entry) {
	warnUnreadableNeighbours(entries, c.foreign)
	warnGuessed(entries)
	giveSteps(entries)
	c.Entries, c.Default = entries, largest(entries)
}

// WithoutDamaged returns the catalog of the same files without the broken ones, which findings
// name; nil if none is broken or nothing is left. A slice that is missing inside a volume is a
// gap there.
func (c *Catalog) WithoutDamaged() *Catalog {
	entries := assemble.WithoutDamaged(c.images)
	if entries == nil {
		return nil
	}
	rest := *c
	rest.enter(entries)
	return &rest
}

// warnGuessed warns of gradients and tiles that are read from private elements without owners, as some anonymisers leave
// them.
func warnGuessed(entries []assemble.Entry) {
	for i := range entries {
		e := &entries[i]
		at := slices.IndexFunc(e.Stack, func(s *instance.Slice) bool { return s.Guessed && (s.Gradient.B > 0 || s.Tiles != nil) })
		if at >= 0 {
			e.Findings = append(e.Findings, series.Finding{Severity: series.Warning, Kind: series.Header, Files: assemble.FileNames(e.Stack),
				Text: message.Text("The names of the owners of private elements were removed from the files. The elements of %s are read at their usual places: compare the gradients with the protocol.", e.Stack[at].Meta.Manufacturer)})
		}
	}
}

// walk lists every file below the root, except the files of unfinished exports.
func (c *Catalog) walk(ctx context.Context) ([]string, error) {
	var names []string
	err := fs.WalkDir(c.fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && name == ".":
			return part10.FileError(message.InputUnreadable, name, message.Text("check the path and that it may be read"), err, "the folder cannot be opened (%s)", part10.Cause(err))
		case err != nil:
			c.Findings = append(c.Findings, series.Finding{Severity: series.Refused, Kind: series.Unreadable,
				Text: message.Text("The folder %s cannot be read (%s).", name, part10.Cause(err)), Files: []string{name}})
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

// noImages returns the error of a scan without images.
func noImages(byKind map[instance.Kind][]*instance.Instance, names []string) error {
	choose := message.Text("choose a file or folder with CT or MR images")
	switch {
	case len(names) == 0:
		return part10.FileError(message.InputForeign, ".", choose, format.ErrNoImages, "the folder is empty")
	case len(names) == 1 && len(byKind[instance.Foreign]) == 1:
		if err := byKind[instance.Foreign][0].Err; err != nil {
			return err
		}
		return part10.FileError(message.InputForeign, names[0], choose, format.ErrNoImages, "it is not a DICOM file")
	case len(byKind[instance.Index]) == len(names):
		return part10.FileError(message.InputForeign, names[0], message.Text("choose the folder that contains its images"), format.ErrNoImages, "it is an index of other files and has no image")
	case len(names) == 1:
		return part10.FileError(message.InputForeign, names[0], choose, errors.Join(format.ErrNoImages, format.ErrOthers), "it contains %s, which Quell does not open", otherObjects(byKind[instance.NoImage]))
	}
	for _, f := range byKind[instance.Foreign] {
		if f.Err != nil {
			return part10.FileError(message.InputForeign, ".", choose, errors.Join(format.ErrNoImages, format.ErrNotOpened),
				"none of the %d files contains a DICOM image that can be read (%v)", len(names), f.Err)
		}
	}
	if others := byKind[instance.NoImage]; len(others) > 0 {
		return part10.FileError(message.InputForeign, ".", choose, errors.Join(format.ErrNoImages, format.ErrOthers), "it contains %s, which Quell does not open", otherObjects(others))
	}
	return part10.FileError(message.InputForeign, ".", choose, format.ErrNoImages, "none of the %d files contains a DICOM image", len(names))
}

// reportFiles adds the findings about files that belong to no series.
func (c *Catalog) reportFiles(byKind map[instance.Kind][]*instance.Instance) {
	add := func(kind series.Kind, one, many message.Message, files []*instance.Instance) {
		if len(files) == 0 {
			return
		}
		text := one
		if len(files) > 1 {
			text = many
		}
		c.Findings = append(c.Findings, series.Finding{Severity: series.Note, Kind: kind, Text: text, Files: namesOf(files)})
	}
	var foreign []*instance.Instance
	for _, f := range byKind[instance.Foreign] {
		if f.Err == nil {
			foreign = append(foreign, f)
			continue
		}
		c.Findings = append(c.Findings, series.Finding{Severity: series.Refused, Kind: series.Unreadable,
			Text: message.Text("%s.", f.Err), Files: []string{f.Name}})
	}
	for _, f := range byKind[instance.Image] {
		if assemble.IsOrphan(f.Slices[0]) {
			c.Findings = append(c.Findings, series.Finding{Severity: series.Refused, Kind: series.Damaged,
				Text: message.Text("%s; its series is unknown.", f.Err), Files: []string{f.Name}})
		}
	}
	add(series.Foreign, message.Text("One file is not DICOM."), message.Text("%d files are not DICOM.", len(foreign)), foreign)
	add(series.Index, message.Text("One file is an index (DICOMDIR); the images were found without it."),
		message.Text("%d files are indexes (DICOMDIR); the images were found without them.", len(byKind[instance.Index])), byKind[instance.Index])
	add(series.NoImage, message.Text("One DICOM file has no image."), message.Text("%d DICOM files have no image.", len(byKind[instance.NoImage])), byKind[instance.NoImage])
}

// namesOf lists files, but not too many.
func namesOf(files []*instance.Instance) []string {
	var out []string
	for _, f := range files[:min(len(files), assemble.ListedFiles)] {
		out = append(out, f.Name)
	}
	return out
}

// largest returns the index of the largest entry among the entries that can be loaded and
// the ones with a damaged file: a small series must not be opened instead of a large one
// in which a file is damaged.
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

// warnUnreadableNeighbours warns of unreadable files among the slices that have the
// same extension. A slice that is truncated before its first element is not recognised
// as DICOM, and if it was the last of its series there is no gap to report.
func warnUnreadableNeighbours(entries []assemble.Entry, foreign []*instance.Instance) {
	type place struct{ dir, ext string }
	placeOf := func(name string) place { return place{path.Dir(name), path.Ext(name)} }
	at := map[place][]*instance.Instance{}
	for _, f := range foreign {
		if p := placeOf(f.Name); p.ext != "" || f.Size == 0 {
			at[p] = append(at[p], f)
		}
	}
	for i := range entries {
		e := &entries[i]
		seen := map[place]bool{}
		var near []*instance.Instance
		for _, s := range e.Stack {
			if p := placeOf(s.Name); !seen[p] {
				seen[p] = true
				near = append(near, at[p]...)
			}
		}
		slices.SortFunc(near, func(a, b *instance.Instance) int { return cmp.Compare(a.Name, b.Name) })
		if len(near) > 0 {
			e.Findings = append(e.Findings, series.Finding{Severity: series.Warning, Kind: series.Foreign,
				Text:  message.Text("%s named like the slices and could not be read as DICOM; a slice may be missing here.", message.Count(len(near), "file is", "files are")),
				Files: namesOf(near)})
		}
	}
}

// otherObjects says what DICOM files without an image hold: "2 Parametric Maps, 1 structured report".
func otherObjects(files []*instance.Instance) message.Message {
	counts := map[string]int{} // by the first SOP class of a kind
	for _, f := range files {
		counts[kindOf(f.SOPClass)]++
	}
	var all []message.Message
	for _, kind := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) }) {
		all = append(all, countOf(kind, counts[kind]))
	}
	return message.Join(", ", all...)
}

// The beginnings of the SOP class UIDs of some kinds of objects.
const (
	presentationStates = "1.2.840.10008.5.1.4.1.1.11."
	segmentations      = "1.2.840.10008.5.1.4.1.1.66.4"
	reports            = "1.2.840.10008.5.1.4.1.1.88."
	radiotherapy       = "1.2.840.10008.5.1.4.1.1.481."
)

// kindOf returns what stands for the kind of a SOP class: the beginning of its UID, or the UID.
func kindOf(class string) string {
	for _, start := range []string{presentationStates, segmentations, reports, radiotherapy} {
		if strings.HasPrefix(class, start) {
			return start
		}
	}
	return class
}

// countOf says that there are n objects of a kind.
func countOf(kind string, n int) message.Message {
	switch kind {
	case part10.ParametricMap:
		return message.Count(n, "Parametric Map", "Parametric Maps")
	case presentationStates:
		return message.Count(n, "presentation state", "presentation states")
	case segmentations:
		return message.Count(n, "segmentation", "segmentations")
	case reports:
		return message.Count(n, "structured report", "structured reports")
	case radiotherapy:
		return message.Count(n, "radiotherapy object", "radiotherapy objects")
	}
	return message.Text("%d of %s", n, part10.ClassName(kind))
}

// findMissing reports the files that an index lists and that are not among names: a
// missing slice at the end of a series leaves no gap, and neither does a missing
// series. An index without any of its files here belongs to another folder.
func findMissing(index *instance.Instance, names []string) []series.Finding {
	here := map[string]bool{}
	for _, name := range names {
		here[onMedium(name)] = true
		here[onMedium(strings.TrimSuffix(name, path.Ext(name)))] = true
	}
	// The paths of a folder copied from a medium have lost their first parts.
	found := func(name string) bool {
		for rest, ok := name, true; ok; _, rest, ok = strings.Cut(rest, "/") {
			if here[onMedium(path.Join(path.Dir(index.Name), rest))] {
				return true
			}
		}
		return false
	}
	missing := slices.DeleteFunc(slices.Clone(index.ReferencedFiles), found)
	if len(missing) == 0 || len(missing) == len(index.ReferencedFiles) {
		return nil
	}
	slices.Sort(missing)
	return []series.Finding{{Severity: series.Warning, Kind: series.Missing,
		Text: message.Text("The index %s lists %s, of which %d cannot be found here; look where the folder was copied from.",
			index.Name, message.Count(len(index.ReferencedFiles), "file", "files"), len(missing)),
		Files: missing[:min(len(missing), assemble.ListedFiles)]}}
}

// onMedium returns a path as it is spelled on media, which have upper case only. Copies
// from a CD may keep its version suffix.
func onMedium(name string) string {
	name = strings.TrimSuffix(strings.ToUpper(name), ";1")
	return strings.TrimSuffix(name, ".")
}
