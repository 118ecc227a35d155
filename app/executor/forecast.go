package executor

import (
	"errors"
	"runtime"

	"quell/app/engines"
	"quell/app/job"
	"quell/denoise"
	"quell/internal/message"
	"quell/volume"
)

// Forecast is the memory, in bytes, that a run over a whole series takes besides what is in
// use before it, and the memory there is.
//
// Filter is exact but for the scratch memory of the processor's cores: a run of at least
// 50 MB takes between Filter less 18 MB for each core, and Filter plus 5 %. Judge is an upper
// bound, as the garbage collector decides how much is in use at a time: a judgement of a volume of
// 0.5 to 300 MB takes 0.1 to 0.96 times as much on 2 to 16 cores.
type Forecast struct {
	Filter int64 // main memory for the result and what the engine computes in between
	Judge  int64 // main memory to judge the result as a whole afterwards, besides the result
	Free   int64 // main memory and swap that are available; 0 if the system does not say

	Device  int64 // of the GPU, at a time; 0 on the processor
	Has     int64 // the GPU has
	Slabs   int   // parts of the volume that the GPU filters one after the other
	Refused error // why the engine cannot run the recipe; nil if it can
}

// JudgeMemory returns the bytes that judging a result takes at most.
func JudgeMemory(v *volume.Volume) int64 {
	slice := 4 * int64(v.Dims[0]) * int64(v.Dims[1])
	return judgedVolumes*4*int64(v.Voxels()) + judgedBase + int64(runtime.GOMAXPROCS(0))*(judgedSlices*slice+judgedScratch)
}

// ForecastOf returns what running r over v takes if free bytes are available.
func ForecastOf(eng denoise.Engine, r denoise.Recipe, v *volume.Volume, free int64) Forecast {
	n := int64(v.Voxels())
	f := Forecast{Filter: 4 * n, Judge: JudgeMemory(v), Free: free}
	if v.Mask != nil {
		f.Filter += n
	}
	plan, err := eng.Plan(r, v.Geometry)
	if err != nil {
		f.Refused = err
		return f
	}
	f.Slabs = plan.Slabs
	if f.Has = eng.Info().Memory; f.Has > 0 {
		f.Device = plan.Memory
	} else {
		f.Filter += plan.Memory
	}
	return f
}

// Fits says whether there is memory to filter, and to judge the result as a whole.
func (f Forecast) Fits() (filter, judge bool) {
	return f.Free == 0 || f.Filter <= f.Free, f.Free == 0 || f.Filter+f.Judge <= f.Free
}

// Err returns why the run must not begin; nil if it can.
func (f Forecast) Err() error {
	if fits, _ := f.Fits(); !fits {
		return message.Errorf(message.MemoryShort, "filtering the volume needs %s of memory and %s is free; close a series or another program, or use quell denoise, which filters large series in slabs",
			message.Figure(job.Bytes(f.Filter)), message.Figure(job.Bytes(f.Free)))
	}
	return nil
}

// Text says what the run takes and what happens if that is too much, in sentences; nothing
// if it takes less than half of what there is.
func (f Forecast) Text() message.Message {
	var lines []message.Message
	filter, judge := f.Fits()
	switch {
	case !filter:
		lines = append(lines, message.New(message.MemoryShort, "Filtering needs %s of memory and %s is free: the run would be refused. Close a series or another program.", message.Figure(job.Bytes(f.Filter)), message.Figure(job.Bytes(f.Free))))
	case !judge:
		lines = append(lines, message.New(message.MemoryShort, "Filtering needs %s of memory, judging the result up to %s more; %s is free, so the result will not be judged as a whole.", message.Figure(job.Bytes(f.Filter)), message.Figure(job.Bytes(f.Judge)), message.Figure(job.Bytes(f.Free))))
	case f.Free > 0 && 2*(f.Filter+f.Judge) > f.Free:
		lines = append(lines, message.New(message.MemoryShort, "Filtering needs %s of memory, judging the result up to %s more; %s is free.", message.Figure(job.Bytes(f.Filter)), message.Figure(job.Bytes(f.Judge)), message.Figure(job.Bytes(f.Free))))
	}
	switch {
	case errors.Is(f.Refused, engines.ErrFailed):
		lines = append(lines, message.Text("%s: the run would be offered to the processor.", f.Refused))
	case f.Refused != nil:
		lines = append(lines, message.Text("The run would be refused: %s.", f.Refused))
	case 2*f.Device > f.Has && f.Slabs > 1:
		lines = append(lines, message.New(message.MemoryShort, "The GPU filters the volume in %d slabs, %s of its %s at a time.", f.Slabs, message.Figure(job.Bytes(f.Device)), message.Figure(job.Bytes(f.Has))))
	case 2*f.Device > f.Has:
		lines = append(lines, message.New(message.MemoryShort, "The GPU needs %s of its %s.", message.Figure(job.Bytes(f.Device)), message.Figure(job.Bytes(f.Has))))
	}
	return message.Join(" ", lines...)
}
