package executor

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

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

// slabMemory is how many bytes the slices in memory take, if the reach of the filter and the
// memory allow it. More would not make it faster.
const slabMemory = 2 << 30

// sampleShare is how many times the voxels of a sample the search for noise in it takes.
const sampleShare = 8

// slabWork is the work on a volume that is too large for memory: its slices are read twice, for what
// the recipe is resolved by and to be filtered, and each slab is passed on when it is filtered.
type slabWork struct {
	x        *execution
	v        *volumeWork
	files    slicedMaps     // that steer the filter
	padded   bool           // there are voxels without a value
	pad      float32        // what these are given: the least value
	most     float32        // the largest value before noise was added
	usual    float32        // the usual sigma of the noise map
	facts    denoise.Facts  // the range is over all voxels, the noise from the sample
	resolved denoise.Recipe // of the recipe
	tuned    *run.Tuned
	program  denoise.Program // of resolved; without reach if nothing is filtered
	slabs    Slabs
}

// slabs does the job on a volume slab by slab.
func (x *execution) slabs(ctx context.Context, v *volumeWork) error {
	w := &slabWork{x: x, v: v}
	started := time.Now()
	defer func() { w.files.Close() }()
	if err := w.prepare(ctx); err != nil {
		return err
	}
	v.outcome.Slabs = &w.slabs
	if x.outcome.Slabs == nil {
		x.outcome.Slabs = &w.slabs
		v.x.events.Say(series.Note, w.slabs.Text)
	} else if w.slabs != *x.outcome.Slabs {
		v.x.events.Say(series.Note, v.x.src.Group.Places[v.k].String()+": "+w.slabs.Text)
	}
	v.x.announce(w.v.source.Findings)
	err := w.each(ctx)
	if v.x.job.Recipe != nil {
		job.Log("denoise", slog.String("filter", w.resolved.Filter), slog.Int("dims", w.resolved.Dims), slog.String("engine", x.engine.Info().Name),
			job.Outcome(err), slog.Int("slabs", w.slabs.Count), slog.Duration("took", time.Duration(v.outcome.Seconds.Filter*float64(time.Second))))
	}
	if err == nil {
		t := &v.outcome.Seconds
		t.Load = time.Since(started).Seconds() - t.Start - t.Estimate - t.Filter - t.Measure - t.Write
		v.done()
	}
	return err
}

