package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"quell/denoise"
	"quell/series"
	"quell/volume"
)

// Seconds are the times that the steps of a job took.
type Seconds struct {
	Start   float64 `json:"start,omitempty"` // of the engine
	Load    float64 `json:"load"`            // maps included
	Wait    float64 `json:"wait,omitempty"`  // of a batch: until no other series had the engine
	Filter  float64 `json:"filter"`          // noise included where it was added
	Measure float64 `json:"measure,omitempty"`
	Write   float64 `json:"write"` // after the filter: writing, reading back, the removed noise and pictures
	Total   float64 `json:"total"` // of the job; the steps before make it up
}

// plus returns the sums.
func (s Seconds) plus(o Seconds) Seconds {
	return Seconds{s.Start + o.Start, s.Load + o.Load, s.Wait + o.Wait, s.Filter + o.Filter, s.Measure + o.Measure, s.Write + o.Write, s.Total + o.Total}
}

// Report is what a job did.
type Report struct {
	Engine string `json:"engine,omitempty"`
	Device string `json:"device,omitempty"`
	// Devices are the GPUs that filtered, each with its time and its part of the work.
	Devices []denoise.DeviceUse `json:"devices,omitempty"`
	// Parts are the evenly spaced slices that were filtered by themselves, and Resampled
	// says how uneven slices became even ones.
	Parts     []series.Part      `json:"parts,omitempty"`
	Resampled *series.Resampling `json:"resampled,omitempty"`
	Recipe    *denoise.Recipe    `json:"recipe,omitempty"` // as run: plain numbers
	Asked     *denoise.Recipe    `json:"asked,omitempty"`  // as asked for: with "auto" and percentages
	Tuned     *Tuned             `json:"tuned,omitempty"`  // how the strength was found, where the recipe left it to "sure"
	Noise     *Noise             `json:"noise,omitempty"`  // that was added
	NoiseMap  *MapRecord         `json:"noise_map,omitempty"`
	Mask      *MapRecord         `json:"mask,omitempty"`
	Seconds   Seconds            `json:"seconds"`
	Voxels    int                `json:"voxels"` // of the result
	Dims      [3]int             `json:"dims"`   // of the result
	Measures  *Measures          `json:"measures,omitempty"`
	Output    string             `json:"output"`
	Removed   string             `json:"removed,omitempty"` // where what the filter removed was written
	Files     int                `json:"files"`
	Clipped   int64              `json:"clipped"`  // voxels that the output cannot store unchanged
	Warnings  []string           `json:"warnings"` // about the run and the output
	// Findings are those about the input, notes included.
	Findings []series.Finding `json:"findings"`
	Record   string           `json:"recipe_file,omitempty"` // the record written beside Output
	// Covered says how much of the input was worked on.
	Covered Coverage `json:"covered"`
	Slabs   *Slabs   `json:"slabs,omitempty"` // how a volume was filtered that is too large for memory
	// Axis is what the volumes of a 4-D series differ in, and Volumes what was done with
	// each, in its order. Recipe is nil then: each volume has its own.
	Axis    string         `json:"axis,omitempty"`
	Volumes []VolumeReport `json:"volumes,omitempty"`
	// Run is the finished run, where the job filters; Written is what the export did.
	Run     *Run         `json:"-"`
	Written ExportReport `json:"-"`
}

// Do does a job on a series, or on all volumes of a 4-D series, see Catalog.Select: it
// opens the input, starting the engine meanwhile, checks the output before any work, adds
// noise, filters, measures and exports. Where the engine policy is "auto" and the
// GPU fails, the CPU filters instead. After an error or a cancel the output has
// not been written, and the Report is zero. Pictures are drawn last.
//
// The workbench, which keeps a series open and shows a result before it is
// exported, does its jobs with DoOn.
//
// What a de-identified job reports, be it an error, has pseudonyms in place of the texts of its
// source.
func Do(ctx context.Context, job Job, events Events) (Report, error) {
	if err := job.Validate(); err != nil {
		return Report{}, err
	}
	if err := job.gate(job.Input.Path).Check(); err != nil {
		return Report{}, err
	}
	if job.Output.Deidentify {
		job.Input.hide, _ = NewPseudonyms() // the export warns of a key that cannot be stored
	}
	r, err := doOpening(ctx, job, events)
	return r, job.Input.hide.Error(err, job.Input.Path)
}

