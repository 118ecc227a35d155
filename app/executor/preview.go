package executor

import (
	"context"
	"sync"
	"sync/atomic"

	"quell/app/job"
	"quell/app/open"
	"quell/app/run"
	"quell/denoise"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// SeriesPreview filters slices of the volumes of a 4-D series, each with the voxels of a job on all volumes. It keeps the
// slices that it read, the noise of the series, and the last result. One call works at a time.
type SeriesPreview struct {
	Bytes atomic.Int64 // that are kept

	catalog *open.Catalog
	entries []int
	limit   func() int64 // bytes that it may take
	alike   alike

	mu    sync.Mutex
	added job.AddedNoise    // to the volumes that were read
	noise map[[3]bool]joint // by what the recipe needs of it
	first int               // slice of held
	held  []*volume.Volume  // the same slices of all volumes
	made  *joint            // what was filtered
}

// PreviewOfSeries returns the preview of the volumes of a catalog; limit returns the bytes of memory that it may take.
func PreviewOfSeries(c *open.Catalog, entries []int, limit func() int64) *SeriesPreview {
	return &SeriesPreview{catalog: c, entries: entries, limit: limit, noise: map[[3]bool]joint{}}
}

// SeriesVolume is volume K of a 4-D series; the zero value is in none.
type SeriesVolume struct {
	Of    *SeriesPreview
	K     int
	Added job.AddedNoise // to the volume
	Given *denoise.Facts // of the volume, with the noise that a person gave; nil to estimate that of the series
}

// Filter returns a region of the volume, which is v, filtered together with all others, and the recipe with its numbers.
func (s SeriesVolume) Filter(ctx context.Context, engine denoise.Engine, r denoise.Recipe, v *volume.Volume, region volume.Region) (*volume.Volume, denoise.Recipe, error) {
	p := s.Of
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.added != s.Added {
		p.added, p.noise, p.held, p.made = s.Added, map[[3]bool]joint{}, nil, nil
	}
	src, done := SourceIn(p.catalog, p.entries)
	defer done()
	x := newExecution(job.Job{Recipe: &r, NoiseMap: job.MapIfVaries}, src, Means{}, nil, job.Events{})
	x.alike = &p.alike
	if x.engine = engine; s.Added != (job.AddedNoise{}) {
		x.added = &s.Added
	}
	read := func(k int) (*series.Series, error) {
		return x.loadTogether(ctx, k, func(ctx context.Context, k int) (*series.Series, error) { return src.Load(ctx, k, job.Events{}) })
	}
	t, err := s.resolve(ctx, x, v, read)
	if err != nil {
		return nil, r, err
	}
	t.region = volume.Slices(v.Geometry, region.Min[2], region.Max[2])
	plain := func(t *joint) denoise.Recipe {
		return t.resolved.With(denoise.MixStrength.Name, denoise.MixStrength.Default)
	}
	if m := p.made; m != nil && m.region == t.region && m.maps.Noise == t.maps.Noise && plain(m).Equal(plain(t)) {
		t.part = m.part
	} else if err := p.filter(ctx, x, v, read); err != nil {
		return nil, r, err
	}
	p.made = t
	voxels, _ := t.voxels(s.K) // which are in memory
	out, err := t.resolved.FromSigmas(ctx, t.maps.Input(v), t.region, voxels)
	if err != nil {
		return nil, r, err
	}
	region.Min[2], region.Max[2] = 0, out.Dims[2]
	return out.Crop(region), t.resolved, nil
}

// Facts returns the facts of the volume, which is v, with the noise by which the volumes of its series differ, if they repeat
// each other and no noise was added. The error is the context's, or of a volume that cannot be read.
func (s SeriesVolume) Facts(ctx context.Context, v *volume.Volume) (denoise.Facts, error) {
	if s.Of == nil || len(s.Of.entries) == 1 || s.Added != (job.AddedNoise{}) {
		return denoise.FactsOf(ctx, v)
	}
	src, done := SourceIn(s.Of.catalog, s.Of.entries)
	defer done()
	known, err := s.Of.alike.facts(ctx, src, v)
	if err != nil {
		return denoise.Facts{}, err
	}
	return run.FactsOf(ctx, v, known, denoise.FactsOf)
}

// resolve finds the numbers of the recipe; the noise of the series is found once.
func (s SeriesVolume) resolve(ctx context.Context, x *execution, v *volume.Volume, read func(k int) (*series.Series, error)) (*joint, error) {
	if err := x.refuseTogether(); err != nil {
		return nil, err
	}
	width, sigma := x.job.Recipe.Needs()
	key := [3]bool{width, sigma, run.Mappable(*x.job.Recipe)}
	t := s.Of.noise[key]
	if t.volumes = x.src.Len(); s.Given != nil || key == [3]bool{} {
		t.usual, t.facts, t.maps = &series.Series{Volume: v}, s.Given, run.Maps{}
	}
	x.together = &t
	err := x.resolveTogether(ctx, v.Geometry, read)
	if err == nil && s.Given == nil {
		s.Of.noise[key] = t
	}
	return &t, err
}

// filter filters the slices in the region of x.together.
func (p *SeriesPreview) filter(ctx context.Context, x *execution, like *volume.Volume, read func(k int) (*series.Series, error)) error {
	t := x.together
	program, err := t.resolved.BindSeries(like.Geometry, t.volumes)
	if err != nil {
		return job.Usage(err)
	}
	slab := program.Slab(t.region.Min[2], t.region.Max[2])
	p.made = nil
	if err := p.hold(slab.First, slab.End, like.Geometry, read); err != nil {
		return err
	}
	v, at := *like, p.first*like.SliceVoxels()
	v.Data = make([]float32, len(like.Data)) // other slices are not used
	in, err := x.readTogether(ctx, slab, func(k int) (*series.Series, error) {
		copy(v.Data[at:], p.held[k].Data)
		if v.Mask = nil; p.held[k].Mask != nil {
			v.Mask = make([]bool, len(v.Data))
			copy(v.Mask[at:], p.held[k].Mask)
		}
		return &series.Series{Volume: &v}, nil
	})
	if err != nil {
		return err
	}
	out, err := seriesFilterOf(x.engine, t.resolved, program, like.Geometry)(ctx, in, slab, nil)
	t.part = out.SeriesPart
	return err
}

// hold reads some slices of all volumes, or all slices if there is memory for them, unless they are held.
func (p *SeriesPreview) hold(first, end int, g volume.Geometry, read func(k int) (*series.Series, error)) error {
	slice, n, limit := 4*int64(g.SliceVoxels()), int64(len(p.entries)), p.limit()
	filtered := slice * (2*n*int64(end-first) + 5*int64(g.Dims[2])) // the slices in sigmas, their result, and single volumes
	if need := filtered + slice*n*int64(end-first); need > limit {
		return message.Errorf(message.MemoryShort, "the slices around this one of all %d volumes need %s of memory, and a preview may take %s; filter the series with quell denoise",
			n, message.Figure(job.Bytes(need)), message.Figure(job.Bytes(limit)))
	}
	if p.held != nil && p.first <= first && p.first+p.held[0].Dims[2] >= end {
		return nil
	}
	if filtered+slice*n*int64(g.Dims[2]) <= limit {
		first, end = 0, g.Dims[2]
	}
	p.held = nil
	held := make([]*volume.Volume, n)
	for k := range held {
		s, err := read(k)
		if err != nil {
			return err
		}
		held[k] = s.Volume.Crop(volume.Slices(g, first, end))
	}
	p.first, p.held = first, held
	p.Bytes.Store(filtered + slice*n*int64(end-first))
	return nil
}
