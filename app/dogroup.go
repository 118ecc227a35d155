package app

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/io/atomic"
	"quell/series"
)

// VolumeReport is what a job did with one volume of a 4-D series.
type VolumeReport struct {
	Series   int             `json:"series"` // its number in the catalog
	Place    series.Place    `json:"place"`
	Name     string          `json:"name"`            // the place in words
	Noise    *noise.Figure   `json:"noise,omitempty"` // nil where the job did not need it
	Engine   string          `json:"engine,omitempty"`
	Recipe   *denoise.Recipe `json:"recipe,omitempty"` // as run: plain numbers
	Tuned    *Tuned          `json:"tuned,omitempty"`
	NoiseMap *MapRecord      `json:"noise_map,omitempty"`
	Measures *Measures       `json:"measures,omitempty"`
	Seconds  Seconds         `json:"seconds"`
	Slabs    *Slabs          `json:"slabs,omitempty"` // where it is too large for memory
	Clipped  int64           `json:"clipped,omitempty"`
}

// groupWork is a job on a 4-D series in progress.
type groupWork struct {
	job    Job
	engine denoise.Engine
	in     *OpenedVolumes
	events Events
	each   func(done VolumeReport, run *Run) // called with the run of each volume; nil for nothing
	ahead  bool                              // the next volume is read while one is worked on

	maps     Maps // from files, the same for all volumes
	output   *groupExport
	removed  *groupExport    // nil where it is not asked for
	scales   *scalesExport   // nil where they are not asked for
	pictures [][]pictureFile // of each volume, where they are asked for
	devices  denoise.DeviceLog
	report   Report
}

// loaded is a volume that was read, or why it was not.
type loaded struct {
	series *series.Series
	err    error
}

// readsAhead reports whether the memory of a job on a 4-D series also holds the next volume.
func (j Job) readsAhead(in *OpenedVolumes) bool {
	g := in.geometry()
	return j.needs(in)+4*int64(g.Voxels()) <= j.limit()
}

