package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"quell/app/files"
	"quell/app/job"
	"quell/app/journal"
	"quell/app/open"
	"quell/internal/lockfile"
	"quell/internal/message"
	"quell/io/atomic"
)

// task is one series to be done.
type task struct {
	unit    Unit
	catalog *open.Catalog
	members []int        // in the catalog: one entry, or the entries of a 4-D series
	result  SeriesResult // known before it is read
	hold    *journal.Hold
	done    func()
}

// first returns the entry that stands for the series.
func (t task) first() open.Entry { return t.catalog.Entries[t.members[0]] }

// bytes returns the size of its files.
func (t task) bytes() (n int64) {
	for _, i := range t.members {
		n += t.catalog.Entries[i].Bytes
	}
	return n
}

// identity identifies the images of a DICOM series, see open.Entry.Identity.
func (t task) identity() string {
	var all []string
	for _, i := range t.members {
		id := t.catalog.Entries[i].Identity()
		if id == "" {
			return ""
		}
		all = append(all, id)
	}
	return identify(all...)
}

// scan opens a unit and emits a task for every series of it that is to be done and has no
// result yet. Results of series that the unit does not hold any more are removed.
func (b *batch) scan(ctx context.Context, u Unit, emit func(task)) (*open.Catalog, error) {
	var catalog *open.Catalog
	var err error
	if u.Folder {
		catalog, err = open.ScanFolder(ctx, u.Path)
	} else {
		catalog, err = open.Scan(ctx, u.Path)
	}
	if err == nil && b.o.Open != nil {
		if err = b.o.Open(u, catalog); err != nil {
			catalog.Close()
			catalog = nil
		}
	}
	if catalog != nil {
		catalog.Modality = b.o.Job.Input.Modality
	}
	var plain []open.Entry // with the texts that a selection asks for
	if catalog != nil {
		plain = slices.Clone(catalog.Entries)
		catalog.Conceal(b.hide)
	}
	known := map[string]bool{}
	defer func() {
		if ctx.Err() == nil {
			b.forget(u, known)
		}
	}()
	if errors.Is(err, open.ErrNoImages) {
		return nil, nil // documents, tables, pictures
	}
	if err != nil {
		known[identify(u.Name, "")] = true
		return nil, err
	}
	if u.Series != nil && *u.Series >= len(catalog.Entries) {
		known[identify(u.Name, "")] = true
		return catalog, &job.InputError{Path: u.Path, Problem: message.New(message.InputChoice, "contains %d series, counted from 1; there is no series %d", len(catalog.Entries), *u.Series+1), Advice: message.Text("see quell info")}
	}
	for i, e := range catalog.Entries {
		if e.Err != nil && (u.Series == nil || *u.Series == i) {
			r := b.describe(u, catalog, []int{i}, known)
			known[r.ID] = true
			b.finish(u, b.fail(u, r, e.Err))
		}
	}
	items := catalog.Items()
	if u.Series != nil {
		items = [][]int{{*u.Series}}
	}
	var digest string // of the file; found when the first series needs it
	for _, members := range items {
		e := catalog.Entries[members[0]]
		if ctx.Err() != nil || e.Err != nil {
			continue
		}
		r := b.describe(u, catalog, members, known)
		known[r.ID] = true
		taken, err := b.selection.Takes(ctx, u, plain[members[0]])
		switch {
		case err != nil:
			b.finish(u, b.fail(u, r, err))
			continue
		case !taken:
			b.progress.unselected()
			continue
		}
		t := task{unit: u, catalog: catalog, members: members, result: r}
		if b.reuse(&t, &digest) {
			done := &t.result
			if b.o.Finish != nil { // what belongs to the output may be gone
				if err := b.o.Finish(t.result); err != nil {
					done = b.fail(u, r, err)
				}
			}
			b.finish(u, done)
			b.progress.part(u, t.bytes(), true)
			continue
		}
		emit(t)
	}
	return catalog, nil
}

