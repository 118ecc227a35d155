package batch

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"quell/app"
	"quell/internal/parallel"
	"quell/series"
)

// task is one series to be done.
type task struct {
	unit    Unit
	catalog *app.Catalog
	index   int    // in the catalog
	result  Result // what is known before it is read
	done    func()
}

// scan opens a unit and emits a task for every series of it that is to be done and has no
// result yet. Results of series that the unit does not hold any more are removed.
func (b *batch) scan(ctx context.Context, u Unit, emit func(task)) (*app.Catalog, error) {
	var catalog *app.Catalog
	var err error
	if u.Folder {
		catalog, err = app.ScanFolder(ctx, u.Path)
	} else {
		catalog, err = app.Scan(ctx, u.Path)
	}
	known := map[string]bool{}
	defer func() {
		if ctx.Err() == nil {
			b.forget(u, known)
		}
	}()
	if errors.Is(err, app.ErrNoImages) {
		return nil, nil // documents, tables, pictures
	}
	if err != nil {
		known[identify(u.Name, "")] = true
		return nil, err
	}
	if u.Series != nil && *u.Series >= len(catalog.Entries) {
		known[identify(u.Name, "")] = true
		return catalog, &app.InputError{Path: u.Path, Problem: fmt.Sprintf("holds %d series, counted from 0; there is no series %d", len(catalog.Entries), *u.Series), Advice: "see quell info"}
	}
	var digest string // of the file; found when the first series needs it
	for i, e := range catalog.Entries {
		if ctx.Err() != nil {
			return catalog, nil
		}
		r := b.describe(u, catalog, i, known)
		known[r.ID] = true
		if u.Series != nil && *u.Series != i {
			continue
		}
		if e.Err == nil {
			taken, err := b.selection.Takes(ctx, u, e)
			if err != nil {
				b.finish(u, b.fail(u, r, err))
				continue
			}
			if !taken {
				b.progress.unselected()
				continue
			}
		}
		if e.Err != nil {
			b.finish(u, b.fail(u, r, e.Err))
			continue
		}
		if b.reuse(u, &r, e, &digest) {
			b.finish(u, &r)
			b.progress.part(u, e.Bytes, true)
			continue
		}
		emit(task{unit: u, catalog: catalog, index: i, result: r})
	}
	return catalog, nil
}

