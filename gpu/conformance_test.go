package gpu

import (
	"testing"

	"quell/denoise/enginetest"
)

// The suite on the fake driver: everything but the kernels is the real thing.
func TestConformanceFake(t *testing.T) {
	if testing.Short() {
		t.Skip("the fake kernels are slow")
	}
	o := fakeOptions(t)
	enginetest.Run(t, fakeEngine(t, o))
}
