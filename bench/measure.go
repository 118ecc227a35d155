package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"quell/denoise"
	"quell/gpu"
	"quell/measure"
	"quell/volume"
)

// RowResult is the result of a row.
type RowResult struct {
	Figures  map[string]float64 `json:"figures"`         // by key; seconds, dB, plain numbers
	Input    string             `json:"input"`           // what was filtered
	Phantom  bool               `json:"phantom"`         // and that it is one of Quell's phantoms
	Voxels   int                `json:"voxels"`          // that were filtered
	Slices   int                `json:"slices"`          // of the input that were filtered
	Rows     int                `json:"rows,omitempty"`  // of a slice that were filtered, if not all
	Of       int                `json:"of"`              // slices that the input has
	Repeats  int                `json:"repeats"`         // the times are the median of
	Turns    []float64          `json:"turns,omitempty"` // the time of each turn, in seconds, see takeTurns; none: one
	Steps    []float64          `json:"steps,omitempty"` // likewise of FirstStep
	Recipe   *denoise.Recipe    `json:"recipe,omitempty"`
	Found    string             `json:"found,omitempty"` // of the input, by the filter: "h = 31.5"
	Work     float64            `json:"work,omitempty"`  // of the filter's formula for a voxel, see workOf; 0: not counted
	Check    *Agreement         `json:"check,omitempty"`
	Profiles []Profile          `json:"profiles,omitempty"`
	Pictures []Picture          `json:"-"`
}

// Profile is a row of pixels.
type Profile struct {
	Name   string    `json:"name"`
	Values []float32 `json:"values"`
}

// measurement is a row being measured.
type measurement struct {
	ctx      context.Context
	row      Row
	engine   denoise.Engine
	image    *sample
	open     func(Input) (*sample, error) // makes another input, for Row.EveryPass
	quick    bool
	images   bool // the experiment compares images, not times alone
	progress denoise.Progress
	key      string // of the checkpoint

	recipe denoise.Recipe // resolved
	region volume.Region
	output *volume.Volume
	result RowResult
}

// run checks a row's recipe against the reference, times it and measures the
// quality of its result.
func (m *measurement) run() error {
	if err := m.choose(); err != nil {
		return err
	}
	v := m.image.noisy
	m.result = RowResult{Figures: map[string]float64{}, Input: m.image.text, Phantom: m.image.phantom, Of: v.Dims[2]}
	if err := m.check(); err != nil {
		return err
	}
	m.result.Work = workOf(m.recipe, v.Geometry)
	m.result.Slices, m.result.Voxels, m.result.Recipe = m.region.Dims()[2], m.region.Voxels(), &m.recipe
	if rows := m.region.Dims()[1]; rows < v.Dims[1] {
		m.result.Rows = rows
	}
	if key := m.row.Automatic; key != "" {
		m.result.Found = fmt.Sprintf("%s = %s", key, significant(m.recipe.Get(key).Float()))
	}
	if m.row.measure != nil {
		return m.row.measure(m)
	}
	if err := m.time(); err != nil {
		return err
	}
	if err := m.step(); err != nil {
		return err
	}
	maps.Copy(m.result.Figures, m.row.Known)
	if m.images && !m.row.Scalar {
		if err := m.quality(); err != nil {
			return err
		}
	}
	return m.draw()
}

// choose resolves the row's recipe; of several settings it takes the one with the
// result nearest to the truth.
func (m *measurement) choose() error {
	least := 0.0
	var best *sample
	for i, setting := range m.row.Settings {
		r, err := m.row.recipe(setting)
		if err != nil {
			return err
		}
		if m.row.EveryPass {
			q := m.row.Input
			q.Regularise = m.row.Filter + " " + setting
			if m.image, err = m.open(q); err != nil {
				return err
			}
		}
		in := denoise.Input{Volume: m.image.noisy}
		if r, err = r.ResolveFor(m.ctx, in); err != nil {
			return err
		}
		region, err := m.part(r)
		if err != nil {
			return err
		}
		if len(m.row.Settings) == 1 {
			m.recipe, m.region = r, region
			return nil
		}
		out, err := m.engine.Run(m.ctx, r, in, region, nil)
		if err != nil {
			return err
		}
		c, err := measure.Compare(m.ctx, m.image.truth.Crop(region), out, measure.Options{Max: m.image.peak})
		if err != nil {
			return err
		}
		if i == 0 || float64(c.MSE) < least {
			m.recipe, m.region, least, best = r, region, float64(c.MSE), m.image
		}
		if m.progress != nil {
			m.progress(int64(i+1), int64(len(m.row.Settings)+1))
		}
	}
	m.image = best
	return nil
}

// quickSeconds is the time of one core, by the model of the CPU engine, that a row of
// a quick run may take; programs take three times as long. A GPU gets kernelSeconds of such work: the rows of threads
// that the papers compare need some length. It gets no more than the CPU if images
// are compared, so that both filter the same slices.
const (
	quickSeconds  = 0.2
	kernelSeconds = 15 * quickSeconds
)

