package engines

import (
	"fmt"
	"time"

	"quell/app/job"
	"quell/denoise"
	"quell/gpu"
	"quell/internal/message"
	"quell/volume"
)

// lostGPU returns why the GPU of this machine cannot be used, if it has one: a worker that died at its
// start, a driver that hangs or is too old, a device without free memory. It is nil on a machine
// without a GPU, and before the first start.
func lostGPU() error {
	if _, err := cudaEngine.last(); err != nil && !gpu.Absent(err) {
		return err
	}
	return nil
}

// Lost returns why a job with a policy that leaves the choice of the engine open does not run on the
// GPU of this machine; nil if eng is that GPU, or there is none.
func Lost(p job.EnginePolicy, eng denoise.Engine) error {
	if _, open := Fallback(p); !open || eng == nil || eng.Info().Name != "cpu" {
		return nil
	}
	return lostGPU()
}

// Slowdown returns how long a recipe is expected to take on the CPU for so many volumes of geometry g, 0
// if that is not known, and how many times as long as on the engine that failed, 0 if that is not known
// or less than 2. failed is nil if it never ran.
func Slowdown(failed, cpu denoise.Engine, r denoise.Recipe, g volume.Geometry, volumes int) (takes time.Duration, times float64) {
	plan, err := cpu.Plan(r, g)
	if err != nil {
		return 0, 0
	}
	takes = time.Duration(volumes) * plan.Estimate
	if failed == nil {
		return takes, 0
	}
	if before, err := failed.Plan(r, g); err == nil && before.Estimate > 0 && plan.Estimate >= 2*before.Estimate {
		times = plan.Estimate.Seconds() / before.Estimate.Seconds()
	}
	return takes, times
}

// FallbackText says that the CPU filters in place of a GPU that failed with err, with the figures of
// [Slowdown].
func FallbackText(err error, failed, cpu denoise.Engine, r denoise.Recipe, g volume.Geometry, volumes int) message.Message {
	text := message.New(message.EngineFallback, "%v; the CPU filters instead", err)
	takes, times := Slowdown(failed, cpu, r, g, volumes)
	if takes > 0 {
		text = message.New(message.EngineFallback, "%s, which is expected to take %s", text, message.Figure(duration(takes)))
	}
	if times > 0 {
		text = message.New(message.EngineFallback, "%s, about %.0f times as long as on the GPU", text, times)
	}
	return text
}

// duration writes a duration with about two significant digits.
func duration(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return fmt.Sprintf("%.1f min", d.Minutes())
	case d >= 10*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}
