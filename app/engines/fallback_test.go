package engines_test

import (
	"errors"
	"testing"
	"time"

	"quell/app/engines"
	"quell/denoise"
	"quell/volume"
)

// timedEngine is expected to take so long for any run.
type timedEngine struct {
	denoise.Engine
	takes time.Duration
}

func (e timedEngine) Plan(denoise.Recipe, volume.Geometry) (denoise.Plan, error) {
	if e.takes < 0 {
		return denoise.Plan{}, errors.New("no plan")
	}
	return denoise.Plan{Estimate: e.takes}, nil
}

func TestFallbackText(t *testing.T) {
	died := errors.New("the GPU worker died")
	for _, c := range []struct {
		failed denoise.Engine
		cpu    time.Duration
		n      int
		want   string
	}{
		{nil, 90 * time.Second, 2, "the GPU worker died; the CPU filters instead, which is expected to take 3.0 min"},
		{timedEngine{takes: time.Second}, 90 * time.Second, 1, "the GPU worker died; the CPU filters instead, which is expected to take 1.5 min, about 90 times as long as on the GPU"},
		{timedEngine{takes: time.Second}, 2 * time.Second, 1, "the GPU worker died; the CPU filters instead, which is expected to take 2.0 s, about 2 times as long as on the GPU"},
		{timedEngine{takes: time.Second}, 1999 * time.Millisecond, 1, "the GPU worker died; the CPU filters instead, which is expected to take 2.0 s"},
		{timedEngine{takes: -1}, 12 * time.Second, 1, "the GPU worker died; the CPU filters instead, which is expected to take 12 s"},
		{timedEngine{takes: time.Second}, -1, 1, "the GPU worker died; the CPU filters instead"},
		{nil, time.Second - time.Millisecond, 1, "the GPU worker died; the CPU filters instead, which is expected to take 999 ms"},
		{nil, time.Second, 1, "the GPU worker died; the CPU filters instead, which is expected to take 1.0 s"},
		{nil, 9900 * time.Millisecond, 1, "the GPU worker died; the CPU filters instead, which is expected to take 9.9 s"},
		{nil, 10 * time.Second, 1, "the GPU worker died; the CPU filters instead, which is expected to take 10 s"},
		{nil, 59 * time.Second, 1, "the GPU worker died; the CPU filters instead, which is expected to take 59 s"},
		{nil, time.Minute, 1, "the GPU worker died; the CPU filters instead, which is expected to take 1.0 min"},
	} {
		if got := engines.FallbackText(died, c.failed, timedEngine{takes: c.cpu}, denoise.Recipe{}, volume.Geometry{}, c.n); got.String() != c.want {
			t.Errorf("%q; want %q", got, c.want)
		}
	}
}