// part returns the slices that the row filters: all of them, or in a quick run as
// many of the middle ones as its time allows. A region's result is the same as in a
// run over the whole volume.
func (m *measurement) part(r denoise.Recipe) (volume.Region, error) {
	g := m.image.noisy.Geometry
	program, err := r.Bind(g)
	if err != nil || !m.row.Scalar && (!m.quick || m.row.Whole) {
		return m.image.noisy.Bounds(), err
	}
	if m.row.Scalar { // it takes hours
		return m.scalarPart(program), nil
	}
	nanoseconds := 0.0
	for _, pass := range program.Passes {
		nanoseconds += pass.CPU.Nanoseconds
	}
	seconds := quickSeconds
	if m.row.Engine == "cuda" && !m.images {
		seconds = kernelSeconds
	}
	n := int(seconds * 1e9 / max(nanoseconds*float64(g.SliceVoxels()), 1))
	n = min(max(n, 1), g.Dims[2])
	from := (g.Dims[2] - n) / 2
	return volume.Slices(g, from, from+n), nil
}

// scalarPart returns the middle rows of the middle slices that a scalar program filters in
// about the time of a quick row. The time of a voxel is the whole's but for the
// ends of the volume, at which windows are cut.
func (m *measurement) scalarPart(p denoise.Program) volume.Region {
	g := m.image.noisy.Geometry
	threads := 1
	if s, ok := m.engine.(scalarEngine); ok {
		threads = s.threads
	}
	rows := int(quickSeconds*1e9*float64(threads)/(scalarNanoseconds(p)*float64(g.Dims[0]))) / g.Dims[1] * g.Dims[1]
	if rows == 0 {
		rows = max(int(quickSeconds*1e9*float64(threads)/(scalarNanoseconds(p)*float64(g.Dims[0]))), threads)
	}
	if rows >= g.Dims[1] {
		n := min(rows/g.Dims[1], g.Dims[2])
		from := (g.Dims[2] - n) / 2
		return volume.Slices(g, from, from+n)
	}
	region := volume.Slices(g, g.Dims[2]/2, g.Dims[2]/2+1)
	region.Min[1] = (g.Dims[1] - rows) / 2
	region.Max[1] = region.Min[1] + rows
	return region
}

// How often a run is repeated: until it took enough time in all.
const (
	fewest  = 3
	most    = 20
	enough  = 500 * time.Millisecond
	tooLong = 2 * time.Second // one run that takes longer is not repeated

	quickEnough  = 30 * time.Millisecond  // of a quick run, once is enough for longer ones
	quickTooLong = 250 * time.Millisecond // of a quick run, the first counts if it takes longer
)

// repeated reports whether n runs, if the last took that long and all together
// total, are enough.
func (m *measurement) repeated(n int, last, total time.Duration) bool {
	if m.quick {
		return n == most || total > quickEnough
	}
	return last > tooLong || n == most || (n >= fewest && total > enough)
}

// warmsUp reports whether run n on a GPU, from 0, is not counted: the first, which sends
// the volume, except if it is long.
func (m *measurement) warmsUp(n int, took time.Duration) bool {
	return n == 0 && took <= tooLong && !(m.quick && took > quickTooLong)
}

// time runs the filter and keeps the median of the times.
func (m *measurement) time() error {
	kernels, onGPU := m.engine.(interface{ Status() gpu.Status })
	in := denoise.Input{Volume: m.image.noisy}
	var runs, busy []float64
	total := time.Duration(0)
	for n := 0; ; n++ {
		var before time.Duration
		if onGPU {
			before = kernels.Status().Busy
		}
		started := time.Now()
		out, err := m.engine.Run(m.ctx, m.recipe, in, m.region, m.progress)
		if err != nil {
			return err
		}
		took := time.Since(started)
		m.output = out
		if onGPU && m.warmsUp(n, took) {
			continue
		}
		if onGPU {
			busy = append(busy, (kernels.Status().Busy - before).Seconds())
		}
		runs, total = append(runs, took.Seconds()), total+took
		if m.repeated(len(runs), took, total) {
			break
		}
	}
	m.result.Repeats = len(runs)
	m.result.Figures[Time] = median(runs)
	if onGPU {
		m.result.Figures[Time], m.result.Figures[EndToEnd] = median(busy), median(runs)
	}
	return nil
}

// step times the filter up to the pass of Row.Step, if the row has one.
func (m *measurement) step() error {
	if m.row.Step == "" {
		return nil
	}
	part := *m
	part.ctx, part.result = denoise.UpTo(m.ctx, m.row.Step), RowResult{Figures: map[string]float64{}}
	if err := part.time(); err != nil {
		return err
	}
	m.result.Figures[FirstStep] = part.result.Figures[Time]
	return nil
}

// quality compares the result with the truth, if that is known.
func (m *measurement) quality() error {
	if m.image.truth == nil {
		return nil
	}
	truth := m.image.truth.Crop(m.region)
	options := measure.Options{Max: m.image.peak}
	c, err := measure.Compare(m.ctx, truth, m.output, options)
	if err != nil {
		return err
	}
	before, err := measure.Compare(m.ctx, truth, m.image.noisy.Crop(m.region), options)
	if err != nil {
		return err
	}
	for key, x := range map[string]measure.Float{MSE: c.MSE, PSNR: c.PSNR, SSIM: c.SSIM, PSNRBefore: before.PSNR} {
		if finite(float64(x)) {
			m.result.Figures[key] = float64(x)
		}
	}
	return nil
}

func finite(x float64) bool { return x-x == 0 }

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}

// String returns "12 of 51 slices", or "" if all were filtered.
func (r RowResult) part() string {
	if r.Rows > 0 {
		return fmt.Sprintf("%d rows of %d of %d slices", r.Rows, r.Slices, r.Of)
	}
	if r.Slices == r.Of {
		return ""
	}
	return fmt.Sprintf("%d of %d slices", r.Slices, r.Of)
}