// doGroup does a job on the volumes of a 4-D series, one after another. Where the memory allows
// it the next volume is read while one is worked on: three volumes are in memory at a time.
func doGroup(ctx context.Context, g *groupWork) (Report, error) {
	if err := checkGroupOutput(g.job.Output); err != nil {
		return Report{}, err
	}
	defer g.close()
	begun := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	next, free := make(chan loaded), make(chan struct{}, 1)
	reading := make(chan struct{})
	defer func() { cancel(); <-reading }() // before the files are closed
	go func() {
		defer close(reading)
		for k := range g.in.Entries {
			if !g.ahead && k > 0 {
				select {
				case <-free:
				case <-ctx.Done():
					return
				}
			}
			s, err := g.in.volumes.Load(ctx, k, nil)
			select {
			case next <- loaded{s, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	for k := range g.in.Entries {
		started := time.Now()
		var in loaded
		select {
		case in = <-next:
		case <-ctx.Done():
			return Report{}, ctx.Err()
		}
		if in.err != nil {
			return Report{}, in.err
		}
		if progress := g.events.files(Reading); progress != nil {
			progress(k+1, len(g.in.Entries))
		}
		if err := g.volume(ctx, k, in.series, time.Since(started)); err != nil {
			return Report{}, err
		}
		if !g.ahead {
			in = loaded{}
			runtime.GC() // before the next volume takes the memory of this one
			free <- struct{}{}
		}
	}
	r, err := g.finish(ctx)
	if err == nil {
		r.Seconds.Total = time.Since(begun).Seconds()
	}
	return r, err
}

// DoGroup is Do for all volumes of the 4-D series that entry i of an open catalog belongs to.
// The job's input is not used; its engine policy says whether the CPU takes over where the
// engine fails. each, which may be nil, is called with the run of every volume, in order.
func (c *Catalog) DoGroup(ctx context.Context, i int, engine denoise.Engine, job Job, events Events, each func(done VolumeReport, run *Run)) (Report, error) {
	if err := job.validateWork(); err != nil {
		return Report{}, err
	}
	selected, err := c.Select(Input{Path: c.Path, Series: &i, All: true})
	if err != nil {
		return Report{}, err
	}
	if selected.Group == nil {
		return Report{}, Usagef("%s: series %d is in no 4-D series", c.Path, i+1)
	}
	volumes := c.Volumes(selected.Entries)
	defer volumes.Close()
	selected.Covered.Text = "" // the others were not chosen
	in := &OpenedVolumes{Selection: selected, Catalog: c, volumes: volumes, events: events}
	return doGroup(ctx, &groupWork{job: job, engine: engine, in: in, events: events, each: each, ahead: job.readsAhead(in)})
}

// volume does the job on volume k. waited is the time until it was read.
func (g *groupWork) volume(ctx context.Context, k int, s *series.Series, waited time.Duration) error {
	s, err := g.job.Evened(s)
	if err != nil {
		return err
	}
	w := &work{job: g.job, on: On{Series: s, Engine: g.engine, Maps: g.maps}, fallback: true, findings: s.Findings, events: g.volumeEvents(k)}
	started := time.Now()
	if err := w.check(); err != nil {
		return err
	}
	if k == 0 {
		if err := g.begin(ctx, w); err != nil {
			return err
		}
	}
	w.maps = g.maps
	w.seconds.Load = waited.Seconds() + time.Since(started).Seconds()
	if err := w.compute(ctx); err != nil {
		return err
	}
	started = time.Now()
	e, err := w.result()
	if err != nil {
		return err
	}
	written, err := g.output.add(ctx, k, e)
	if err != nil {
		return err
	}
	if g.removed != nil {
		if _, err := g.removed.add(ctx, k, removedExport(w.run)); err != nil {
			return err
		}
	}
	if err := g.show(ctx, w.run); err != nil {
		return err
	}
	w.seconds.Write = time.Since(started).Seconds()
	w.seconds.Total = w.seconds.Load + w.seconds.Filter + w.seconds.Measure + w.seconds.Write
	g.add(k, w, written)
	if g.each != nil && w.run != nil {
		g.each(g.report.Volumes[k], w.run)
	}
	return nil
}

// show writes the scales of a run and draws its pictures, where they are asked for.
func (g *groupWork) show(ctx context.Context, run *Run) error {
	if g.scales != nil {
		if err := g.scales.add(ctx, run); err != nil {
			return err
		}
	}
	if g.job.Output.Pictures == "" {
		return nil
	}
	drawn, err := Draw(ctx, run)
	if err != nil {
		return err
	}
	files, err := drawn.encode()
	g.pictures = append(g.pictures, files)
	return err
}

// begin checks the space for all volumes, reads the maps and begins the outputs.
func (g *groupWork) begin(ctx context.Context, w *work) error {
	out := g.job.Output
	if err := atomic.CheckSpace(out.Path, g.outputSize(w)); err != nil {
		return err
	}
	if err := w.loadMaps(ctx); err != nil {
		return err
	}
	g.maps = w.maps
	return g.beginOutputs()
}

// outputSize is that of all volumes, of which w works on the first. A DICOM file with frames of
// several volumes counts once, and its frames once more: they wait on the disk for the last.
func (g *groupWork) outputSize(w *work) int64 {
	out, n := g.job.Output, int64(len(g.in.Entries))
	size := outputSize(w.on.Series, w.region, out.Path, out.ExportOptions)
	if !FormatOf(out.Path).Identity || !hasDICOM(w.on.Series) {
		return n * size
	}
	files, first := map[string]bool{}, int64(0) // and how many of them the first volume has
	for k, i := range g.in.Entries {
		for _, name := range g.in.Catalog.Entries[i].files() {
			files[name] = true
		}
		if k == 0 {
			first = int64(len(files))
		}
	}
	if all := int64(len(files)); all != n*first {
		return size*all/first + n*2*int64(w.region.Voxels())
	}
	return n * size
}

// beginOutputs begins the outputs that the job asks for.
func (g *groupWork) beginOutputs() (err error) {
	out := g.job.Output
	if out.Pictures != "" { // of each volume, before any is filtered
		gate := Gate{Inputs: []string{g.job.Input.Path}, Overwrite: out.Overwrite}
		for k := range g.in.Entries {
			gate.Outputs = append(gate.Outputs, Target{"--pictures", filepath.Join(out.Pictures, g.in.Group.FolderName(k)), PicturesOutput})
		}
		if err := gate.Check(); err != nil {
			return err
		}
	}
	recorded := g.job.Recipe != nil || g.job.Noise != nil
	if g.output, err = beginGroup(out.Path, out.ExportOptions, g.in.Group, g.job.Recipe, recorded); err != nil {
		return err
	}
	if out.Removed != "" {
		if g.removed, err = beginGroup(out.Removed, removedOptions(out.Removed, out.ExportOptions), g.in.Group, nil, false); err != nil {
			return err
		}
	}
	if out.Scales != "" {
		g.scales, err = beginScales(out.Scales, len(g.in.Entries))
	}
	return err
}

// volumeEvents returns the events of volume k: progress is that of all volumes, and
// messages name the volume.
func (g *groupWork) volumeEvents(k int) Events {
	events := Events{}
	if g.events.Progress != nil {
		n := int64(len(g.in.Entries))
		events.Progress = func(step Step, done, total int64) { g.events.Progress(step, int64(k)*total+done, n*total) }
	}
	events.Message = func(severity series.Severity, text string) {
		g.events.message(severity, g.in.Group.Places[k].String()+": "+text)
	}
	return events
}

// add counts in the report of volume k, which is written.
func (g *groupWork) add(k int, w *work, written ExportReport) {
	if progress := g.events.files(Writing); progress != nil {
		progress(k+1, len(g.in.Entries))
	}
	one := w.report(written)
	r := &g.report
	if k == 0 {
		r.Engine, r.Device, r.Noise, r.Dims, r.Mask, r.NoiseMap, r.Parts, r.Resampled = one.Engine, one.Device, one.Noise, one.Dims, one.Mask, one.NoiseMap, one.Parts, one.Resampled
		r.Asked, r.Warnings, r.Findings = g.job.Recipe, []string{}, []series.Finding{}
	}
	for _, u := range one.Devices {
		g.devices.Add(u)
	}
	r.Devices = g.devices.All()
	r.Voxels += one.Voxels
	r.Seconds = r.Seconds.plus(one.Seconds)
	place := g.in.Group.Places[k]
	for _, text := range w.warnings {
		r.Warnings = append(r.Warnings, place.String()+": "+text)
	}
	for _, f := range w.findings {
		if k > 0 && hasFinding(r.Findings, f) {
			continue // as of a volume before
		}
		r.Findings = append(r.Findings, f)
		if f.Severity > series.Note {
			g.events.message(f.Severity, f.Text)
		}
	}
	if one.Measures != nil {
		one.Measures.Map = nil // as large as the volume
	}
	v := VolumeReport{
		Series: g.in.Entries[k], Place: place, Name: place.String(), Engine: one.Engine, Recipe: one.Recipe, Tuned: one.Tuned,
		NoiseMap: one.NoiseMap, Measures: one.Measures, Seconds: one.Seconds, Clipped: one.Clipped,
	}
	switch {
	case w.run != nil && w.run.Facts != nil:
		v.Noise = new(w.run.Facts.Noise.Figure)
	case w.measures != nil:
		v.Noise = &noise.Figure{Sigma: w.measures.Sigma, Confidence: w.measures.SigmaConfidence}
	}
	r.Volumes = append(r.Volumes, v)
}

// hasFinding reports whether a finding of the same kind and words is known.
func hasFinding(known []series.Finding, f series.Finding) bool {
	for _, o := range known {
		if o.Kind == f.Kind && o.Text == f.Text {
			return true
		}
	}
	return false
}

// finish completes the outputs.
func (g *groupWork) finish(ctx context.Context) (Report, error) {
	started := time.Now()
	written, err := g.output.commit(ctx)
	if err != nil {
		return Report{}, err
	}
	r := g.report
	if g.removed != nil {
		// The output is there: a cancel comes too late.
		more, err := g.removed.commit(context.WithoutCancel(ctx))
		if err != nil {
			return Report{}, err
		}
		for _, text := range more.Warnings {
			if !slices.Contains(written.Warnings, text) {
				written.Warnings = append(written.Warnings, text)
			}
		}
		r.Removed = more.Output
	}
	if g.scales != nil {
		if err := g.scales.commit(context.WithoutCancel(ctx)); err != nil {
			return Report{}, err
		}
	}
	for k, files := range g.pictures {
		dir := filepath.Join(g.job.Output.Pictures, g.in.Group.FolderName(k))
		if _, err := writePictures(files, dir, g.job.Output.Overwrite, g.job.Input.Path); err != nil {
			return Report{}, err
		}
	}
	for _, text := range written.Warnings {
		g.events.message(series.Warning, text)
	}
	r.Seconds.Write += time.Since(started).Seconds()
	r.Output, r.Files, r.Clipped, r.Record, r.Written = written.Output, written.Files, written.Clipped, written.Recipe, written
	r.Warnings = append(r.Warnings, written.Warnings...)
	r.Axis, r.Covered = g.in.Group.Axis(), g.in.Covered
	return r, nil
}

// close removes what was not committed and closes the files.
func (g *groupWork) close() {
	for _, w := range []*groupExport{g.output, g.removed} {
		if w != nil {
			w.close()
		}
	}
	if g.scales != nil {
		g.scales.close()
	}
}
