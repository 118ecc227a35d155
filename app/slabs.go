package app

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/io/atomic"
	"quell/io/dicom"
	"quell/io/nifti"
	"quell/series"
	"quell/volume"
)

// Slabs says how a volume was filtered, given noise or converted that is too large for memory:
// slab by slab, each of so many slices, from a NIfTI file to a NIfTI file. The result is that of a run on the whole
// volume by the same numbers: on the CPU to the bit, on a GPU as engines agree. The range of
// the values is that of all slices; what depends on the noise is found in a sample.
type Slabs struct {
	Count  int        `json:"count"`
	Slices int        `json:"slices"`          // of each but the last, which may have fewer
	Memory int64      `json:"memory"`          // bytes that the volumes may take together
	Sample SliceRange `json:"sample,omitzero"` // in which the noise was measured; zero where it was not
	Text   string     `json:"text"`            // says so
}

// slabMemory is how many bytes the slices in memory take, if the reach of the filter and the
// memory allow it. More would not make it faster.
const slabMemory = 2 << 30

// sampleShare is how many times the voxels of a sample the search for noise in it takes.
const sampleShare = 8

// limit is how many bytes the volumes of the job may take.
func (j Job) limit() int64 { return cmp.Or(j.Memory, DefaultMemory()) }

// needs estimates how many bytes the job's volumes take where it works on a whole volume. The
// program itself takes some 100 MB more.
func (j Job) needs(in *OpenedVolumes) int64 {
	g := in.Catalog.Entries[in.Entries[0]].Geometry
	if g.Voxels() == 0 {
		return 0
	}
	return j.voxelBytes(j.Recipe, g) * int64(g.Voxels())
}

// voxelBytes is what a voxel takes in memory: input, result and, where r filters it, what
// passes leave to later ones. A conversion has no result of its own.
func (j Job) voxelBytes(r *denoise.Recipe, g volume.Geometry) int64 {
	n := 1
	if r != nil || j.Noise != nil {
		n = 2
	}
	if r != nil {
		if p, err := r.Outline(g); err == nil { // else it is found later
			n += p.Intermediates()
		}
	}
	return 4 * int64(n)
}

// inSlabs reports whether a volume is done slab by slab, or refused where that cannot be. One
// that is only converted or given noise is done whole where it cannot, as far as the machine's
// memory goes, unless the job has a limit.
func (j Job) inSlabs(in *OpenedVolumes) bool {
	if j.needs(in) <= j.limit() {
		return false
	}
	return j.Recipe != nil || j.Memory > 0 || in.Catalog.Entries[in.Entries[0]].slices != nil && FormatOf(j.Output.Path) == NIfTI && j.Uneven == ""
}

// slabWork is a job on a volume that is too large for memory.
type slabWork struct {
	job         Job
	in          *OpenedVolumes
	need, limit int64 // bytes
	events      Events

	source   *series.Series // without its voxels
	region   volume.Region  // that is filtered
	padded   bool           // there are voxels without a value
	recipe   denoise.Recipe
	resolved denoise.Recipe
	facts    denoise.Facts
	tuned    *Tuned
	slabs    Slabs
	digest   string        // of the voxels
	same     bool          // the result is the input so far
	seconds  Seconds       // without load and total
	filter   time.Duration // in the attempt that counts
}

// DoSlabs is Do, slab by slab, for entry i, which needs so many bytes of memory: more than the
// job may take. A failure of the engine is returned.
func (c *Catalog) DoSlabs(ctx context.Context, i int, need int64, eng denoise.Engine, job Job, events Events) (Report, error) {
	job.Engine = EnginePolicy{Name: eng.Info().Name} // no other
	in := &OpenedVolumes{Selection: Selection{Entries: []int{i}}, Catalog: c, events: events}
	w := &slabWork{job: job, in: in, need: need, limit: job.limit(), events: events}
	return w.do(ctx, func() (denoise.Engine, error) { return eng, nil })
}