// describe returns what is known of a series before it is read. known are the series of the
// unit that were described before.
func (b *batch) describe(u Unit, c *app.Catalog, i int, known map[string]bool) Result {
	e := c.Entries[i]
	mark := e.UID + "\n" + e.Component + "\n" + e.Part
	id := identify(u.Name, mark)
	for n := 2; known[id]; n++ {
		id = identify(u.Name, mark, strconv.Itoa(n))
	}
	r := Result{
		ID: id, Settings: b.settings, Unit: u.Name, Format: e.Format, Modality: e.Modality, Dims: e.Geometry.Dims, Quell: app.Version(),
	}
	if len(c.Entries) > 1 || strings.HasPrefix(e.Format, "DICOM") {
		r.Series = strings.Join(words(e.Number, e.Description, e.Component, e.Part), ", ")
	}
	if r.Output = u.Output; r.Output == "" {
		r.Output = outputOf(u, e, id)
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
func outputOf(u Unit, e app.Entry, id string) string {
	name := strings.SplitN(u.Name, "#", 2)[0]
	if !strings.HasPrefix(e.Format, "DICOM") && app.IsNIfTI(name) {
		base, ext := name, ""
		for _, x := range []string{".nii.gz", ".nii", ".hdr.gz", ".hdr"} {
			if n := len(name) - len(x); n > 0 && strings.EqualFold(name[n:], x) {
				base, ext = name[:n], strings.TrimSuffix(x, "r.gz")
				if x == ".hdr.gz" {
					ext = ".hdr"
				}
				break
			}
		}
		if part := slug(e.Part); part != "" {
			base += "_" + part
		}
		return base + ext
	}
	if !u.Folder { // a zip, an index or a file
		if path.Base(name) == "DICOMDIR" {
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

// reuse finds the key of a series, and reports whether its output is there already. digest is
// that of the unit's file, "" before it is known.
func (b *batch) reuse(u Unit, r *Result, e app.Entry, digest *string) bool {
	before, known := b.store.load(r.ID)
	if r.Digest = e.Identity(); r.Digest == "" {
		r.Stamp = stampOf(u.Path)
		switch {
		case *digest != "":
		case known && before.Stamp == r.Stamp && before.Digest != "":
			*digest = before.Digest
		default:
			sum, err := digestOf(u.Path)
			if err != nil {
				return false // reading it fails as well and is reported
			}
			*digest = sum
		}
		r.Digest = *digest
	}
	key, err := b.hash(r.Digest, e.Component, e.Part)
	if err != nil {
		return false
	}
	r.Key = key
	if !known || before.Key != key || before.Output != r.Output || before.State != Done || !b.store.holds(before) {
		return false
	}
	stale := before.Settings != b.settings || before.Stamp != r.Stamp
	before.Settings, before.Stamp, before.Reused = b.settings, r.Stamp, true
	if stale && b.store.save(before) != nil {
		return false
	}
	*r = before
	return true
}

// forget removes the results of series that a unit does not hold any more.
func (b *batch) forget(u Unit, known map[string]bool) {
	for _, id := range b.former[u.Name] {
		if !known[id] {
			b.store.remove(id)
		}
	}
}

// failure returns the result of a unit that cannot be scanned, nil after a cancel.
func (b *batch) failure(u Unit, err error) *Result {
	return b.fail(u, Result{ID: identify(u.Name, ""), Settings: b.settings, Unit: u.Name, Quell: app.Version()}, err)
}

// fail makes a failure of a result, nil after a cancel. The row names the unit already, so the
// sentence does not.
func (b *batch) fail(u Unit, r Result, err error) *Result {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	text := strings.Join(strings.Fields(err.Error()), " ")
	if u.Path != "" {
		text = strings.TrimPrefix(strings.ReplaceAll(text, u.Path+"/", ""), u.Path+": ")
	}
	r.State, r.Problem, r.Code, r.Output, r.Finished = Failed, text, app.ExitCode(err), "", time.Now()
	return &r
}

// do does one series; nil after a cancel. A panic is a failure of this series alone.
func (b *batch) do(ctx context.Context, t task) *Result {
	r := t.result
	err := parallel.Protect(func() error { return b.series(ctx, t, &r) })
	if ctx.Err() == nil {
		b.progress.part(t.unit, t.catalog.Entries[t.index].Bytes, false)
	}
	if err != nil {
		return b.fail(t.unit, t.result, err)
	}
	return &r
}

// series reads, filters, measures and writes one series.
func (b *batch) series(ctx context.Context, t task, r *Result) error {
	e := t.catalog.Entries[t.index]
	if e.Identity() != "" {
		first, err := b.store.claim(r.Key, owner{ID: r.ID, Input: r.Input(), Path: t.unit.Path})
		if err != nil {
			return err
		}
		if first.ID != r.ID {
			r.State, r.SameAs, r.Output, r.Finished = Duplicate, first.Input, "", time.Now()
			return nil
		}
	}
	bytes := needs(e)
	if bytes > b.o.Memory {
		return fmt.Errorf("it needs about %s of memory, and the batch may take %s; give --memory, or run it on a larger machine", sizeText(bytes), sizeText(b.o.Memory))
	}
	if err := b.memory.Acquire(ctx, bytes); err != nil {
		return err
	}
	defer b.memory.Release(bytes)

	started := time.Now()
	s, err := t.catalog.Load(ctx, t.index, nil)
	if err != nil {
		return err
	}
	r.Seconds.Load = time.Since(started).Seconds()
	out := b.store.outputPath(r.Output)
	if err := app.CheckOutput(s, out, b.o.Job.Output.ExportOptions); err != nil {
		return err
	}
	b.stopped(loaded)
	report, err := b.denoise(ctx, s, r)
	if err != nil {
		return err
	}
	b.stopped(filtered)

	started = time.Now()
	m, err := app.MeasureRun(ctx, report.Run, nil)
	if err != nil {
		return err
	}
	r.Sigma, r.SigmaConfidence = m.Sigma, string(m.SigmaConfidence)
	r.Verdict, r.Confidence, r.Why = string(m.Verdict), string(m.Confidence), m.Why
	if r.Picture, err = picture(ctx, report.Run); err != nil {
		return err
	}
	r.Seconds.Measure = time.Since(started).Seconds()

	job := b.o.Job
	job.Output.Path = out
	wrote, err := app.DoOn(ctx, app.On{Series: s, Run: report.Run}, job, app.Events{})
	if err != nil {
		return err
	}
	b.stopped(written)
	r.Seconds.Write = wrote.Seconds.Write
	for _, f := range s.Findings {
		if f.Severity > series.Note {
			r.Warnings = append(r.Warnings, f.Text)
		}
	}
	r.Warnings = append(append(r.Warnings, report.Warnings...), wrote.Warnings...)
	if err := b.store.describe(r); err != nil {
		return err
	}
	r.State, r.Finished = Done, time.Now()
	return nil
}

// denoise filters a series while no other one is filtered. A series on which the GPU fails is
// filtered by the CPU where the policy leaves the choice of the engine open.
func (b *batch) denoise(ctx context.Context, s *series.Series, r *Result) (app.Report, error) {
	b.filter.Lock()
	defer b.filter.Unlock()
	eng, err := b.pick()
	if err != nil {
		return app.Report{}, err
	}
	started := time.Now()
	report, err := app.DoOn(ctx, app.On{Series: s, Engine: eng}, b.o.Job, app.Events{})
	if policy := b.o.Job.Engine.Name; errors.Is(err, app.ErrEngineFailed) && (policy == "" || policy == "auto") {
		cpu, pickErr := app.PickEngine("cpu")
		if pickErr != nil {
			return app.Report{}, pickErr
		}
		r.Warnings = append(r.Warnings, fmt.Sprintf("The GPU failed (%v); the CPU filtered this series.", err))
		report, err = app.DoOn(ctx, app.On{Series: s, Engine: cpu}, b.o.Job, app.Events{})
	}
	if err != nil {
		return app.Report{}, err
	}
	r.Seconds.Filter = time.Since(started).Seconds()
	r.Engine, r.Device, r.Recipe = report.Engine, report.Device, report.Recipe
	return report, nil
}
