// Package executor does jobs: each volume of a Source is read, given noise, filtered and passed to
// Sinks, as a whole or slab by slab if the plan of memory says so. It is the only code that does;
// callers choose the source and the sinks.
package executor

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"quell/app/engines"
	"quell/app/files"
	"quell/app/job"
	"quell/app/open"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// Means are the means of a job besides its source. The zero value starts the engine that
// the policy of the job picks, and knows nothing.
type Means struct {
	// Engine returns the engine that filters; nil: the one that the job's policy picks. If it fails, app.Execute does the
	// whole job again by the CPU if Fallback is set and the policy allows it; else the error is returned.
	Engine   func() (denoise.Engine, error)
	Fallback bool
	Facts    *denoise.Facts // of the one volume of the source; nil to find what the recipe needs
	Maps     run.Maps       // that steer the filter, if the job names none
	// Run is a finished run of the job's recipe on the one volume of the source, which is then not
	// filtered again; nil for none.
	Run    *run.Run
	Volume SeriesVolume // that the one volume of the source is: filters of 4-D series take all of them
}

// execution is an attempt to do a job by one engine.
type execution struct {
	job    job.Job
	src    Source
	all    Source          // the 4-D series that a filter takes: src, or the one of which src is a volume
	added  *job.AddedNoise // to each volume of all; nil for none
	means  Means
	sinks  []Sink
	events job.Events
	plan   MemoryPlan

	engine     denoise.Engine // nil before it is needed
	maps       run.Maps       // from files, the same for all volumes; or estimated with a proposal
	mapsLoaded bool
	begun      int // sinks
	devices    denoise.DeviceLog
	outcome    Outcome
	volumes    []VolumeOutcome

	alike *alike

	together *joint // the result of a filter of 4-D series; nil for a filter of volumes
}

func newExecution(job job.Job, src Source, means Means, sinks []Sink, events job.Events) *execution {
	x := &execution{job: job, src: src, all: src, added: job.Noise, means: means, sinks: sinks, events: events, alike: &alike{}, plan: Plan(job, src.Geometry, src.Len())}
	x.plan.Slabs = x.plan.Slabs && means.Run == nil && !seriesFilter(job) && x.inSlabs()
	x.outcome = Outcome{Noise: job.Noise, Warnings: []message.Message{}, Findings: []series.Finding{}, Covered: src.Covered, LeftOut: append([]series.LeftOut{}, src.LeftOut...)}
	return x
}

// Do does a job on a source by one engine, and passes the result to the sinks. The plan of memory says
// whether each volume is done as a whole or slab by slab. After an error every sink that was begun is
// aborted. Package app has the doors that choose sinks, and repeat a job on the CPU.
func Do(ctx context.Context, job job.Job, src Source, means Means, sinks []Sink, events job.Events) (Outcome, error) {
	x := newExecution(job, src, means, sinks, events)
	defer func() {
		for _, s := range x.sinks[:x.begun] {
			s.Abort()
		}
	}()
	defer func() { x.together.close() }()
	if seriesFilter(job) && means.Run == nil {
		if err := x.filterTogether(ctx); err != nil {
			return Outcome{}, err
		}
	}
	if err := x.each(ctx); err != nil {
		return Outcome{}, err
	}
	return x.finish(ctx)
}

// inSlabs reports whether a volume that is too large for the memory of the job is done slab by slab,
// or refused if that cannot be. One that is only converted or given noise is done whole if it
// cannot, as far as the machine's memory goes, unless the job has a limit.
func (x *execution) inSlabs() bool {
	return x.job.Recipe != nil || x.job.Memory > 0 || x.src.Slices != nil && x.job.Uneven == ""
}

