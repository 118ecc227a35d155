package executor

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"quell/app/engines"
	"quell/app/job"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// joint is the work of a filter of 4-D series: all volumes are read, some slices of all at a time if the memory of the job
// demands it, and filtered. The volumes of the result then wait until they are passed on, one after another.
type joint struct {
	resolved denoise.Recipe
	maps     run.Maps
	usual    *series.Series // the volume with usual noise; nil before it is found
	facts    *denoise.Facts // of that volume; nil if they were not needed
	region   volume.Region  // of each volume
	volumes  int
	part     denoise.SeriesPart // the result, if it is in memory
	file     *os.File           // the result, volume after volume; nil if it is in memory
	rank     *volume.Volume
	restored []int
	seconds  float64 // for all volumes
}

// seriesFilter reports whether the job filters the volumes of a 4-D series together.
func seriesFilter(j job.Job) bool { return j.Recipe != nil && j.Recipe.SeriesFilter() != nil }

// filterTogether filters all volumes.
func (x *execution) filterTogether(ctx context.Context) error {
	started := time.Now()
	one := x.means.Volume
	if one.Of != nil {
		var done func()
		x.all, done = SourceIn(one.Of.catalog, one.Of.entries)
		defer done()
		x.alike, x.job.NoiseMap, x.means.Maps, x.plan.Limit = &one.Of.alike, job.MapIfVaries, run.Maps{}, one.Of.limit()
		if one.Added != (job.AddedNoise{}) {
			x.added = &one.Added // the one volume has it
		}
	}
	if err := x.refuseTogether(); err != nil {
		return err
	}
	load, done := x.all.Again()
	defer done()
	t := &joint{volumes: x.all.Len()}
	x.together = t
	var kept map[int]*series.Series // volumes that were read for the estimate, if all are held next, which takes more memory
	if int64(2*t.volumes+3)*4*int64(x.all.Geometry.Voxels()) <= x.plan.Limit {
		kept = map[int]*series.Series{}
	}
	read := func(k int) (*series.Series, error) {
		if s := kept[k]; s != nil {
			return s, nil
		}
		s, err := x.loadTogether(ctx, k, load)
		if err == nil && kept != nil {
			kept[k] = s
		}
		return s, err
	}
	first, err := read(0)
	if err != nil {
		return err
	}
	v := &volumeWork{x: x}
	if err := v.check(ctx, first); err != nil {
		return err
	}
	if err := x.loadMaps(ctx, first); err != nil {
		return err
	}
	if t.region, t.maps = v.region, x.maps; one.Given != nil {
		t.usual, t.facts = first, one.Given
	}
	if err := timed(&x.outcome.Seconds.Estimate, func() error { return x.resolveTogether(ctx, first.Volume.Geometry, read) }); err != nil {
		return err
	}
	if err := v.start(); err != nil {
		return err
	}
	err = x.runTogether(ctx, first.Volume.Geometry, func(k int) (*series.Series, error) {
		defer func() { delete(kept, k) }()
		return read(k)
	})
	t.seconds = time.Since(started).Seconds() - x.outcome.Seconds.Estimate
	job.Log("denoise", slog.String("filter", t.resolved.Filter), slog.Int("volumes", t.volumes), job.Outcome(err), slog.Float64("seconds", t.seconds))
	return err
}

// loadTogether reads volume k, and adds noise.
func (x *execution) loadTogether(ctx context.Context, k int, load func(ctx context.Context, k int) (*series.Series, error)) (*series.Series, error) {
	s, err := load(ctx, k)
	if err == nil {
		s, err = Evened(x.job, s)
	}
	if err == nil && x.added != nil {
		s, err = run.AddNoise(ctx, s, *x.added)
	}
	if err == nil && s.Volume.Dims != x.all.Geometry.Dims && x.job.Uneven == "" {
		err = &job.InputError{Path: x.all.Path, Problem: message.Text("its volumes differ in size"), Advice: message.Text("choose one with --series")}
	}
	return s, err
}