// doOpening is Do for a job that is valid.
func doOpening(ctx context.Context, job Job, events Events) (r Report, err error) {
	started := time.Now()
	start := job.startEngine()
	in, err := OpenVolumes(ctx, job.Input, events)
	if err != nil {
		return Report{}, err
	}
	defer in.Close()
	lost := ""
	engine := sync.OnceValues(func() (denoise.Engine, error) {
		eng, err := start()
		if why := job.Engine.Lost(eng); why != nil {
			lost = FallbackText(why, nil, eng, *job.Recipe, in.geometry(), len(in.Entries))
			events.message(series.Warning, lost)
		}
		return eng, err
	})
	defer func() {
		if err == nil && lost != "" {
			r.Warnings = append([]string{lost}, r.Warnings...)
		}
	}()
	in.Covered.slices(in, job.Slices)
	scanned := time.Now()
	if in.Group != nil && job.Output.Report != "" {
		return Report{}, Usagef("a report is of one series, and %s is a 4-D series of %d volumes; choose one with --series N", in.Catalog.Path, in.Group.Len())
	}
	if job.inSlabs(in) {
		r, err := doSlabs(ctx, job, in, job.needs(in), engine, events)
		if err == nil {
			r.Seconds.Total = time.Since(started).Seconds()
			r.Seconds.Load = r.Seconds.Total - r.Seconds.Start - r.Seconds.Filter - r.Seconds.Write
		}
		return r, err
	}
	if in.Group != nil {
		eng, err := engine()
		if err != nil {
			return Report{}, err
		}
		r, err := doGroup(ctx, &groupWork{job: job, engine: eng, in: in, events: events, ahead: job.readsAhead(in)})
		if err == nil {
			r.Seconds.Start = time.Since(scanned).Seconds() - r.Seconds.Total
			r.Seconds.Load += scanned.Sub(started).Seconds()
			r.Seconds.Total = time.Since(started).Seconds()
		}
		return r, err
	}
	s, err := in.Load(ctx, 0)
	if err != nil {
		return Report{}, err
	}
	measured := s
	if s, err = job.Evened(s); err != nil {
		return Report{}, err
	}
	if s != measured {
		events.message(series.Warning, s.Findings[len(s.Findings)-1].Text)
	}
	loaded := time.Now()
	var source *identity
	if job.Recipe != nil && job.Noise == nil {
		source = newIdentity(s.Volume) // while the engine starts and filters
	}
	eng, err := engine()
	if err != nil {
		return Report{}, err
	}
	w := &work{job: job, on: On{Series: s, Engine: eng}, source: source, fallback: true, findings: s.Findings, events: events}
	w.seconds = Seconds{Load: loaded.Sub(started).Seconds(), Start: time.Since(loaded).Seconds()}
	r, err = do(ctx, w)
	if err == nil {
		r.Covered = in.Covered
		r.Seconds.Total = time.Since(started).Seconds()
	}
	return r, err
}

// startEngine begins to look for the engine of a job that filters, on another goroutine: to
// start a GPU takes about as long as to read a series. engine waits for it.
func (j Job) startEngine() (engine func() (denoise.Engine, error)) {
	if j.Recipe == nil {
		return func() (denoise.Engine, error) { return nil, nil } //nolint:nilnil // no engine is needed
	}
	engine = sync.OnceValues(j.Engine.pick)
	go func() { _, _ = engine() }() // its error comes again
	return engine
}

// On is what a job works on where it is in memory already, as in the workbench.
type On struct {
	Series *series.Series
	Engine denoise.Engine // filters; where it fails, the error is returned
	Facts  *denoise.Facts // of Series; nil where they are not known
	Maps   Maps           // steer the filter, where the job names none
	// Run is a finished run of the job's recipe on Series, which is then not
	// filtered again; nil for none.
	Run *Run
}

// DoOn is Do for a series that is open. The job's input and engine policy are not
// used. A job without an output path writes nothing: the run is in the report.
func DoOn(ctx context.Context, on On, job Job, events Events) (Report, error) {
	if err := job.validateWork(); err != nil {
		return Report{}, err
	}
	return do(ctx, &work{job: job, on: on, run: on.Run, events: events})
}

// do takes the steps of a job.
func do(ctx context.Context, w *work) (Report, error) {
	started := time.Now()
	defer func() { w.early.discard() }()
	if err := w.check(); err != nil {
		return Report{}, err
	}
	if w.run == nil {
		if err := w.loadMaps(ctx); err != nil {
			return Report{}, err
		}
		w.seconds.Load += time.Since(started).Seconds()
		if err := w.compute(ctx); err != nil {
			return Report{}, err
		}
	} else {
		w.seconds.Filter = w.run.Filter.Seconds()
	}
	if w.job.Output.Path == "" {
		return w.report(ExportReport{}), nil
	}
	writing := time.Now()
	written, err := w.export(ctx)
	if err != nil {
		return Report{}, err
	}
	w.seconds.Write = time.Since(writing).Seconds()
	return w.report(written), nil
}