// do takes the steps of the job.
func (w *slabWork) do(ctx context.Context, engine func() (denoise.Engine, error)) (Report, error) {
	if err := w.check(ctx); err != nil {
		return Report{}, err
	}
	sample, err := w.scan(ctx)
	if err != nil {
		return Report{}, err
	}
	scanned := time.Now()
	eng, err := engine()
	if err != nil {
		return Report{}, err
	}
	w.seconds.Start = time.Since(scanned).Seconds()
	resolving := time.Now()
	if w.job.Recipe != nil {
		if err := w.resolve(ctx, eng, sample); err != nil {
			return Report{}, err
		}
	}
	w.seconds.Filter = time.Since(resolving).Seconds()
	written, err := w.run(ctx, eng)
	if other, ok := w.job.Engine.fallback(); ok && errors.Is(err, ErrEngineFailed) {
		if w.events.Fallback != nil {
			w.events.Fallback(other.Info(), err)
		}
		eng = other
		written, err = w.run(ctx, eng)
	}
	if err != nil {
		return Report{}, err
	}
	return w.report(eng, written), nil
}

// check refuses what cannot be done slab by slab, before anything is read.
func (w *slabWork) check(ctx context.Context) error {
	e, out := w.in.Catalog.Entries[w.in.Entries[0]], w.job.Output
	why := ""
	switch {
	case e.slices == nil:
		why = "slab by slab only NIfTI and Analyze files are read"
	case FormatOf(out.Path) != NIfTI:
		why = "slab by slab only NIfTI is written; name an output that ends in .nii or .nii.gz"
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
	r, err := e.slices(ctx)
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
	waiting := int64(w.region.Voxels()) * int64(nifti.SpoolBytes(out.Dtype))
	return atomic.CheckSpace(out.Path, outputSize(w.source, w.region, out.Path, out.ExportOptions)+waiting)
}

// scan reads all slices once: what is wrong with them, and the range of their values. It
// returns those that the noise is measured in; nil where that is not needed.
func (w *slabWork) scan(ctx context.Context) (sample *volume.Volume, err error) {
	g := w.source.Volume.Geometry
	r, err := w.in.Catalog.Entries[w.in.Entries[0]].slices(ctx)
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
	w.source, err = r.Series()
	if err == nil {
		w.in.announce(w.source.Findings)
	}
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
func (w *slabWork) resolve(ctx context.Context, eng denoise.Engine, sample *volume.Volume) error {
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
	w.resolved, w.tuned, err = q.resolve(ctx, eng, denoise.Input{Volume: q.Series.Volume})
	return err
}

// plan chooses the slabs for a program: as many slices as fit.
func (w *slabWork) plan(p denoise.Program) error {
	g := w.source.Volume.Geometry
	around := int64(2*p.Reach()[2] + max(p.Lattice[2], 1) - 1)
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

// run filters and writes all slabs.
func (w *slabWork) run(ctx context.Context, eng denoise.Engine) (report ExportReport, err error) {
	var p denoise.Program // without reach, where nothing is filtered
	if w.job.Recipe != nil {
		if p, err = w.resolved.Bind(w.source.Volume.Geometry); err != nil {
			return report, err
		}
	}
	if err := w.plan(p); err != nil {
		return report, err
	}
	w.events.message(series.Note, w.slabs.Text)
	out := filepath.Clean(w.job.Output.Path)
	stage, err := atomic.Begin(out)
	if err != nil {
		return report, err
	}
	defer stage.Close()
	e, err := w.export(eng)
	if err != nil {
		return report, err
	}
	to, err := nifti.NewSliceWriter(stage.Path(filepath.Base(out)), w.source.Volume.Geometry.Crop(w.region), w.source, w.job.Output.Dtype, e.derived.Description)
	if err != nil {
		return report, writeError(out, err)
	}
	defer to.Discard()
	err = w.eachSlab(ctx, eng, p, func(part *volume.Volume) error {
		started := time.Now()
		err := to.Add(ctx, part)
		w.seconds.Write += time.Since(started).Seconds()
		if err != nil {
			err = writeError(out, err)
		}
		return err
	})
	if w.job.Recipe != nil {
		logger.Load().Info("denoise", slog.String("filter", w.resolved.Filter), slog.Int("dims", w.resolved.Dims), slog.String("engine", eng.Info().Name),
			outcome(err), slog.Int("slabs", w.slabs.Count), slog.Duration("took", w.filter))
	}
	if err != nil {
		return report, err
	}
	started := time.Now()
	if err := to.Close(ctx); err != nil {
		return report, writeError(out, err)
	}
	if e.record != nil {
		e.record.Source.SHA256 = w.digest
	}
	report = ExportReport{Output: out, Files: 1}
	report.Recipe, err = commit(ctx, stage, out, w.job.Output.ExportOptions, e.record)
	w.seconds.Write += time.Since(started).Seconds()
	return report, err
}

// export returns what is written, without its voxels.
func (w *slabWork) export(eng denoise.Engine) (e export, err error) {
	switch {
	case w.job.Recipe != nil:
		run := w.describe(eng)
		e = export{derived: dicom.Derived{Description: describe(run)}, record: recordOf(run, w.job.Output.ExportOptions)}
	case w.job.Noise != nil:
		e, err = noisyExport(w.source, w.source, *w.job.Noise, w.job.Output.ExportOptions)
	default:
		e = conversionOf(w.source)
	}
	if e.record != nil {
		e.record.of = nil
	}
	return e, err
}

// describe returns the run without its voxels.
func (w *slabWork) describe(eng denoise.Engine) *Run {
	run := &Run{Recipe: w.recipe, Resolved: w.resolved, Engine: eng.Info(), Source: w.source, Region: w.region, Tuned: w.tuned}
	if w.slabs.Sample != (SliceRange{}) {
		run.Facts = &w.facts
	}
	return run
}

// eachSlab filters one slab after another and passes its slices to write.
func (w *slabWork) eachSlab(ctx context.Context, eng denoise.Engine, p denoise.Program, write func(part *volume.Volume) error) error {
	r, err := w.in.Catalog.Entries[w.in.Entries[0]].slices(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	g := w.source.Volume.Geometry
	window := newSliceWindow(r, w.slabs.Slices+2*p.Reach()[2]+max(p.Lattice[2], 1)-1, w.padded)
	window.pad, window.hash = w.facts.Lo, newVoxelHash()
	w.same, w.filter = true, 0
	for z := w.region.Min[2]; z < w.region.Max[2]; z += w.slabs.Slices {
		slab := p.Slab(g, z, min(z+w.slabs.Slices, w.region.Max[2]))
		if err := window.move(ctx, slab.First, slab.End); err != nil {
			return err
		}
		started := time.Now()
		part := window.volume()
		part.Unit = w.source.Volume.Unit
		region := slab.Region(part.Geometry)
		result, err := w.compute(ctx, eng, slab, part, region)
		if err != nil {
			return err
		}
		w.same = w.same && w.job.Recipe != nil && unchanged(part, region, result.Data, &w.facts)
		w.filter += time.Since(started)
		w.seconds.Filter += time.Since(started).Seconds()
		if err := write(result); err != nil {
			return err
		}
	}
	if err := window.move(ctx, g.Dims[2], g.Dims[2]); err != nil { // the digest is of all
		return err
	}
	w.digest = hex.EncodeToString(window.hash.Sum(nil))
	return nil
}

// compute returns what is written of part, the slices in memory.
func (w *slabWork) compute(ctx context.Context, eng denoise.Engine, slab denoise.Slab, part *volume.Volume, region volume.Region) (*volume.Volume, error) {
	switch n := w.job.Noise; {
	case w.job.Recipe != nil:
		if _, err := eng.Plan(w.resolved, part.Geometry); err != nil {
			return nil, err
		}
		return eng.Run(ctx, w.resolved, denoise.Input{Volume: part}, region, w.progress(slab))
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

// report says what was done.
func (w *slabWork) report(eng denoise.Engine, written ExportReport) Report {
	one := &work{job: w.job, on: On{Series: w.source}, seconds: w.seconds, findings: w.source.Findings}
	if w.job.Recipe == nil {
		r := one.report(written)
		r.Covered, r.Slabs = w.in.Covered, &w.slabs
		return r
	}
	run := w.describe(eng)
	one.run = run
	if text := autoWarning(run.Recipe, run.Facts, func() bool { return w.same }); text != "" {
		one.warnings = []string{text}
		w.events.message(series.Warning, text)
	}
	r := one.report(written)
	r.Run, r.Covered, r.Slabs = nil, w.in.Covered, &w.slabs
	return r
}