// refuseTogether says what cannot be done with the volumes of a series together.
func (x *execution) refuseTogether() error {
	r := *x.job.Recipe
	if _, err := r.FitTo(x.all.Geometry, x.all.Len()); err != nil {
		return job.Usage(err)
	}
	switch {
	case r.Tunes():
		return job.Usagef("%s: no strength is found for the volumes of a 4-D series together; give --strength as a number", r.Filter)
	case x.job.Uneven == job.UnevenSplit:
		return job.Usagef("%s filters no evenly spaced parts by themselves; resample them with --uneven resample", r.Filter)
	case x.all.Again == nil:
		return job.Usagef("%s needs a 4-D series in files", r.Filter)
	}
	return nil
}

// mostCompared is the number of volumes of which the noise is estimated: the one with the median noise shows that of the series.
const mostCompared = 7

// resolveTogether finds the noise of the series, and the numbers of the recipe.
func (x *execution) resolveTogether(ctx context.Context, g volume.Geometry, read func(k int) (*series.Series, error)) error {
	t := x.together
	recipe, err := x.job.Recipe.FitTo(g, t.volumes)
	if err != nil {
		return job.Usage(err)
	}
	if t.usual == nil {
		if err := x.noiseTogether(ctx, recipe, read); err != nil {
			return err
		}
	}
	q := run.Request{Series: t.usual, Recipe: recipe, Maps: t.maps, Facts: t.facts}
	if t.resolved, _, err = q.Resolve(ctx, engines.CPU(), t.maps.Input(t.usual.Volume)); err != nil {
		return err
	}
	if text := run.WarnOfAuto(recipe, t.facts, func() bool { return t.resolved.Get("sigma").Float() <= t.facts.Negligible() }); !text.IsZero() {
		x.warn(text)
	}
	return nil
}

// noiseTogether finds the noise of the series for a recipe.
func (x *execution) noiseTogether(ctx context.Context, recipe denoise.Recipe, read func(k int) (*series.Series, error)) error {
	t := x.together
	usual, e, err := x.usualVolume(ctx, recipe, read)
	if err != nil {
		return err
	}
	if _, sigma := recipe.Needs(); sigma && t.maps.Noise == nil && t.maps.Mask == nil {
		f, err := denoise.FactsWith(ctx, usual.Volume, e)
		if err != nil {
			return err
		}
		t.facts = &f
	}
	if t.maps, err = t.maps.Estimate(ctx, x.job, usual, t.facts); err == nil && x.job.NoiseMap == job.MapIfVaries {
		t.maps, t.facts, err = t.maps.IfVaries(ctx, recipe, usual, t.facts)
		x.sayMapped(t.maps)
	}
	t.usual = usual
	return err
}

// usualVolume returns a volume with the noise that is usual in the series, and what is known of it: of some volumes the one
// with the median noise, or what volumes that repeat each other differ in.
func (x *execution) usualVolume(ctx context.Context, r denoise.Recipe, read func(k int) (*series.Series, error)) (*series.Series, noise.Estimate, error) {
	type candidate struct {
		k int
		e noise.Estimate
	}
	var all []candidate
	n := x.together.volumes
	count := min(n, mostCompared)
	if _, sigma := r.Needs(); !sigma {
		count = 1
	}
	for c := range count {
		k := c * (n - 1) / max(count-1, 1)
		s, err := read(k)
		if err != nil {
			return nil, noise.Estimate{}, err
		}
		e, err := noise.Of(ctx, s.Volume)
		if err != nil {
			return nil, noise.Estimate{}, err
		}
		all = append(all, candidate{k, e})
	}
	known := slices.DeleteFunc(slices.Clone(all), func(c candidate) bool { return c.e.Confidence == noise.None })
	if len(known) == 0 {
		known = all[:1]
	}
	slices.SortStableFunc(known, func(a, b candidate) int { return cmp.Compare(a.e.Sigma, b.e.Sigma) })
	middle := known[len(known)/2]
	if x.all.Group != nil && count > 1 && x.added == nil {
		repeats, err := x.alike.find(ctx, x.all.Group, func(_ context.Context, k int) (*series.Series, error) { return read(k) })
		if err != nil {
			return nil, noise.Estimate{}, err
		}
		middle.e = middle.e.OverTime(repeats)
	}
	s, err := read(middle.k)
	return s, middle.e, err
}

