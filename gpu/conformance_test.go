package gpu

import (
	"testing"

	"quell/denoise"
	"quell/denoise/enginetest"
)

// The conformance suite on the fake driver, which replaces only the kernels. In the short tier one filter of each kind of
// pass goes through it: of one input, of a window in a field, and of two passes with maps. Random recipes run every filter.
func TestConformanceFake(t *testing.T) {
	for _, f := range denoise.Filters() {
		t.Run(f.Name, func(t *testing.T) {
			if testing.Short() && f.Name != "lpa" && f.Name != "median" && f.Name != "twopass" {
				t.Skip("full tier")
			}
			t.Parallel()
			e := fakeEngine(t, fakeOptions(t))
			setBlocks(t, e, f, 1500)
			enginetest.Run(t, e, f.Name)
		})
	}
}

// Series of several blocks, on the fake driver; in the short tier, on a device so slow that they are divided.
func TestSeriesFake(t *testing.T) {
	t.Parallel()
	e := fakeEngine(t, fakeOptions(t))
	if !testing.Short() {
		enginetest.Series(t, e)
	}
	e.devices[0].hello.Device.ClockKHz = 1
	enginetest.Series(t, e)
}

// Random recipes on the fake driver: fewer and smaller ones than on a GPU, in the short tier two of each filter.
func TestRandomRecipesFake(t *testing.T) {
	t.Parallel()
	recipes := 45
	if testing.Short() {
		recipes = 2 * len(denoise.Filters())
	}
	enginetest.Random(t, fakeEngine(t, fakeOptions(t)), 1000, recipes, 3e6)
}

// setBlocks gives the device of e the speed at which the defaults of f run in blocks of
// about n voxels: most scenes of the suite are divided, and few into single rows, around
// which a filter of long reach would compute many others again and again.
func setBlocks(t *testing.T, e *Engine, f denoise.Filter, n float64) {
	t.Helper()
	v := ramp([3]int{9, 8, 7})
	p := program(t, recipe(t, f.Name, f.Dims[0], nil), v)
	device := &e.devices[0].hello.Device
	device.ClockKHz = 1e6
	device.ClockKHz = max(1, int(1e6*n/(modelRate(*device, p)*blockTime.Seconds())))
}
