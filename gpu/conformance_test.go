package gpu

import (
	"testing"

	"quell/denoise/enginetest"
)

// The conformance suite on the fake driver, which replaces only the kernels.
func TestConformanceFake(t *testing.T) {
	if testing.Short() {
		t.Skip("the fake kernels are slow")
	}
	o := fakeOptions(t)
	enginetest.Run(t, fakeEngine(t, o))
}