// work is a job in progress.
type work struct {
	job      Job
	on       On
	source   *identity // of what is filtered, where it is looked for already
	fallback bool      // to another engine, where the job's policy allows one
	seconds  Seconds
	findings []series.Finding // about the input
	events   Events

	recipe   denoise.Recipe
	region   volume.Region
	maps     Maps
	noisy    *series.Series // nil where no noise is added
	run      *Run           // nil where nothing is filtered
	early    *earlyWrite    // of the result of run; nil where it is written when it is complete
	measures *Measures
	removed  string   // where what the filter removed was written
	warnings []string // about the run
}

// check finds what would stop the job after hours of filtering.
func (w *work) check() error {
	s, out := w.on.Series, w.job.Output
	w.region = s.Volume.Bounds()
	switch {
	case w.job.Recipe != nil:
		if err := w.checkFilter(); err != nil {
			return err
		}
	case w.job.Noise == nil:
		if err := checkConversion(s, out.Path); err != nil {
			return err
		}
	}
	if out.Path == "" {
		return nil
	}
	if err := checkOptions(s, out.Path, out.ExportOptions); err != nil {
		return err
	}
	if out.Removed != "" {
		if err := checkOptions(s, out.Removed, removedOptions(out.Removed, out.ExportOptions)); err != nil {
			return err
		}
	}
	if out.Scales != "" {
		if err := checkScales(w.recipe, out.Scales); err != nil {
			return err
		}
	}
	if err := w.job.gate(sourcesOf(s)...).Check(); err != nil {
		return err
	}
	return checkSpace(s, w.region, out.Path, out.ExportOptions)
}

// checkFilter determines the recipe and the region to filter.
func (w *work) checkFilter() (err error) {
	s := w.on.Series
	w.recipe = *w.job.Recipe
	if w.job.AutoDims {
		if w.recipe.Dims, err = ProposeDims(s, w.recipe.Filter); err != nil {
			return err
		}
	}
	if w.region, err = w.job.Slices.Region(s.Volume.Geometry); err != nil {
		return err
	}
	return checkRecipe(s, w.recipe, w.job.Uneven == UnevenSplit)
}

// loadMaps takes the maps that the job names, or those that are open.
func (w *work) loadMaps(ctx context.Context) (err error) {
	w.maps = w.on.Maps
	if w.job.NoiseMap != "" || w.job.Mask != "" {
		w.maps, err = w.job.loadMaps(ctx, w.on.Series)
	}
	return err
}

// compute adds noise, filters and measures.
func (w *work) compute(ctx context.Context) error {
	s := w.on.Series
	started := time.Now()
	defer func() { w.seconds.Filter = time.Since(started).Seconds() - w.seconds.Measure }()
	if w.job.Noise != nil {
		noisy, err := AddNoise(ctx, s, *w.job.Noise)
		if err != nil {
			return err
		}
		w.noisy, s = noisy, noisy
	}
	if w.job.Recipe == nil {
		return nil
	}
	maps, err := w.maps.estimate(ctx, w.job, s)
	if err != nil {
		return err
	}
	q := RunRequest{Series: s, Recipe: w.recipe, Maps: maps, Region: w.region, Facts: w.on.Facts, Split: w.job.Uneven == UnevenSplit, Follow: w.follow(ctx)}
	eng := w.on.Engine
	run, err := Denoise(ctx, eng, q, w.events.progress(Filtering))
	if other, ok := w.job.Engine.fallback(); ok && w.fallback && errors.Is(err, ErrEngineFailed) {
		w.warn(FallbackText(err, eng, other, w.recipe, s.Volume.Geometry, 1))
		eng = other
		run, err = Denoise(ctx, eng, q, w.events.progress(Filtering))
	}
	if err != nil {
		return err
	}
	w.run = run
	if text := run.autoWarning(); text != "" {
		w.warn(text)
	}
	if run.Tuned != nil {
		for _, doubt := range run.Tuned.Doubts {
			w.warn(doubt)
		}
	}
	if run.Parts != nil {
		text := fmt.Sprintf("The slices %s are evenly spaced and were filtered by themselves", partsText(run.Parts))
		if run.Tuned != nil && run.Tuned.Part != nil {
			text += fmt.Sprintf(", with the strength that is best for %s", partsText([]series.Part{*run.Tuned.Part}))
		}
		if w.job.Measure {
			text += "; such a result is not judged, as that would filter across the parts"
		}
		w.warn(text + ".")
	}
	if !w.job.Measure || run.Parts != nil {
		return nil
	}
	measuring := time.Now()
	var reference *series.Series
	if w.noisy != nil {
		reference = w.on.Series
	}
	m, err := MeasureRun(ctx, eng, run, reference)
	w.measures, w.seconds.Measure = &m, time.Since(measuring).Seconds()
	return err
}