// each does the job on one volume after another. If the memory allows it, the next one is read
// while one is worked on.
func (x *execution) each(ctx context.Context) error {
	if x.plan.Slabs {
		for k := range x.src.Len() {
			if err := x.slabs(ctx, &volumeWork{x: x, k: k}); err != nil {
				return err
			}
		}
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	next, free, reading := make(chan loaded), make(chan struct{}, 1), make(chan struct{})
	defer func() { cancel(); <-reading }() // before the files are closed
	go func() {
		defer close(reading)
		x.read(ctx, next, free)
	}()
	for k := range x.src.Len() {
		started := time.Now()
		var in loaded
		select {
		case in = <-next:
		case <-ctx.Done():
			return ctx.Err()
		}
		if in.err != nil {
			return in.err
		}
		if progress := x.events.Count(job.Reading); progress != nil && x.src.Group != nil {
			progress(k+1, x.src.Len())
		}
		v := &volumeWork{x: x, k: k}
		v.outcome.Seconds.Load = time.Since(started).Seconds()
		if err := x.whole(ctx, v, in.series); err != nil {
			return err
		}
		if !x.plan.Ahead && k+1 < x.src.Len() {
			in, v = loaded{}, nil
			runtime.GC() // before the next volume takes the memory of this one
			free <- struct{}{}
		}
	}
	return nil
}

// loaded is a volume that was read, or why it was not.
type loaded struct {
	series *series.Series
	err    error
}

// read reads the volumes, each after the one before was taken, or freed if there is no memory for two.
func (x *execution) read(ctx context.Context, next chan<- loaded, free <-chan struct{}) {
	for k := range x.src.Len() {
		if !x.plan.Ahead && k > 0 {
			select {
			case <-free:
			case <-ctx.Done():
				return
			}
		}
		s, err := x.src.Load(ctx, k, x.events)
		select {
		case next <- loaded{s, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// volumeWork is the work on one volume.
type volumeWork struct {
	x       *execution
	k       int
	outcome VolumeOutcome

	source *series.Series // before noise is added
	recipe denoise.Recipe
	region volume.Region // that is filtered
	made   *Made         // of the whole volume
	read   *Digests      // of what was read in slabs
	same   bool          // the result is the input, as far as slabs were compared
}

// whole does the job on a volume that is in memory.
func (x *execution) whole(ctx context.Context, v *volumeWork, s *series.Series) error {
	started := time.Now()
	s, err := Evened(x.job, s)
	if err != nil {
		return err
	}
	var source *run.VoxelHash
	if x.job.Recipe != nil && x.job.Noise == nil && x.job.Output.Path != "" && x.means.Run == nil {
		source = run.Identify(s.Volume) // while the engine starts and filters
	}
	if err := v.check(ctx, s); err != nil {
		return err
	}
	if !x.src.Known {
		v.x.announce(s.Findings)
	}
	if err := v.begin(ctx, s); err != nil {
		return err
	}
	v.outcome.Seconds.Load += time.Since(started).Seconds() - v.outcome.Seconds.Estimate
	if x.means.Run != nil {
		run := x.means.Run
		v.made = &Made{Source: run.Source, Region: run.Region, Result: run.Result, Run: run}
		if v.x.job.Measure { // which runs the recipe on parts
			if v.made.Engine, err = x.awaitEngine(); err != nil {
				return err
			}
		}
		v.outcome.Seconds.Estimate, v.outcome.Seconds.Filter = run.Estimate.Seconds(), (run.Filter - run.Estimate).Seconds()
	} else if err := v.compute(ctx, source); err != nil {
		return err
	}
	if err := v.deliver(ctx, &Slab{From: v.made.Region.Min[2], Whole: v.made, Part: v.made, First: true, Last: true}); err != nil {
		return err
	}
	v.done()
	return nil
}

// begin begins the sinks with the first volume, and reads the maps.
func (v *volumeWork) begin(ctx context.Context, s *series.Series) error {
	if v.k > 0 {
		return nil
	}
	v.x.outcome.Resampled = s.Resampled
	first := &Made{Source: s, Region: v.region, Noise: v.x.job.Noise}
	if v.x.job.Recipe != nil {
		first.Run = &run.Run{Recipe: v.recipe, Source: s, Region: v.region}
	}
	for _, sink := range v.x.sinks {
		v.x.begun++
		if err := sink.Begin(ctx, first); err != nil {
			return err
		}
	}
	if v.x.plan.Slabs || v.x.means.Run != nil || v.x.together != nil {
		return nil
	}
	return v.x.loadMaps(ctx, s)
}

// loadMaps takes the maps that the job names, or else the ones that are in memory, once.
func (x *execution) loadMaps(ctx context.Context, s *series.Series) (err error) {
	if x.mapsLoaded {
		return nil
	}
	x.mapsLoaded = true
	if x.maps = x.means.Maps; x.job.MapFile() != "" || x.job.Mask != "" {
		x.maps, err = run.LoadMaps(ctx, x.job, s)
	}
	return err
}

// check determines the recipe and the region to filter, and refuses what cannot be done.
func (v *volumeWork) check(ctx context.Context, s *series.Series) (err error) {
	v.source, v.region = s, s.Volume.Bounds()
	if v.x.job.Recipe == nil {
		if v.x.job.Noise == nil {
			return checkConversion(s, v.x.job.Output.Path)
		}
		return nil
	}
	v.recipe = *v.x.job.Recipe
	if v.x.job.AutoFilter {
		if err := timed(&v.outcome.Seconds.Estimate, func() error { return v.propose(ctx, s) }); err != nil {
			return err
		}
	} else if v.x.job.AutoDims {
		if v.recipe.Dims, err = run.ProposeDims(s, v.recipe.Filter); err != nil {
			return err
		}
	}
	if v.region, err = v.x.job.Slices.Region(s.Volume.Geometry); err != nil {
		return err
	}
	return run.CheckRecipe(s, v.recipe, v.x.job.Uneven == job.UnevenSplit)
}

// propose takes the filter and the strength that remove most noise of the volume, or of the one in the middle of a 4-D series,
// within the bounds: the first ones are often brighter than all others. The CPU finds it: the same on every machine.
func (v *volumeWork) propose(ctx context.Context, s *series.Series) (err error) {
	proposal := &v.x.outcome.Proposal
	if v.k == 0 {
		s, err := v.x.middle(ctx, s)
		if err != nil {
			return err
		}
		if err := v.x.loadMaps(ctx, s); err != nil {
			return err
		}
		facts, err := v.facts(ctx, s)
		if err != nil {
			return err
		}
		maps, err := v.x.maps.Estimate(ctx, v.x.job, s, facts)
		if err != nil {
			return err
		}
		q := run.ProposalRequest{Series: s, Facts: facts, Maps: maps, IfVaries: v.x.job.NoiseMap == job.MapIfVaries}
		if !v.x.job.AutoDims {
			q.Dims = v.recipe.Dims
		}
		p, err := run.ProposeFilter(ctx, engines.CPU(), q)
		if err != nil {
			return err
		}
		if *proposal = &p; v.x.src.Len() == 1 && p.Facts != nil {
			v.x.means.Facts, v.x.maps = p.Facts, p.Maps
		}
	}
	if (*proposal).Filter != "" {
		v.recipe, err = (*proposal).Choices[0].Asked()
	} else if v.x.job.AutoDims {
		v.recipe.Dims, err = run.ProposeDims(s, v.recipe.Filter)
	}
	return err
}

// middle returns the volume in the middle of a 4-D series; first is the first one.
func (x *execution) middle(ctx context.Context, first *series.Series) (*series.Series, error) {
	if x.src.Len() == 1 {
		return first, nil
	}
	load, done := x.src.Again()
	defer done()
	s, err := load(ctx, x.src.Len()/2)
	if err == nil {
		s, err = Evened(x.job, s)
	}
	return s, err
}

// announce sends messages about findings that are more than notes, and keeps them, each once.
func (x *execution) announce(findings []series.Finding) {
	for _, f := range findings {
		if len(x.volumes) > 0 && open.HasFinding(x.outcome.Findings, f) {
			continue // as of a volume before
		}
		if (f.Severity > series.Note || f.Kind == series.Filtered) && !open.HasFinding(x.outcome.Findings, f) {
			x.events.Say(f.Severity, f.Text.String())
		}
		x.outcome.Findings = append(x.outcome.Findings, f)
	}
}

// start returns the engine, once. A warning says if it is not the GPU that was asked for.
func (v *volumeWork) start() (err error) {
	if v.x.engine != nil || v.x.job.Recipe == nil {
		return nil
	}
	if err := timed(&v.outcome.Seconds.Start, func() error { v.x.engine, err = v.x.awaitEngine(); return err }); err != nil {
		return err
	}
	if why := engines.Lost(v.x.job.Engine, v.x.engine); why != nil && v.x.means.Fallback {
		v.x.warn(engines.FallbackText(why, nil, v.x.engine, *v.x.job.Recipe, v.x.src.Geometry, v.x.src.Len()))
	}
	return nil
}

// warn sends a warning about the job, and keeps it.
func (x *execution) warn(text message.Message) {
	x.outcome.Warnings = append(x.outcome.Warnings, text)
	x.events.Say(series.Warning, text.String())
}

// sayMapped says that a noise map was found that nothing asked for.
func (x *execution) sayMapped(m run.Maps) {
	if m.Noise != nil {
		x.events.Say(series.Note, "The noise differs from place to place: it was filtered by a noise map, as by --noise-map auto; --noise-map none filters without.")
	}
}

// awaitEngine returns the engine, and says if that takes long.
func (x *execution) awaitEngine() (denoise.Engine, error) {
	return engines.Await(x.means.Engine, x.warn)
}

// compute adds noise and filters.
func (v *volumeWork) compute(ctx context.Context, source *run.VoxelHash) error {
	if err := v.start(); err != nil {
		return err
	}
	estimate := 0.0
	defer func() {
		v.outcome.Seconds.Estimate += estimate
		v.outcome.Seconds.Filter -= estimate
	}()
	return timed(&v.outcome.Seconds.Filter, func() error {
		v.made = &Made{Source: v.source, Region: v.region, Result: v.source.Volume, Noise: v.x.job.Noise, Engine: v.x.engine, Found: source}
		if v.x.job.Noise != nil {
			noisy, err := run.AddNoise(ctx, v.source, *v.x.job.Noise)
			if err != nil {
				return err
			}
			v.made.Clean, v.made.Source, v.made.Result = v.source, noisy, noisy.Volume
		}
		switch {
		case v.x.job.Recipe == nil:
			return nil
		case v.x.together != nil:
			return v.take(ctx)
		}
		maps := v.x.maps
		facts, err := v.facts(ctx, v.made.Source)
		if err != nil {
			return err
		}
		err = timed(&estimate, func() (err error) { maps, err = maps.Estimate(ctx, v.x.job, v.made.Source, facts); return err })
		if err != nil {
			return err
		}
		q := run.Request{
			Series: v.made.Source, Recipe: v.recipe, Maps: maps, Region: v.region, Facts: facts, Split: v.x.job.Uneven == job.UnevenSplit,
			Follow: v.follow(ctx), IfVaries: v.x.job.NoiseMap == job.MapIfVaries,
		}
		v.made.Run, err = run.Denoise(ctx, v.x.engine, q, v.volumeEvents().Track(job.Filtering))
		if err == nil {
			estimate += v.made.Run.Estimate.Seconds()
			if q.IfVaries {
				v.x.sayMapped(v.made.Run.Maps)
			}
			v.made.Result = v.made.Run.Result
		}
		return err
	})
}

// facts returns the facts of a volume that is filtered: the known ones, or those of a 4-D series, of which some volumes show
// the noise by what they differ in; nil to find what the recipe needs.
func (v *volumeWork) facts(ctx context.Context, s *series.Series) (*denoise.Facts, error) {
	_, sigma := v.recipe.Needs()
	if v.x.means.Facts != nil || v.x.src.Group == nil || !sigma || v.x.job.Noise != nil {
		return v.x.means.Facts, nil
	}
	return v.x.alike.facts(ctx, v.x.src, s.Volume)
}

// alike is the noise that the volumes of a 4-D series show. It is safe for concurrent use.
type alike struct {
	mu      sync.Mutex
	known   bool
	repeats *noise.Repeats
}

// find returns that noise, which is found once among the volumes of a group; nil if none repeat each other.
func (a *alike) find(ctx context.Context, of *series.Group, load func(ctx context.Context, k int) (*series.Series, error)) (_ *noise.Repeats, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.known {
		a.repeats, err = run.FindAlike(ctx, of, load)
		a.known = err == nil
	}
	return a.repeats, err
}

// facts returns the facts of a volume of a source with that noise; nil if no volumes repeat each other. It reads some again, as
// the next one may be on its way by Load.
func (a *alike) facts(ctx context.Context, s Source, v *volume.Volume) (*denoise.Facts, error) {
	load, done := s.Again()
	defer done()
	repeats, err := a.find(ctx, s.Group, load)
	if err != nil || repeats == nil {
		return nil, err
	}
	e, err := noise.Of(ctx, v)
	if err != nil {
		return nil, err
	}
	f, err := denoise.FactsWith(ctx, v, e.OverTime(repeats))
	return &f, err
}

// follow returns what passes the result to the sinks that take it while it is computed; nil if
// none does.
func (v *volumeWork) follow(ctx context.Context) func(*run.Run, *volume.Arrival) {
	var followers []Follower
	for _, s := range v.x.sinks {
		if f, ok := s.(Follower); ok {
			followers = append(followers, f)
		}
	}
	if followers == nil {
		return nil
	}
	return func(run *run.Run, a *volume.Arrival) {
		early := *v.made
		early.Run, early.Result = run, run.Result
		for _, f := range followers {
			f.Follow(ctx, &early, a)
		}
	}
}

// changed returns what the filter did to the volume, of which all slabs are there.
func (v *volumeWork) changed() string {
	if v.x.plan.Slabs && v.same {
		return run.AsItIs
	}
	if v.x.plan.Slabs {
		return run.Denoised
	}
	return v.made.Run.Outcome()
}

// deliver passes a slab to the sinks.
func (v *volumeWork) deliver(ctx context.Context, s *Slab) error {
	s.Volume, s.Outcome = v.k, &v.outcome
	if v.made.Run != nil && s.Last {
		v.describe()
		v.outcome.Outcome = v.changed()
	}
	before := v.outcome.Seconds.Measure
	spent := 0.0
	defer func() { v.outcome.Seconds.Write += spent - (v.outcome.Seconds.Measure - before) }()
	return timed(&spent, func() error {
		for _, sink := range v.x.sinks {
			if err := sink.Slab(ctx, s); err != nil {
				return err
			}
		}
		return nil
	})
}

// describe warns of facts about the finished run that a person should know.
func (v *volumeWork) describe() {
	r := v.made.Run
	if v.x.means.Run != nil {
		return
	}
	text := r.AutoWarning
	if v.x.plan.Slabs {
		text = func() message.Message { return run.WarnOfAuto(r.Recipe, r.Facts, func() bool { return v.same }) }
	}
	if text := text(); !text.IsZero() {
		v.warn(text)
	}
	if r.Tuned != nil {
		for _, doubt := range r.Tuned.Doubts {
			v.warn(doubt)
		}
	}
	if r.Parts == nil {
		return
	}
	words := fmt.Sprintf("The slices %s are evenly spaced and were filtered by themselves", run.PartsText(r.Parts))
	if r.Tuned != nil && r.Tuned.Part != nil {
		words += fmt.Sprintf(", with the strength that is best for %s", run.PartsText([]series.Part{*r.Tuned.Part}))
	}
	if v.x.job.Measure {
		words += "; such a result is not judged, as that would filter across the parts"
	}
	v.warn(message.Verbatim(words + "."))
}

// warn adds a warning about the run, which names the volume of a 4-D series.
func (v *volumeWork) warn(text message.Message) {
	if v.x.src.Group != nil {
		text = message.Text("%s: %s", v.x.src.Group.Places[v.k], text)
	}
	v.x.warn(text)
}

// volumeEvents returns the events of the volume: progress counts all volumes.
func (v *volumeWork) volumeEvents() job.Events {
	if v.x.events.Progress == nil {
		return job.Events{}
	}
	n, k := int64(v.x.src.Len()), int64(v.k)
	return job.Events{Progress: func(step job.Step, done, total int64) { v.x.events.Progress(step, k*total+done, n*total) }}
}

// done adds the volume to the outcome of the job.
func (v *volumeWork) done() {
	r, one := &v.x.outcome, &v.outcome
	if progress := v.x.events.Count(job.Writing); progress != nil && v.x.src.Group != nil {
		progress(v.k+1, v.x.src.Len())
	}
	if v.x.src.Group != nil {
		one.Series, one.Place = v.x.src.Entries[v.k], v.x.src.Group.Places[v.k]
		one.Name = one.Place.String()
		if one.Measures != nil {
			one.Measures.Map = nil // as large as the volume
		}
	}
	g := v.made.Source.Volume.Geometry.Crop(v.region)
	if v.k == 0 {
		r.Dims = g.Dims
	}
	r.Voxels += g.Voxels()
	if result := v.made.Run; result != nil {
		// Copies: an outcome and a record outlive the volumes of a run.
		one.Engine, one.Recipe, one.Tuned = result.Engine.Name, new(result.Resolved), result.Tuned
		if r.Outcome == "" || one.Outcome == run.Denoised {
			r.Outcome = one.Outcome
		}
		var mask *run.MapRecord
		if v.read != nil {
			one.NoiseMap, mask = v.read.NoiseMap, v.read.Mask
		} else {
			one.NoiseMap, mask = result.Maps.Records()
		}
		for _, u := range result.Devices {
			v.x.devices.Add(u)
		}
		if v.k == 0 {
			r.Engine, r.Device, r.Mask, r.NoiseMap, r.Parts = result.Engine.Name, result.Engine.Device, mask, one.NoiseMap, result.Parts
			r.Asked, r.Recipe, r.Tuned = new(result.Recipe), one.Recipe, one.Tuned
		}
		if v.x.src.Group == nil && !v.x.plan.Slabs {
			r.Run = result
		}
		switch m := one.Measures; {
		case result.Facts != nil:
			one.Noise = new(result.Facts.Noise.Figure)
		case m != nil:
			one.Noise = &noise.Figure{Sigma: m.Sigma, Low: m.SigmaLow, High: m.SigmaHigh, Confidence: m.SigmaConfidence}
		}
	}
	one.Seconds.Total = one.Seconds.Load + one.Seconds.Start + one.Seconds.Estimate + one.Seconds.Filter + one.Seconds.Measure + one.Seconds.Write
	r.Seconds = r.Seconds.Plus(one.Seconds)
	v.x.volumes = append(v.x.volumes, *one)
}

// finish completes the outputs. Once the first is there, a cancel comes too late for the others.
func (x *execution) finish(ctx context.Context) (Outcome, error) {
	r := &x.outcome
	started := time.Now()
	warned := len(r.Warnings)
	for _, d := range x.devices.All() {
		if d.Failures > 0 {
			r.Warnings = append(r.Warnings, message.New(message.EngineLost, "%s failed while it filtered (%s); that part was filtered again, and nothing is missing", d.Device, d.Reason))
		}
	}
	for _, s := range x.sinks {
		if r.Output != "" {
			ctx = context.WithoutCancel(ctx)
		}
		if err := s.Finish(ctx, r); err != nil {
			return Outcome{}, err
		}
	}
	for _, text := range r.Warnings[warned:] {
		x.events.Say(series.Warning, text.String())
	}
	r.Devices, r.Each = x.devices.All(), x.volumes
	if x.src.Group == nil {
		one := x.volumes[0]
		r.Measures, r.Slabs = one.Measures, one.Slabs
	} else {
		r.Recipe, r.Tuned, r.Asked = nil, nil, x.job.Recipe
		r.Axis, r.Volumes = x.src.Group.Axis(), x.volumes
	}
	r.Seconds.Write += time.Since(started).Seconds()
	return *r, nil
}

// StartEngine begins to look for the engine of a job that filters, on another goroutine: to
// start a GPU takes about as long as to read a series. engine waits for it.
func StartEngine(j job.Job) (engine func() (denoise.Engine, error)) {
	if j.Recipe == nil {
		return func() (denoise.Engine, error) { return nil, nil } //nolint:nilnil // no engine is needed
	}
	engine = sync.OnceValues(func() (denoise.Engine, error) { return engines.PickBy(j.Engine) })
	go func() { _, _ = engine() }() // its error comes again
	return engine
}

// checkConversion refuses a conversion from DICOM to DICOM.
func checkConversion(s *series.Series, out string) error {
	if files.Derives(out, s) {
		return job.Usagef("the input is DICOM already; give an output that ends in %s", message.Or(files.FileEndings()))
	}
	return nil
}

// Evened returns a series as the job asks for it if its slices are uneven: resampled, or as
// it is.
func Evened(j job.Job, s *series.Series) (*series.Series, error) {
	what, spacing, err := job.ParseUneven(j.Uneven)
	if err != nil || what != job.UnevenResample || s.Irregular == 0 {
		return s, err
	}
	if err := GateOf(j, files.SourcesOf(s)...).Check(); err != nil { // the result has no sources
		return nil, err
	}
	out, err := s.Resample(spacing)
	if err != nil {
		return nil, &job.InputError{Path: j.Input.Path, Problem: message.New(message.SlicesUneven, "it cannot be resampled: %s", err), Advice: message.Text("filter slice by slice (2-D), or in evenly spaced parts with --uneven split")}
	}
	return out, nil
}