// runTogether filters the volumes, some slices at a time.
func (x *execution) runTogether(ctx context.Context, g volume.Geometry, read func(k int) (*series.Series, error)) error {
	t := x.together
	program, err := t.resolved.BindSeries(g, t.volumes)
	if err != nil {
		return job.Usage(err)
	}
	ctx, devices := denoise.LogDevices(ctx)
	defer func() {
		for _, u := range devices.All() {
			x.devices.Add(u)
		}
	}()
	filter := seriesFilterOf(x.engine, t.resolved, program, g)
	from, to := t.region.Min[2], t.region.Max[2]
	n, err := x.slicesTogether(program, g)
	if err != nil {
		return err
	}
	t.rank = volume.New(g.Crop(t.region))
	t.restored = make([]int, t.volumes)
	if n < to-from {
		if t.file, err = os.CreateTemp("", "quell-voxels-*"); err != nil {
			return err
		}
		_ = os.Remove(t.file.Name()) // where the system allows it, no file is left after a kill
	}
	slabs := (to - from + n - 1) / n
	for k := range slabs {
		z := from + k*n
		slab := program.Slab(z, min(z+n, to))
		in, err := x.readTogether(ctx, slab, read)
		if err != nil {
			return err
		}
		var progress denoise.Progress
		if all := x.events.Track(job.Filtering); all != nil {
			progress = func(done, total int64) { all(int64(k)*total+done, int64(slabs)*total) }
		}
		out, err := filter(ctx, in, slab, progress)
		if err != nil {
			return err
		}
		for i := range out.Dims[0] * out.Dims[1] * out.Dims[2] {
			_, rank := out.At(i)
			t.rank.Data[(z-from)*g.SliceVoxels()+i] = *rank
		}
		for c, restored := range out.Restored {
			t.restored[c] += restored
		}
		if t.file == nil {
			t.part = out.SeriesPart
			return nil
		}
		if err := t.spool(out.SeriesPart, z-from); err != nil {
			return err
		}
	}
	text := fmt.Sprintf("%s: its %d volumes need more memory than %s together: filtered in %d slabs of %d slices", x.all.Path, t.volumes, job.Bytes(x.plan.Limit), slabs, n)
	x.outcome.Slabs = &Slabs{Count: slabs, Slices: n, Memory: x.plan.Limit, Text: text}
	x.events.Say(series.Note, text)
	return nil
}

// seriesFilterOf returns the function that runs a program on an engine.
func seriesFilterOf(engine denoise.Engine, r denoise.Recipe, program denoise.SeriesProgram, g volume.Geometry) func(context.Context, denoise.SeriesPart, denoise.Slab, denoise.Progress) (denoise.SeriesResult, error) {
	if e, ok := engine.(denoise.SeriesEngine); ok {
		return func(ctx context.Context, in denoise.SeriesPart, slab denoise.Slab, progress denoise.Progress) (denoise.SeriesResult, error) {
			return e.RunSeries(ctx, r, g, in, slab, progress)
		}
	}
	return program.Run
}

// slicesTogether returns how many slices of all volumes are filtered at a time: as many as the memory of the job allows.
func (x *execution) slicesTogether(program denoise.SeriesProgram, g volume.Geometry) (int, error) {
	t := x.together
	from, to := t.region.Min[2], t.region.Max[2]
	slice := 4 * int64(g.SliceVoxels())
	free := x.plan.Limit - 3*slice*int64(g.Dims[2]) // a volume as it is, in sigmas, and the maps
	for n := to - from; n > 0; n-- {
		most := int64(0)
		for z := from; z < to; z += n {
			s := program.Slab(z, min(z+n, to))
			most = max(most, 2*int64(s.End-s.First))
		}
		if most*slice*int64(t.volumes) <= free {
			return n, nil
		}
	}
	return 0, job.Usagef("a slice of the %d volumes of %s, and those around it, do not fit into the %s of memory that it may take: allow more with --memory, or free some", t.volumes, x.all.Path, job.Bytes(x.plan.Limit))
}

