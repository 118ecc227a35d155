package arrays

import (
	"context"
	"math"

	"quell/app"
	"quell/app/engines"
	"quell/app/executor"
	"quell/app/job"
	"quell/app/judge"
	"quell/app/run"
	"quell/denoise/noise"
)

// denoised is the reply to denoise.
type denoised struct {
	executor.Outcome
	Estimate *noise.Figure `json:"estimate,omitempty"` // of the noise of the input, if the recipe or the verdict needed it
}

// denoise filters an image as quell denoise does.
func (m *memory) denoise(ctx context.Context, r Request, events job.Events) (any, error) {
	asked := job.Asked{Recipe: r.Recipe, Preset: r.Preset, Filter: r.Filter, Dims: r.Dims, Parameters: r.Parameters}
	recipe, autoDims, err := asked.Answer()
	if err != nil {
		return nil, err
	}
	j := job.Job{Recipe: &recipe, AutoDims: autoDims, Engine: job.EnginePolicy{Name: r.Engine, Threads: r.Threads}, Measure: r.Assess, Memory: math.MaxInt64}
	if err := job.CheckEngine(r.Engine); err != nil {
		return nil, err
	}
	to, err := m.output(r, r.Input.Array)
	if err != nil {
		return nil, err
	}
	src, first, err := m.source(ctx, r.Input)
	if err != nil {
		return nil, err
	}
	if g := src.Geometry; recipe.SeriesFilter() != nil {
		j.Memory = 0 // as a job on files, some slices of all volumes at a time
	} else if err := room((executor.VoxelBytes(j, &recipe, g) - 4) * int64(g.Voxels())); err != nil { // but for the input
		return nil, err
	}
	means := executor.Means{Engine: executor.StartEngine(j), Fallback: true}
	if means.Maps, j.NoiseMap, err = m.maps(ctx, r, first.Volume.Geometry, job.MapIfVaries); err != nil {
		return nil, err
	}
	outcome, err := app.Execute(ctx, j, src, means, events, results{to})
	if err != nil {
		return nil, err
	}
	reply := denoised{Outcome: outcome}
	if len(outcome.Each) > 0 {
		reply.Estimate = outcome.Each[0].Noise
	}
	return reply, nil
}

// results writes the volumes of a result to the memory of the client.
type results struct{ to []float32 }

func (results) Begin(context.Context, *executor.Made) error     { return nil }
func (results) Finish(context.Context, *executor.Outcome) error { return nil }
func (results) Abort()                                          {}

func (r results) Slab(ctx context.Context, s *executor.Slab) error {
	result := s.Part.Result
	n := result.Voxels()
	return write(ctx, r.to[s.Volume*n:(s.Volume+1)*n], result, s.Part.Source.Infinite)
}

// output returns the memory of the output, which has the dims of the input.
func (m *memory) output(r Request, like Array) ([]float32, error) {
	if r.Output == nil {
		return nil, job.Usagef("the request has no output")
	}
	if r.Output.Dims != like.Dims || max(r.Output.Volumes, 1) != max(like.Volumes, 1) {
		return nil, job.Usagef("the output is of %v voxels, and the array of %v", r.Output.Dims, like.Dims)
	}
	to, err := m.floats("output", *r.Output)
	if err != nil {
		return nil, err
	}
	if r.Output.Memory == r.Input.Memory && r.Output.Offset < r.Input.Offset+4*len(to) && r.Input.Offset < r.Output.Offset+4*len(to) {
		return nil, job.Usagef("the output lies on the input")
	}
	return to, nil
}

// voxels returns their number, for dims that are valid.
func (a Array) voxels() int { return a.Dims[0] * a.Dims[1] * a.Dims[2] }

// estimate estimates the noise of an image as quell estimate does, and maps it if there is an output.
func (m *memory) estimate(ctx context.Context, r Request) (e noise.Estimate, err error) {
	s, err := m.series(ctx, r.Input)
	if err != nil {
		return e, err
	}
	if r.Output == nil {
		return noise.Of(ctx, s.Volume)
	}
	to, err := m.output(r, r.Input.Array)
	if err != nil {
		return e, err
	}
	sigma, e, err := run.MapNoise(ctx, s)
	if err != nil {
		return e, err
	}
	return e, write(ctx, to, sigma, nil)
}

// assess judges a result as quell assess does.
func (m *memory) assess(ctx context.Context, r Request) (any, error) {
	if r.Result == nil {
		return nil, job.Usagef("the request has no result to be judged")
	}
	if r.Result.Dims != r.Input.Dims {
		return nil, job.Usagef("the result is of %v voxels, and the array of %v", r.Result.Dims, r.Input.Dims)
	}
	if r.Recipe != nil && !r.Recipe.Resolved() {
		return nil, job.Usagef("the recipe contains automatic values; give it as it was run")
	}
	before, err := m.series(ctx, r.Input)
	if err != nil {
		return nil, err
	}
	after, err := m.series(ctx, Image{Array: *r.Result})
	if err != nil {
		return nil, err
	}
	after.Volume.Geometry = before.Volume.Geometry
	in := judge.Input{Before: before, After: after.Volume, Recipe: r.Recipe, WithoutMap: true}
	maps, noiseMap, err := m.maps(ctx, r, before.Volume.Geometry, "")
	if err != nil {
		return nil, err
	}
	in.Mask, maps.Mask = maps.Mask, nil
	if in.Maps, err = maps.Estimate(ctx, job.Job{NoiseMap: noiseMap}, before, nil); err != nil {
		return nil, err
	}
	if in.Engine, err = engines.Pick("cpu"); err != nil {
		return nil, err
	}
	return judge.Assess(ctx, in)
}
