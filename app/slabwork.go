package app

import (
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"time"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/io/atomic"
	"quell/io/dicom"
	"quell/io/raster"
	"quell/series"
	"quell/volume"
)

// slabWork is a job on a volume that is too large for memory: its slices are read twice, for what
// the recipe is resolved by and to be filtered, and each slab is written when it is filtered.
type slabWork struct {
	job         Job
	in          *OpenedVolumes
	k           int   // of the volumes of in
	need, limit int64 // bytes
	events      Events

	source   *series.Series // without its voxels
	region   volume.Region  // that is filtered
	padded   bool           // there are voxels without a value
	recipe   denoise.Recipe
	resolved denoise.Recipe
	facts    denoise.Facts
	tuned    *Tuned
	engine   denoise.Engine
	program  denoise.Program // of resolved; without reach, where nothing is filtered
	slabs    Slabs
	same     bool          // the result is the input so far
	seconds  Seconds       // without load and total
	failed   error         // of reading or filtering
	others   time.Duration // that the writing of the export spent on them
}

func newSlabWork(job Job, in *OpenedVolumes, k int, need int64, events Events) *slabWork {
	return &slabWork{job: job, in: in, k: k, need: need, limit: job.limit(), events: events}
}

// open begins to read the slices.
func (w *slabWork) open(ctx context.Context) (series.Slices, error) {
	return w.in.Catalog.OpenSlices(ctx, w.in.Entries[w.k])
}

// prepare reads the volume for what the recipe depends on, and chooses the slabs.
func (w *slabWork) prepare(ctx context.Context, engine func() (denoise.Engine, error)) error {
	if err := w.check(ctx); err != nil {
		return err
	}
	sample, err := w.scan(ctx)
	if err != nil {
		return err
	}
	started := time.Now()
	if w.engine, err = engine(); err != nil {
		return err
	}
	w.seconds.Start = time.Since(started).Seconds()
	started = time.Now()
	if w.job.Recipe != nil {
		if err := w.resolve(ctx, sample); err != nil {
			return err
		}
		if w.program, err = w.resolved.Bind(w.source.Volume.Geometry); err != nil {
			return err
		}
	}
	w.seconds.Filter = time.Since(started).Seconds()
	return w.plan()
}

// check refuses what cannot be done slab by slab, before anything is read.
func (w *slabWork) check(ctx context.Context) error {
	e, out := w.in.Catalog.Entries[w.in.Entries[w.k]], w.job.Output
	why := ""
	switch {
	case e.slices == nil:
		why = "slab by slab DICOM is not read"
	case !FormatOf(out.Path).Streams:
		why = "slab by slab DICOM and Analyze are not written; name an output that ends in .nii, .nii.gz, .nrrd or .mha"
	case w.job.NoiseMap != "" || w.job.Mask != "":
		why = "a noise map or a mask is not used slab by slab; leave it out"
	case w.job.Measure || out.Removed != "" || out.Pictures != "" || out.Report != "" || out.Scales != "":
		why = "slab by slab the result is neither judged nor drawn, and nothing but the result is written; leave --assess, --noise-out, --pictures, --report and --scales-out out"
	case w.job.Noise != nil && w.job.Recipe != nil || w.job.Uneven != "":
		why = "slab by slab no noise is added before a filter and no slices are resampled"
	}
	if why != "" {
		return Usagef("%s needs about %s of memory, of %s that it may take: %s, or allow more with --memory", w.in.Catalog.Path, Bytes(w.need), Bytes(w.limit), why)
	}
	r, err := w.open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	if w.source, err = r.Series(); err != nil {
		return err
	}
	one := &work{job: w.job, on: On{Series: w.source}}
	if err := one.check(); err != nil {
		return err
	}
	w.recipe, w.region = one.recipe, one.region
	if w.k > 0 {
		return nil
	}
	waiting := int64(w.region.Voxels()) * int64(raster.SpoolBytes(out.Dtype))
	return atomic.CheckSpace(out.Path, int64(len(w.in.Entries))*(outputSize(w.source, w.region, out.Path, out.ExportOptions)+waiting))
}