// describe returns the facts of a series that are known before it is read. known are the series of the
// unit that were described before.
func (b *batch) describe(u Unit, c *open.Catalog, members []int, known map[string]bool) SeriesResult {
	e := c.Entries[members[0]]
	if len(members) > 1 {
		e.Part = ""
	}
	mark := e.UID + "\n" + e.Component + "\n" + e.Part
	id := identify(u.Name, mark)
	for n := 2; known[id]; n++ {
		id = identify(u.Name, mark, strconv.Itoa(n))
	}
	r := SeriesResult{
		ID: id, Settings: b.settings, Made: b.made, Unit: u.Name, Format: e.Format, Modality: e.Modality, Dims: e.Geometry.Dims, Quell: job.Version(),
	}
	if len(members) > 1 {
		r.Volumes = len(members)
	}
	if len(c.Entries) > len(members) || files.FormatNamed(e.Format).Identity {
		r.Series = strings.Join(words(e.Number, e.Description, e.Component, e.Part), ", ")
	}
	if r.Output = u.Output; r.Output == "" {
		r.Output = outputOf(u, e, len(members) > 1, id)
	}
	return r
}

// words returns the texts that are not empty, each once.
func words(all ...string) (out []string) {
	for _, s := range all {
		if s != "" && !strings.Contains(strings.Join(out, ", "), s) {
			out = append(out, s)
		}
	}
	return out
}

// outputOf names the output of a series, relative to the batch's: a NIfTI or Analyze file like
// its input, a DICOM series by a folder that its number, description and id name, in the folder
// of the unit.
func outputOf(u Unit, e open.Entry, group bool, id string) string {
	name := strings.SplitN(u.Name, "#", 2)[0]
	if base, ext := files.SplitInput(name); ext != "" && !files.FormatNamed(e.Format).Folder() {
		if part := slug(e.Part); part != "" {
			base += "_" + part
		}
		if group && !files.Holds(ext, 2) {
			ext = ".nii" // which holds several volumes
		}
		return base + ext
	}
	if !u.Folder { // a zip, an index or a file
		if files.IsIndex(path.Base(name)) {
			name = path.Dir(name)
		} else {
			name = strings.TrimSuffix(name, path.Ext(name))
		}
	}
	return path.Join(name, slug(strings.Join(words(e.Number, e.Description, e.Part, id[:8]), "-")))
}

// slug makes a name of letters, digits, dots and dashes, of 100 bytes at most.
func slug(s string) string {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r != '.' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, part := range parts {
		parts[i] = strings.Trim(part, ".")
	}
	s = strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "-")
	for len(s) > 100 {
		_, rest, ok := strings.Cut(s, "-")
		if !ok {
			return s[len(s)-8:]
		}
		s = rest
	}
	return s
}

// reuse finds the key of a series, and reports whether its output is there already, with the
// verdict that is asked for. digest is the digest of the unit's file, "" before it is known.
func (b *batch) reuse(t *task, digest *string) bool {
	r, path, e := &t.result, t.unit.Path, t.first()
	before, known := b.store.results().Load(r.ID)
	if r.Digest = b.hide.Text("digest", t.identity()); r.Digest == "" {
		r.Stamp = stampOf(path)
		switch {
		case *digest != "":
		case known && before.Stamp == r.Stamp && before.Digest != "":
			*digest = before.Digest
		default:
			sum, err := digestOf(path)
			if err != nil {
				return false // reading it fails as well and is reported
			}
			*digest = b.hide.Text("digest", sum)
		}
		r.Digest = *digest
	}
	part := e.Part
	if r.Volumes > 0 {
		part = "all"
	}
	texts := []string{r.Digest, e.Component, part}
	if own := b.jobOf(t.unit.Name).MapFile(); own != b.o.Job.MapFile() {
		sum, err := digestOf(own)
		if err != nil {
			return false // likewise
		}
		texts = append(texts, sum)
	}
	key, err := b.hash(texts...)
	if err != nil {
		return false
	}
	r.Key = key
	if !known || before.Key != key || before.Output != r.Output || before.State != Done || !b.store.holds(*before, b.o.Verify) {
		return false
	}
	if !files.Exists(files.RecordPath(b.store.outputPath(before.Output))) {
		return false // it is made again with its output
	}
	if before.Judgement == "" && !b.o.WithoutVerdict {
		return false // it was left unjudged
	}
	stale := before.Settings != b.settings || before.Stamp != r.Stamp
	before.Settings, before.Made, before.Stamp, before.Reused = b.settings, b.made, r.Stamp, true
	if stale && b.store.results().Save(before.ID, before) != nil {
		return false
	}
	*r = *before
	return true
}

