package app

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"

	"quell/denoise"
	"quell/internal/message"
	"quell/volume"
)

// Forecast is the memory, in bytes, that a run over a whole series takes beside what is in use
// before it, and the memory there is.
//
// Filter is exact but for the scratch memory of the processor's cores: a run of at least
// 50 MB takes between Filter less 18 MB for each core, and Filter plus 5 %. Judge is an upper
// bound, as the garbage collector decides how much is in use at a time: a judgement of a volume of
// 0.5 to 300 MB takes 0.1 to 0.96 times as much on 2 to 16 cores.
type Forecast struct {
	Filter int64 // main memory for the result and what the engine computes in between
	Judge  int64 // main memory to judge the result as a whole afterwards, beside the result
	Free   int64 // main memory and swap that are available; 0 where the system does not say

	Device  int64 // of the GPU, at a time; 0 on the processor
	Has     int64 // the GPU has
	Slabs   int   // parts of the volume that the GPU filters one after the other
	Refused error // why the engine cannot run the recipe; nil where it can
}

// JudgeMemory returns the bytes that judging a result takes at most.
func JudgeMemory(v *volume.Volume) int64 {
	slice := 4 * int64(v.Dims[0]) * int64(v.Dims[1])
	return judgedVolumes*4*int64(v.Voxels()) + judgedBase + int64(runtime.GOMAXPROCS(0))*(judgedSlices*slice+judgedScratch)
}

// ForecastRun returns what running r over v takes where free bytes are available.
func ForecastRun(eng denoise.Engine, r denoise.Recipe, v *volume.Volume, free int64) Forecast {
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

// Err returns why the run must not begin; nil where it can.
func (f Forecast) Err() error {
	if fits, _ := f.Fits(); !fits {
		return message.Errorf(message.MemoryShort, "filtering the volume needs %s of memory and %s is free; close a series or another program, or use quell denoise, which filters large series in slabs",
			message.Figure(Bytes(f.Filter)), message.Figure(Bytes(f.Free)))
	}
	return nil
}

// Text says what the run takes and what happens where that is too much, in sentences; nothing
// where it takes less than half of what there is.
func (f Forecast) Text() message.Message {
	var lines []message.Message
	filter, judge := f.Fits()
	switch {
	case !filter:
		lines = append(lines, message.New(message.MemoryShort, "Filtering needs %s of memory and %s is free: the run would be refused. Close a series or another program.", message.Figure(Bytes(f.Filter)), message.Figure(Bytes(f.Free))))
	case !judge:
		lines = append(lines, message.New(message.MemoryShort, "Filtering needs %s of memory, judging the result up to %s more; %s is free, so the result will not be judged as a whole.", message.Figure(Bytes(f.Filter)), message.Figure(Bytes(f.Judge)), message.Figure(Bytes(f.Free))))
	case f.Free > 0 && 2*(f.Filter+f.Judge) > f.Free:
		lines = append(lines, message.New(message.MemoryShort, "Filtering needs %s of memory, judging the result up to %s more; %s is free.", message.Figure(Bytes(f.Filter)), message.Figure(Bytes(f.Judge)), message.Figure(Bytes(f.Free))))
	}
	switch {
	case errors.Is(f.Refused, ErrEngineFailed):
		lines = append(lines, message.Text("%s: the run would be offered to the processor.", f.Refused))
	case f.Refused != nil:
		lines = append(lines, message.Text("The run would be refused: %s.", f.Refused))
	case 2*f.Device > f.Has && f.Slabs > 1:
		lines = append(lines, message.New(message.MemoryShort, "The GPU filters the volume in %d slabs, %s of its %s at a time.", f.Slabs, message.Figure(Bytes(f.Device)), message.Figure(Bytes(f.Has))))
	case 2*f.Device > f.Has:
		lines = append(lines, message.New(message.MemoryShort, "The GPU needs %s of its %s.", message.Figure(Bytes(f.Device)), message.Figure(Bytes(f.Has))))
	}
	return message.Join(" ", lines...)
}

// AvailableMemory returns the bytes of memory and swap that this program can still get, by the
// system or by the limit of its container, whichever is less; 0 where they are not known.
func AvailableMemory() int64 {
	meminfo, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	group := func(name string) string {
		data, _ := os.ReadFile("/sys/fs/cgroup/" + name)
		return strings.TrimSpace(string(data))
	}
	return availableMemory(string(meminfo), group)
}

// availableMemory is AvailableMemory of the texts of the system: meminfo, and the files of the
// control group by name, "" for one that is missing.
func availableMemory(meminfo string, group func(name string) string) int64 {
	free := memLine(meminfo, "MemAvailable:")
	if free == 0 {
		return 0
	}
	free += memLine(meminfo, "SwapFree:")
	for _, version := range []struct{ limit, used, stat, cache string }{
		{"memory.max", "memory.current", "memory.stat", "inactive_file"},
		{"memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat", "total_inactive_file"},
	} {
		limit, err := strconv.ParseInt(group(version.limit), 10, 64) // "max" is no limit
		used, usedErr := strconv.ParseInt(group(version.used), 10, 64)
		if err != nil || usedErr != nil {
			continue
		}
		for line := range strings.Lines(group(version.stat)) {
			if f := strings.Fields(line); len(f) == 2 && f[0] == version.cache {
				n, _ := strconv.ParseInt(f[1], 10, 64)
				used -= n // is given back when it is needed
			}
		}
		free = min(free, max(limit-used, 1))
	}
	return free
}
