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
	to, err := m.output(r, r.Input.Dims)
	if err != nil {
		return nil, err
	}
	s, err := m.series(ctx, r.Input)
	if err != nil {
		return nil, err
	}
	n := int64(s.Volume.Voxels())
	if err := room((executor.VoxelBytes(j, &recipe, s.Volume.Geometry) - 4) * n); err != nil { // but for the input
		return nil, err
	}
	means := executor.Means{Engine: executor.StartEngine(j), Fallback: true}
	if means.Maps, j.NoiseMap, err = m.maps(ctx, r, s.Volume.Geometry, job.MapIfVaries); err != nil {
		return nil, err
	}
	outcome, err := app.Execute(ctx, j, executor.InMemory(s), means, events)
	if err != nil {
		return nil, err
	}
	if err := write(ctx, to, outcome.Run.Result, s.Infinite); err != nil {
		return nil, err
	}
	reply := denoised{Outcome: outcome}
	if len(outcome.Each) > 0 {
		reply.Estimate = outcome.Each[0].Noise
	}
	return reply, nil
}

// output returns the memory of the output, which has the dims of the input.
func (m *memory) output(r Request, dims [3]int) ([]float32, error) {
	if r.Output == nil {
		return nil, job.Usagef("the request has no output")
	}
	if r.Output.Dims != dims {
		return nil, job.Usagef("the output is of %v voxels, and the array of %v", r.Output.Dims, dims)
	}
	to, err := m.floats("output", *r.Output)
	if err != nil {
		return nil, err
	}
	if r.Output.Memory == r.Input.Memory && r.Output.Offset < r.Input.Offset+4*r.Input.voxels() && r.Input.Offset < r.Output.Offset+4*r.Output.voxels() {
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
	to, err := m.output(r, r.Input.Dims)
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
		return nil, job.Usagef("the recipe holds automatic values; give it as it was run")
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
	if in.Maps, err = maps.Estimate(ctx, job.Job{NoiseMap: noiseMap}, before); err != nil {
		return nil, err
	}
	if in.Engine, err = engines.Pick("cpu"); err != nil {
		return nil, err
	}
	return judge.Assess(ctx, in)
}