// scan reads all slices once: what is wrong with them, and the range of their values. It
// returns those that the noise is measured in; nil where that is not needed.
func (w *slabWork) scan(ctx context.Context) (sample *volume.Volume, err error) {
	g := w.source.Volume.Geometry
	r, err := w.open(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	memory := min(w.limit, slabMemory)
	if _, sigma := w.recipe.Needs(); w.job.Recipe != nil && (sigma || w.recipe.Tunes()) {
		n := min(max(int(memory/sampleShare/int64(4*g.SliceVoxels())), 1), g.Dims[2])
		from := (g.Dims[2] - n) / 2
		w.slabs.Sample = SliceRange{From: from, To: from + n}
		sample = volume.New(g.Crop(volume.Slices(g, from, from+n)))
		sample.Unit = w.source.Volume.Unit
	}
	n := min(max(int(memory/sampleShare/int64(5*g.SliceVoxels())), 1), g.Dims[2])
	window := newSliceWindow(r, n, true)
	progress := w.events.progress(Reading)
	found := false
	for z := 0; z < g.Dims[2]; z += n {
		before := window.pads
		if err := window.move(ctx, z, min(z+n, g.Dims[2])); err != nil {
			return nil, err
		}
		part := window.volume()
		pads := window.pads - before
		if pads == 0 {
			part.Mask = nil
		}
		if pads < len(part.Data) {
			lo, hi, err := part.Range(ctx)
			if err != nil {
				return nil, err
			}
			if !found {
				w.facts.Lo, w.facts.Hi, found = lo, hi, true
			}
			w.facts.Lo, w.facts.Hi = min(w.facts.Lo, lo), max(w.facts.Hi, hi)
		}
		if sample != nil {
			w.sampleFrom(sample, part, z)
		}
		if progress != nil {
			progress(int64(min(z+n, g.Dims[2])), int64(g.Dims[2]))
		}
	}
	w.padded = window.pads > 0
	s, err := r.Series()
	w.source = withoutRelated(s, len(w.in.Entries))
	return sample, err
}

// sampleFrom copies the slices that belong to the sample from part, which begins at slice z.
func (w *slabWork) sampleFrom(sample, part *volume.Volume, z int) {
	n := sample.SliceVoxels()
	from, to := max(w.slabs.Sample.From, z), min(w.slabs.Sample.To, z+part.Dims[2])
	if from >= to {
		return
	}
	at := (from - w.slabs.Sample.From) * n
	copy(sample.Data[at:], part.Data[(from-z)*n:(to-z)*n])
	if part.Mask != nil && sample.Mask == nil {
		sample.Mask = slices.Repeat([]bool{true}, len(sample.Data))
	}
	if part.Mask != nil {
		copy(sample.Mask[at:], part.Mask[(from-z)*n:(to-z)*n])
	}
}

// resolve finds the numbers of the recipe: by the range of all voxels, and by the noise of the
// sample.
func (w *slabWork) resolve(ctx context.Context, sample *volume.Volume) error {
	q := RunRequest{Series: w.source, Recipe: w.recipe, Facts: &w.facts}
	if sample != nil {
		lo, hi := w.facts.Lo, w.facts.Hi
		var err error
		if w.facts, err = denoise.FactsOf(ctx, sample); err != nil {
			return err
		}
		w.facts.Lo, w.facts.Hi, w.facts.Foreground = lo, hi, nil
		if w.recipe.Tunes() {
			part := *w.source
			part.Volume = sample
			q.Series = &part
		}
	}
	var err error
	w.resolved, w.tuned, err = q.resolve(ctx, w.engine, denoise.Input{Volume: q.Series.Volume})
	return err
}

// around is how many slices beside its own a slab reads at most.
func (w *slabWork) around() int { return 2*w.program.Reach()[2] + max(w.program.Lattice[2], 1) - 1 }

// plan chooses the slabs: as many slices as fit.
func (w *slabWork) plan() error {
	g := w.source.Volume.Geometry
	around := int64(w.around())
	var recipe *denoise.Recipe
	if w.job.Recipe != nil {
		recipe = &w.resolved
	}
	perVoxel := w.job.voxelBytes(recipe, g)
	if w.padded {
		perVoxel += 2 // the mask, of the slab and of what is computed
	}
	perSlice := perVoxel * int64(g.SliceVoxels())
	all := int64(w.region.Dims()[2])
	n := min(w.limit, max(slabMemory, perSlice*(2*around+1)))/perSlice - around
	if n < 1 {
		if recipe == nil {
			return Usagef("a slice of %s takes about %s of memory, of %s that it may take: allow more with --memory", w.in.Catalog.Path, Bytes(perSlice), Bytes(w.limit))
		}
		return Usagef("a slice of %s and the %d that %s reads around it take about %s of memory, of %s that it may take: allow more with --memory, or filter with a smaller reach",
			w.in.Catalog.Path, around, w.resolved.Filter, Bytes(perSlice*(around+1)), Bytes(w.limit))
	}
	count := (all + min(n, all) - 1) / min(n, all)
	w.slabs.Count, w.slabs.Slices, w.slabs.Memory = int(count), int((all+count-1)/count), w.limit
	done := "converted"
	switch {
	case recipe != nil:
		done = "filtered"
	case w.job.Noise != nil:
		done = "given noise"
	}
	w.slabs.Text = fmt.Sprintf("%s needs about %s of memory, of %s that it may take: %s in %d slabs of %d slices", w.in.Catalog.Path, Bytes(w.need), Bytes(w.limit), done, w.slabs.Count, w.slabs.Slices)
	if w.slabs.Sample != (SliceRange{}) {
		w.slabs.Text += fmt.Sprintf(", with the noise of slices %s", w.slabs.Sample)
	}
	return nil
}

// export returns what is written. Its slabs are filtered when they are asked for.
func (w *slabWork) export() (e export, err error) {
	switch {
	case w.job.Recipe != nil:
		run := w.run()
		e = export{derived: dicom.Derived{Description: describe(run)}, record: recordOf(run, w.job.Output.ExportOptions)}
	case w.job.Noise != nil:
		e, err = noisyExport(w.source, w.source, *w.job.Noise, w.job.Output.ExportOptions)
	default:
		e = conversionOf(w.source)
	}
	if err != nil {
		return export{}, err
	}
	if e.record != nil {
		e.record.of = nil
	}
	part := *w.source
	part.Volume = &volume.Volume{Geometry: w.source.Volume.Geometry.Crop(w.region), Unit: w.source.Volume.Unit}
	e.series, e.result = &part, nil
	e.slabs = func(ctx context.Context, add func(part *volume.Volume) error) error {
		started := time.Now()
		adding := time.Duration(0)
		var addErr error
		digest, err := w.eachSlab(ctx, func(part *volume.Volume) error {
			started := time.Now()
			addErr = add(part)
			adding += time.Since(started)
			return addErr
		})
		if addErr == nil {
			w.failed = err
		}
		w.others = time.Since(started) - adding
		if w.job.Recipe != nil {
			logger.Load().Info("denoise", slog.String("filter", w.resolved.Filter), slog.Int("dims", w.resolved.Dims), slog.String("engine", w.engine.Info().Name),
				outcome(err), slog.Int("slabs", w.slabs.Count), slog.Duration("took", time.Duration(w.seconds.Filter*float64(time.Second))))
		}
		if e.record != nil {
			e.record.Source.SHA256 = digest
		}
		return err
	}
	return e, nil
}

// wrote takes what the writing of the export came to; the error is that of reading or filtering
// where those failed.
func (w *slabWork) wrote(written *ExportReport, err error) error {
	written.Write -= w.others
	w.seconds.Write = written.Write.Seconds()
	if w.failed != nil {
		return w.failed
	}
	return err
}

// eachSlab filters one slab after another and passes its slices to write. It returns the digest
// of all voxels that were read.
func (w *slabWork) eachSlab(ctx context.Context, write func(part *volume.Volume) error) (digest string, err error) {
	r, err := w.open(ctx)
	if err != nil {
		return "", err
	}
	defer r.Close()
	g := w.source.Volume.Geometry
	window := newSliceWindow(r, w.slabs.Slices+w.around(), w.padded)
	window.pad, window.hash = w.facts.Lo, newVoxelHash()
	w.same = true
	for z := w.region.Min[2]; z < w.region.Max[2]; z += w.slabs.Slices {
		slab := w.program.Slab(g, z, min(z+w.slabs.Slices, w.region.Max[2]))
		if err := window.move(ctx, slab.First, slab.End); err != nil {
			return "", err
		}
		started := time.Now()
		part := window.volume()
		part.Unit = w.source.Volume.Unit
		region := slab.Region(part.Geometry)
		result, err := w.compute(ctx, slab, part, region)
		if err != nil {
			return "", err
		}
		w.same = w.same && w.job.Recipe != nil && unchanged(part, region, result.Data, &w.facts)
		w.seconds.Filter += time.Since(started).Seconds()
		if err := write(result); err != nil {
			return "", err
		}
		runtime.GC() // before the next slab takes the memory of this one
	}
	if err := window.move(ctx, g.Dims[2], g.Dims[2]); err != nil { // the digest is of all
		return "", err
	}
	return hex.EncodeToString(window.hash.Sum(nil)), nil
}

// compute returns what is written of part, the slices in memory.
func (w *slabWork) compute(ctx context.Context, slab denoise.Slab, part *volume.Volume, region volume.Region) (*volume.Volume, error) {
	switch n := w.job.Noise; {
	case w.job.Recipe != nil:
		if _, err := w.engine.Plan(w.resolved, part.Geometry); err != nil {
			return nil, err
		}
		return w.engine.Run(ctx, w.resolved, denoise.Input{Volume: part}, region, w.progress(slab))
	case n != nil:
		return noise.AddNoiseTo(ctx, part, slab.First*part.SliceVoxels(), n.Model, n.Sigma, n.Seed)
	}
	return part, nil
}

// progress counts the voxels of a slab among those of all.
func (w *slabWork) progress(s denoise.Slab) denoise.Progress {
	all := w.events.progress(Filtering)
	if all == nil {
		return nil
	}
	n := int64(w.source.Volume.SliceVoxels())
	before, slab := int64(s.From-w.region.Min[2])*n, int64(s.To-s.From)*n
	return func(done, total int64) {
		all(before+int64(float64(done)/float64(max(total, 1))*float64(slab)), int64(w.region.Voxels()))
	}
}

// run describes the run without its voxels.
func (w *slabWork) run() *Run {
	run := &Run{Recipe: w.recipe, Resolved: w.resolved, Engine: w.engine.Info(), Source: w.source, Region: w.region, Tuned: w.tuned}
	if w.slabs.Sample != (SliceRange{}) {
		run.Facts = &w.facts
	}
	return run
}

// done describes the job when it is done, without voxels, and says the warnings about it.
func (w *slabWork) done() *work {
	one := &work{job: w.job, on: On{Series: w.source}, seconds: w.seconds, findings: w.source.Findings, events: w.events}
	if w.job.Recipe == nil {
		return one
	}
	one.run = w.run()
	if text := autoWarning(one.run.Recipe, one.run.Facts, func() bool { return w.same }); text != "" {
		one.warn(text)
	}
	return one
}