// prepare reads the volume for what the recipe depends on, and chooses the slabs.
func (w *slabWork) prepare(ctx context.Context) error {
	if err := w.refuse(); err != nil {
		return err
	}
	r, err := w.x.src.Slices(ctx, w.v.k)
	if err != nil {
		return err
	}
	header, err := r.Series()
	r.Close()
	if err != nil {
		return err
	}
	header = open.WithoutRelated(header, w.x.src.Len())
	if err := w.v.check(ctx, header); err != nil {
		return err
	}
	if w.files, err = sliceMaps(ctx, w.x.job, header); err != nil {
		return err
	}
	if err := w.v.begin(ctx, header); err != nil {
		return err
	}
	sample, err := w.scan(ctx)
	if err != nil {
		return err
	}
	if err := w.v.start(); err != nil {
		return err
	}
	err = timed(&w.v.outcome.Seconds.Estimate, func() (err error) {
		if w.x.job.Recipe == nil {
			return nil
		}
		if err = w.resolve(ctx, sample); err == nil {
			w.program, err = w.resolved.Bind(w.v.source.Volume.Geometry)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := w.plan(); err != nil {
		return err
	}
	w.v.made = &Made{Source: w.v.source, Region: w.v.region, Noise: w.x.job.Noise, Engine: w.x.engine}
	if w.x.job.Noise != nil {
		w.v.made.Clean, w.v.made.cleanEnds = w.v.source, &[2]float32{w.pad, w.most}
	}
	if w.x.job.Recipe != nil {
		w.v.made.Run = w.run(w.v.source, w.v.region, nil)
		if w.slabs.Sample != (job.SliceRange{}) {
			w.v.made.Run.Facts = &w.facts
		}
	}
	return nil
}

// refuse says what cannot be done slab by slab.
func (w *slabWork) refuse() error {
	if err := files.CheckVolumes(w.x.job.Output.Path, w.x.src.Len()); err != nil {
		return err
	}
	why := ""
	switch {
	case w.x.job.AutoFilter:
		why = "the filter that gains most is found on the whole volume; give the filter"
	case w.x.src.Slices == nil:
		why = "it cannot be read slab by slab"
	case w.x.job.NoiseMap == job.MapAuto || w.x.means.Maps.Noise != nil || w.x.means.Maps.Mask != nil:
		why = "a noise map is estimated from the whole volume; give the file of one, as quell estimate --map makes it"
	case w.x.job.Uneven != "":
		why = "slab by slab no slices are resampled or split"
	}
	if why == "" {
		return nil
	}
	return job.Usagef("%s needs about %s of memory, of %s that it may take: %s, or allow more with --memory", w.x.src.Path, job.Bytes(w.x.plan.Whole), job.Bytes(w.limit()), why)
}

func (w *slabWork) limit() int64 { return w.x.plan.Limit }

// room is what the voxels of a slab may take, besides the scratch memory of the cores.
func (w *slabWork) room() int64 {
	scratch := int64(0)
	for _, pass := range w.program.Passes {
		scratch = max(scratch, pass.CPU.Scratch)
	}
	return w.x.plan.Room - spare(w.limit(), scratch*int64(runtime.GOMAXPROCS(0)), 2)
}

// scan reads all slices once for their faults and the range of their values. It
// returns the slices in which the noise is measured; nil if that is not needed.
func (w *slabWork) scan(ctx context.Context) (sample *slabInput, err error) {
	g := w.v.source.Volume.Geometry
	memory := min(w.limit(), slabMemory)
	perSlice := int64(g.SliceVoxels())
	if _, sigma := w.v.recipe.Needs(); w.x.job.Recipe != nil && (sigma || w.v.recipe.Tunes()) {
		n := min(max(int(memory/sampleShare/(4*perSlice)), 1), g.Dims[2])
		from := (g.Dims[2] - n) / 2
		w.slabs.Sample = job.SliceRange{From: from, To: from + n}
		sample = newSlabInput(g, from, from+n, w.v.source.Volume)
	}
	n := min(max(int(memory/sampleShare/(5*perSlice)), 1), g.Dims[2])
	window, err := w.open(ctx, n, true)
	if err != nil {
		return nil, err
	}
	defer window.Close()
	progress := w.x.events.Track(job.Reading)
	values, all := limits{}, limits{} // of the voxels as they are stored, and of the filtered ones
	usual := denoise.NewUsualSigma(g.Voxels())
	for z := 0; z < g.Dims[2]; z += n {
		end := min(z+n, g.Dims[2])
		in, pads, err := window.move(ctx, z, end)
		if err != nil {
			return nil, err
		}
		part := *in.Volume
		if pads == 0 {
			part.Mask = nil
		}
		in.Volume = &part
		if in.Noise != nil {
			usual.Add(in)
		}
		if pads < len(part.Data) {
			stored := part
			if before := window.before(); before != nil {
				stored.Data = before.Data
			}
			if err := values.add(ctx, denoise.Input{Volume: &stored}); err != nil {
				return nil, err
			}
			if err := all.add(ctx, w.counted(in)); err != nil {
				return nil, err
			}
		}
		if sample != nil {
			sample.take(in, z)
		}
		if progress != nil {
			progress(int64(end), int64(g.Dims[2]))
		}
	}
	if window.mask != nil && !window.any {
		return nil, run.EmptyMask(w.x.job.Mask)
	}
	w.padded, w.pad, w.most = window.pads > 0, values.lo, values.hi
	w.facts.Lo, w.facts.Hi = all.lo, all.hi
	if window.noise != nil {
		if w.usual = usual.Value(); w.usual == 0 {
			return nil, job.Usagef("%s: the noise map has no positive number", w.x.job.NoiseMap)
		}
	}
	s, err := window.r.Series()
	w.v.source = open.WithoutRelated(s, w.x.src.Len())
	return sample, err
}

// counted returns what the range of the values is taken of: a filter that normalises by a noise map
// works on values in sigmas.
func (w *slabWork) counted(in denoise.Input) denoise.Input {
	if !w.v.recipe.Normalises(in) {
		in.Noise = nil
	}
	return in
}

// limits are the ends of the range of the voxels that count.
type limits struct {
	lo, hi float32
	found  bool
}

// add takes some slices: under a noise map their values in sigmas.
func (l *limits) add(ctx context.Context, in denoise.Input) error {
	v := in.Masked()
	if v.Mask != nil && !slices.Contains(v.Mask, true) {
		return nil
	}
	lo, hi, err := v.Range(ctx)
	if in.Noise != nil {
		lo, hi, err = v.RangeOver(ctx, in.Noise)
	}
	if err != nil {
		return err
	}
	if !l.found {
		l.lo, l.hi, l.found = lo, hi, true
	}
	l.lo, l.hi = min(l.lo, lo), max(l.hi, hi)
	return nil
}

// resolve finds the numbers of the recipe: by the range of all voxels, and by the noise of the
// sample.
func (w *slabWork) resolve(ctx context.Context, sample *slabInput) (err error) {
	lo, hi := w.facts.Lo, w.facts.Hi
	normalises := w.v.recipe.Normalises(denoise.Input{Noise: w.v.source.Volume}) && w.files.noise != nil
	if normalises {
		w.facts.Noise = noise.Known(1)
	}
	if sample != nil {
		sample.in.Usual = w.usual
		if w.facts, err = denoise.FactsFor(ctx, w.counted(sample.in)); err != nil {
			return err
		}
		w.facts.Lo, w.facts.Hi, w.facts.Foreground = lo, hi, nil
		if w.x.job.NoiseMap == job.MapIfVaries && run.MapPays(w.v.source, w.v.recipe, w.facts) {
			w.v.warn(message.New(message.NoiseVaries, "The noise differs from place to place, and slab by slab no noise map is estimated: give the file of one, or more memory."))
		}
	}
	if normalises {
		w.facts.Usual = float64(w.usual)
	}
	if !w.v.recipe.Tunes() {
		if w.v.recipe.InSigmas && !normalises {
			_, err = w.v.recipe.ResolveFor(ctx, denoise.Input{Volume: w.v.source.Volume}) // says so
		} else {
			w.resolved, err = w.v.recipe.Resolve(w.v.source.Volume.Geometry, w.facts)
		}
		if err != nil && ctx.Err() == nil {
			err = job.Usage(err)
		}
		return err
	}
	part := *w.v.source
	part.Volume = sample.in.Volume
	q := run.Request{Series: &part, Recipe: w.v.recipe, Facts: &w.facts, Maps: run.Maps{Noise: sample.in.Noise, Mask: sample.in.Mask, Usual: w.usual}}
	w.resolved, w.tuned, err = q.Resolve(ctx, w.x.engine, denoise.Input{Volume: part.Volume})
	return err
}

// around is how many slices besides its own a slab reads at most.
func (w *slabWork) around() int { return 2*w.program.Reach()[2] + max(w.program.Lattice[2], 1) - 1 }

// plan chooses the slabs: as many slices as fit.
func (w *slabWork) plan() error {
	g := w.v.source.Volume.Geometry
	around := int64(w.around())
	var recipe *denoise.Recipe
	if w.x.job.Recipe != nil {
		recipe = &w.resolved
	}
	perVoxel := VoxelBytes(w.x.job, recipe, g) + w.files.voxelBytes()
	if w.padded {
		perVoxel += 2 // the mask, of the slab and of its result
	}
	perSlice := perVoxel * int64(g.SliceVoxels())
	all := int64(w.v.region.Dims()[2])
	n := min(w.room(), max(slabMemory, perSlice*(2*around+1)))/perSlice - around
	if n < 1 {
		if recipe == nil {
			return job.Usagef("a slice of %s takes about %s of memory, of %s that it may take: allow more with --memory", w.x.src.Path, job.Bytes(perSlice), job.Bytes(w.limit()))
		}
		return job.Usagef("a slice of %s and the %d that %s reads around it take about %s of memory, of %s that it may take: allow more with --memory, or filter with a smaller reach",
			w.x.src.Path, around, w.resolved.Filter, job.Bytes(perSlice*(around+1)), job.Bytes(w.limit()))
	}
	count := (all + min(n, all) - 1) / min(n, all)
	w.slabs.Count, w.slabs.Slices, w.slabs.Memory = int(count), int((all+count-1)/count), w.limit()
	done := "converted"
	switch {
	case recipe != nil:
		done = "filtered"
	case w.x.job.Noise != nil:
		done = "given noise"
	}
	w.slabs.Text = fmt.Sprintf("%s needs about %s of memory, of %s that it may take: %s in %d slabs of %d slices", w.x.src.Path, job.Bytes(w.x.plan.Whole), job.Bytes(w.limit()), done, w.slabs.Count, w.slabs.Slices)
	if w.slabs.Sample != (job.SliceRange{}) {
		w.slabs.Text += fmt.Sprintf(", with the noise of slices %s", w.slabs.Sample)
	}
	return nil
}

// each filters one slab after another and passes it on.
func (w *slabWork) each(ctx context.Context) error {
	debug.FreeOSMemory() // what was read to be measured
	window, err := w.open(ctx, w.slabs.Slices+w.around(), w.padded)
	if err != nil {
		return err
	}
	defer window.Close()
	g := w.v.source.Volume.Geometry
	window.identify()
	w.v.same = w.x.job.Recipe != nil
	for z := w.v.region.Min[2]; z < w.v.region.Max[2]; z += w.slabs.Slices {
		slab := w.program.Slab(g, z, min(z+w.slabs.Slices, w.v.region.Max[2]))
		in, _, err := window.move(ctx, slab.First, slab.End)
		if err != nil {
			return err
		}
		var part *Made
		err = timed(&w.v.outcome.Seconds.Filter, func() (err error) { part, err = w.compute(ctx, slab, in, window.before()); return err })
		if err != nil {
			return err
		}
		s := &Slab{From: slab.From, Whole: w.v.made, Part: part, First: z == w.v.region.Min[2], Last: slab.To == w.v.region.Max[2]}
		if s.Last {
			if _, _, err := window.move(ctx, g.Dims[2], g.Dims[2]); err != nil { // the digest is of all
				return err
			}
			s.Read = window.digests()
			w.v.read = s.Read
		}
		if err := w.v.deliver(ctx, s); err != nil {
			return err
		}
		runtime.GC() // before the next slab takes the memory of this one
	}
	return nil
}

// compute returns the result of in, the slices in memory.
func (w *slabWork) compute(ctx context.Context, slab denoise.Slab, in denoise.Input, clean *volume.Volume) (m *Made, err error) {
	if n := w.x.job.Noise; n != nil && clean == nil { // nothing is filtered
		clean = in.Volume
		if in.Volume, err = noise.AddNoiseTo(ctx, clean, slab.First*clean.SliceVoxels(), n.Model, n.Sigma, n.Seed); err != nil {
			return nil, err
		}
	}
	s := *w.v.source
	s.Volume = in.Volume
	s.Volume.Unit, s.Volume.Modality = w.v.source.Volume.Unit, w.v.source.Volume.Modality
	if len(s.Sources) == w.v.source.Volume.Dims[2] {
		s.Sources = s.Sources[slab.First:slab.End]
	}
	m = &Made{Source: &s, Region: slab.Region(in.Volume.Geometry), Noise: w.x.job.Noise, Engine: w.x.engine}
	if w.x.job.Noise != nil {
		before := s
		before.Volume = clean
		m.Clean = &before
	}
	if w.x.job.Recipe == nil {
		m.Result = in.Volume // nothing around it was read
		return m, nil
	}
	if _, err := w.x.engine.Plan(w.resolved, in.Volume.Geometry); err != nil {
		return nil, err
	}
	ctx, devices := denoise.LogDevices(ctx)
	if m.Result, err = w.x.engine.Run(ctx, w.resolved, in, m.Region, w.progress(slab)); err != nil {
		return nil, err
	}
	for _, u := range devices.All() {
		w.x.devices.Add(u)
	}
	w.v.same = w.v.same && run.Unchanged(in.Volume, m.Region, m.Result.Data, &w.facts)
	m.Run = w.run(&s, m.Region, m.Result)
	m.Run.Maps = run.Maps{Noise: in.Noise, Mask: in.Mask, Usual: in.Usual}
	m.Run.Later = &run.LaterFacts{Ends: &[2]float32{w.facts.Lo, w.facts.Hi}}
	return m, nil
}

// progress counts the voxels of a slab among the voxels of all.
func (w *slabWork) progress(s denoise.Slab) denoise.Progress {
	all := w.v.volumeEvents().Track(job.Filtering)
	if all == nil {
		return nil
	}
	n := int64(w.v.source.Volume.SliceVoxels())
	before, slab := int64(s.From-w.v.region.Min[2])*n, int64(s.To-s.From)*n
	return func(done, total int64) {
		all(before+int64(float64(done)/float64(max(total, 1))*float64(slab)), int64(w.v.region.Voxels()))
	}
}

// run describes a run on a region of s.
func (w *slabWork) run(s *series.Series, region volume.Region, result *volume.Volume) *run.Run {
	return &run.Run{Recipe: w.v.recipe, Resolved: w.resolved, Engine: w.x.engine.Info(), Source: s, Region: region, Result: result, Tuned: w.tuned}
}

// open begins to read the volume and its maps, at most n slices at a time; padded says that voxels may have no value.
func (w *slabWork) open(ctx context.Context, n int, padded bool) (*slabWindow, error) {
	r, err := w.x.src.Slices(ctx, w.v.k)
	if err != nil {
		return nil, err
	}
	out := &slabWindow{sliceWindow: newSliceWindow(r, n, padded)}
	for _, m := range []struct {
		of *open.Selected
		to **sliceWindow
	}{{w.files.noise, &out.noise}, {w.files.mask, &out.mask}} {
		if m.of == nil {
			continue
		}
		r, err := SourceOf(m.of).Slices(ctx, 0)
		if err != nil {
			out.Close()
			return nil, err
		}
		*m.to = newSliceWindow(r, n, true)
	}
	if out.mask != nil {
		out.mask.binary, out.inside = true, make([]bool, len(out.mask.data))
	}
	if w.x.job.Noise != nil && w.x.job.Recipe != nil {
		out.sliceWindow.noise, out.clean = w.x.job.Noise, volume.Make[float32](len(out.data))
	}
	out.pad, out.usual = w.pad, w.usual
	return out, nil
}