// warn adds a warning about the run.
func (w *work) warn(text string) {
	w.warnings = append(w.warnings, text)
	w.events.message(series.Warning, text)
}

// result returns the export of what was computed.
func (w *work) result() (export, error) {
	switch options := w.job.Output.ExportOptions; {
	case w.run != nil:
		e, err := exportOf(w.run, options)
		if err == nil {
			e.record.found = w.source
		}
		return e, err
	case w.noisy != nil:
		return noisyExport(w.on.Series, w.noisy, *w.job.Noise, options)
	}
	return conversionOf(w.on.Series), nil
}

// write writes the result, unless that has begun already.
func (w *work) write(ctx context.Context, progress func(done, total int)) (ExportReport, error) {
	if report, err := w.early.finish(); err == nil {
		if progress != nil {
			progress(report.Files, report.Files)
		}
		return report, nil
	}
	e, err := w.result()
	if err != nil {
		return ExportReport{}, err
	}
	return write(ctx, e, w.job.Output.Path, w.job.Output.ExportOptions, progress)
}

// export writes the result and the pictures.
func (w *work) export(ctx context.Context) (report ExportReport, err error) {
	options, progress := w.job.Output.ExportOptions, w.events.files(Writing)
	if report, err = w.write(ctx, progress); err != nil {
		return report, err
	}
	if removed := w.job.Output.Removed; removed != "" {
		// The output is there: a cancel comes too late.
		more, err := ExportRemoved(context.WithoutCancel(ctx), w.run, removed, removedOptions(removed, options), progress)
		if err != nil {
			return report, err
		}
		report.Warnings = append(report.Warnings, more.Warnings...)
		w.removed = more.Output
	}
	if scales := w.job.Output.Scales; scales != "" {
		// The output is there: a cancel comes too late.
		if err := ExportScales(context.WithoutCancel(ctx), w.run, scales, options); err != nil {
			return report, err
		}
	}
	if w.job.Output.Pictures != "" {
		// The output is there: a cancel comes too late.
		if _, err := Pictures(context.WithoutCancel(ctx), w.run, w.job.Output.Pictures, options.Overwrite); err != nil {
			return report, err
		}
	}
	if out := w.job.Output; out.Report != "" {
		// The output is there: a cancel comes too late.
		page := Page{Run: w.run, Measures: w.measures, Hide: out.Deidentify, Now: out.Now}
		if err := page.Write(context.WithoutCancel(ctx), out.Report, out.Overwrite); err != nil {
			return report, err
		}
	}
	for _, text := range report.Warnings {
		w.events.message(series.Warning, text)
	}
	return report, nil
}

func (w *work) report(written ExportReport) Report {
	g := w.on.Series.Volume.Geometry
	r := Report{
		Noise: w.job.Noise, Voxels: g.Voxels(), Dims: g.Dims, Measures: w.measures,
		Seconds: w.seconds,
		Output:  written.Output, Removed: w.removed, Files: written.Files, Clipped: written.Clipped,
		Run: w.run, Written: written, Warnings: append(append([]string{}, w.warnings...), written.Warnings...), Findings: append([]series.Finding{}, w.findings...), Record: written.Recipe,
	}
	r.Resampled = w.on.Series.Resampled
	if run := w.run; run != nil {
		r.Parts = run.Parts
		// Copies: a report and a record outlive the volumes of a run.
		r.Engine, r.Device, r.Recipe, r.Asked = run.Engine.Name, run.Engine.Device, new(run.Resolved), new(run.Recipe)
		r.Tuned, r.Devices = run.Tuned, run.Devices
		r.Voxels, r.Dims = run.Region.Voxels(), run.Region.Dims()
		r.NoiseMap, r.Mask = run.Maps.records()
	}
	return r
}
