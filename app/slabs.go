package app

import (
	"cmp"
	"context"
	"errors"
	"time"

	"quell/denoise"
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
	g := in.geometry()
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
	return j.Recipe != nil || j.Memory > 0 || in.Catalog.Entries[in.Entries[0]].slices != nil && FormatOf(j.Output.Path).Streams && j.Uneven == ""
}

// DoSlabs is Do, slab by slab, for entry i or, of several entries, for the 4-D series that they
// form. A volume needs so many bytes of memory: more than the job may take. A failure of the
// engine is returned.
func (c *Catalog) DoSlabs(ctx context.Context, entries []int, need int64, eng denoise.Engine, job Job, events Events) (Report, error) {
	job.Engine = EnginePolicy{Name: eng.Info().Name} // no other
	in := &OpenedVolumes{Selection: Selection{Entries: entries}, Catalog: c, events: events}
	if len(entries) > 1 {
		in.Group = c.Entries[entries[0]].Group
	}
	return doSlabs(ctx, job, in, need, func() (denoise.Engine, error) { return eng, nil }, events)
}

// doSlabs does a job, volume by volume and slab by slab. Where the engine fails and the job's
// policy allows another, that one begins again.
func doSlabs(ctx context.Context, job Job, in *OpenedVolumes, need int64, engine func() (denoise.Engine, error), events Events) (Report, error) {
	do := func(engine func() (denoise.Engine, error)) (Report, error) {
		if in.Group != nil {
			g := &groupWork{job: job, in: in, events: events}
			return g.inSlabs(ctx, need, engine)
		}
		w := newSlabWork(job, in, 0, need, events)
		return w.do(ctx, engine)
	}
	r, err := do(engine)
	if other, ok := job.Engine.fallback(); ok && errors.Is(err, ErrEngineFailed) {
		failed, _ := engine()
		text := FallbackText(err, failed, other, *job.Recipe, in.geometry(), len(in.Entries))
		events.message(series.Warning, text)
		r, err = do(func() (denoise.Engine, error) { return other, nil })
		r.Warnings = append([]string{text}, r.Warnings...)
	}
	return r, err
}

// do takes the steps of the job on a volume that is alone.
func (w *slabWork) do(ctx context.Context, engine func() (denoise.Engine, error)) (Report, error) {
	if err := w.prepare(ctx, engine); err != nil {
		return Report{}, err
	}
	w.in.announce(w.source.Findings)
	w.events.message(series.Note, w.slabs.Text)
	e, err := w.export()
	if err != nil {
		return Report{}, err
	}
	written, err := write(ctx, e, w.job.Output.Path, w.job.Output.ExportOptions, nil)
	if err = w.wrote(&written, err); err != nil {
		return Report{}, err
	}
	r := w.done().report(written)
	r.Run, r.Covered, r.Slabs = nil, w.in.Covered, &w.slabs
	return r, nil
}

// inSlabs does the job on the volumes, one after another, each slab by slab.
func (g *groupWork) inSlabs(ctx context.Context, need int64, engine func() (denoise.Engine, error)) (Report, error) {
	if err := checkGroupOutput(g.job.Output); err != nil {
		return Report{}, err
	}
	defer g.close()
	for k := range g.in.Entries {
		if err := g.volumeInSlabs(ctx, k, need, engine); err != nil {
			return Report{}, err
		}
	}
	return g.finish(ctx)
}

// volumeInSlabs does the job on volume k.
func (g *groupWork) volumeInSlabs(ctx context.Context, k int, need int64, engine func() (denoise.Engine, error)) error {
	started := time.Now()
	w := newSlabWork(g.job, g.in, k, need, g.volumeEvents(k))
	if err := w.prepare(ctx, engine); err != nil {
		return err
	}
	switch {
	case k == 0:
		g.events.message(series.Note, w.slabs.Text)
		g.report.Slabs = &w.slabs
		if err := g.beginOutputs(); err != nil {
			return err
		}
	case w.slabs != *g.report.Slabs:
		w.events.message(series.Note, w.slabs.Text)
	}
	e, err := w.export()
	if err != nil {
		return err
	}
	written, err := g.output.add(ctx, k, e)
	if err = w.wrote(&written, err); err != nil {
		return err
	}
	one := w.done()
	one.seconds.Total = time.Since(started).Seconds()
	one.seconds.Load = one.seconds.Total - one.seconds.Start - one.seconds.Filter - one.seconds.Write
	g.add(k, one, written)
	g.report.Volumes[k].Slabs = &w.slabs
	return nil
}