// forget removes the results of series that a unit does not hold any more.
func (b *batch) forget(u Unit, known map[string]bool) {
	for _, id := range b.former[u.Name] {
		if !known[id] {
			_ = b.store.results().Remove(id) // its output stays
		}
	}
}

// failure returns the result of a unit that cannot be scanned, nil after a cancel.
func (b *batch) failure(u Unit, err error) *SeriesResult {
	return b.fail(u, SeriesResult{ID: identify(u.Name, ""), Settings: b.settings, Made: b.made, Unit: u.Name, Quell: job.Version()}, err)
}

// fail makes a failure of a result, nil after a cancel. The row names the unit already, so the
// sentence does not.
func (b *batch) fail(u Unit, r SeriesResult, err error) *SeriesResult {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	if !errors.Is(err, errEnded) {
		err = b.hide.Error(err, u.Path)
	}
	text := strings.Join(strings.Fields(err.Error()), " ")
	if u.Path != "" {
		text = strings.TrimPrefix(strings.ReplaceAll(text, u.Path+"/", ""), u.Path+": ")
	}
	r.State, r.Problem, r.Code, r.Output, r.Finished = Failed, text, job.ExitCode(err), "", time.Now()
	return &r
}

// lockPrefix begins the names of lock files.
const lockPrefix = "lock-"

// lockName is the file that a process holds while it runs a shard.
func lockName(shard, shards int) string {
	return fmt.Sprintf("%s%d-of-%d", lockPrefix, shard+1, shards)
}

// takeLock takes a lock; again and again for a moment, as another shard that asks whether it is
// held holds it for that long.
func takeLock(path string) (held *lockfile.File, err error) {
	for range 5 {
		if held, err = lockfile.Take(path); !errors.Is(err, lockfile.ErrHeld) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return held, err
}

// lock makes the state folder and takes the lock of a shard. Batches that divide the series
// otherwise would do the same series twice, so they are refused too. The system gives the lock
// back when the process ends, however it ends.
func (s store) lock(shard, shards int) (release func(), err error) {
	for _, dir := range []string{filepath.Join(s.dir(), "results"), filepath.Join(s.dir(), "keys")} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, atomic.WriteError(s.out, err)
		}
	}
	own := lockName(shard, shards)
	held, err := takeLock(filepath.Join(s.dir(), own))
	if errors.Is(err, lockfile.ErrHeld) {
		return nil, job.Usagef("%s: another batch is writing there; wait for it, or choose another output", s.out)
	}
	if err != nil {
		return nil, atomic.WriteError(s.out, err)
	}
	release = func() {
		_ = os.Remove(s.notePath(shard, shards))
		_ = held.Release()
	}
	entries, err := os.ReadDir(s.dir())
	if err != nil {
		release()
		return nil, atomic.WriteError(s.out, err)
	}
	for _, e := range entries {
		_, others, ok := strings.Cut(e.Name(), "-of-")
		if !ok || !strings.HasPrefix(e.Name(), lockPrefix) || others == fmt.Sprint(shards) {
			continue
		}
		other, err := lockfile.Take(filepath.Join(s.dir(), e.Name()))
		if errors.Is(err, lockfile.ErrHeld) {
			release()
			return nil, job.Usagef("%s: a batch of %s shards is writing there; give the same --shard I/N to all, or wait for it", s.out, others)
		}
		if err == nil {
			_ = other.Release()
		}
	}
	return release, nil
}