// readTogether reads slices of all volumes, in sigmas.
func (x *execution) readTogether(ctx context.Context, slab denoise.Slab, read func(k int) (*series.Series, error)) (denoise.SeriesPart, error) {
	t := x.together
	var in denoise.SeriesPart
	var sigma []float32
	for k := range t.volumes {
		s, err := read(k)
		if err != nil {
			return in, err
		}
		v, err := t.resolved.ToSigmas(ctx, t.maps.Input(s.Volume))
		if err != nil {
			return in, err
		}
		v = v.Crop(volume.Slices(v.Geometry, slab.First, slab.End))
		if k == 0 {
			in = denoise.NewSeriesPart(v.Dims, t.volumes)
			sigma = t.resolved.SigmaOf(t.maps.Input(s.Volume), volume.Slices(s.Volume.Geometry, slab.First, slab.End))
			if sigma == nil {
				sigma = slices.Repeat([]float32{1}, len(v.Data))
			}
		}
		for i, value := range v.Data {
			voxels, last := in.At(i)
			voxels[k] = value
			if v.Valid(i) && (k == 0 || *last > 0) {
				*last = sigma[i]
			} else {
				*last = 0
			}
		}
		if progress := x.events.Count(job.Reading); progress != nil {
			progress(k+1, t.volumes)
		}
	}
	return in, nil
}

// spool writes the slices of a result from slice z on to the file.
func (t *joint) spool(part denoise.SeriesPart, z int) error {
	d := t.region.Dims()
	n := d[0] * d[1]
	values := make([]float32, n*part.Dims[2])
	for k := range t.volumes {
		for i := range values {
			values[i] = part.Data[i*(t.volumes+1)+k]
		}
		b, _ := volume.LittleEndian(values)
		if _, err := t.file.WriteAt(b, 4*int64(n)*(int64(k)*int64(d[2])+int64(z))); err != nil {
			return err
		}
	}
	return nil
}

// voxels returns those of volume k of the result, in sigmas.
func (t *joint) voxels(k int) ([]float32, error) {
	values := make([]float32, t.region.Voxels())
	if t.file != nil {
		return values, volume.ReadLittleEndian(t.file, 4*int64(k)*int64(len(values)), values)
	}
	for i := range values {
		values[i] = t.part.Data[i*(t.volumes+1)+k]
	}
	return values, nil
}

// close drops the result.
func (t *joint) close() {
	if t != nil && t.file != nil {
		t.file.Close()
		_ = os.Remove(t.file.Name())
	}
}

// take makes a volume of the result of what is in memory of it.
func (v *volumeWork) take(ctx context.Context) error {
	t := v.x.together
	started := time.Now()
	k := v.k
	if one := v.x.means.Volume; one.Of != nil {
		k = one.K
	}
	x, err := t.voxels(k)
	if err != nil {
		return err
	}
	result, err := t.resolved.FromSigmas(ctx, t.maps.Input(v.made.Source.Volume), t.region, x)
	if err != nil {
		return err
	}
	v.made.Result, v.made.Rank = result, t.rank
	share := t.seconds / float64(v.x.src.Len())
	v.made.Run = &run.Run{
		Recipe: v.recipe, Resolved: t.resolved, Engine: v.x.engine.Info(), Source: v.made.Source, Maps: t.maps, Region: t.region, Result: result, Facts: v.x.means.Facts,
		Started: started, Filter: time.Since(started) + time.Duration(share*float64(time.Second)), Later: &run.LaterFacts{},
	}
	v.outcome.Restored = t.restored[k]
	v.outcome.Seconds.Filter += share
	return nil
}
