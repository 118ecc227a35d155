package gaussian_test

import (
	"testing"

	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/filter/gaussian"
)

func TestConformance(t *testing.T) { enginetest.Run(t, cpu.New(), gaussian.Filter.Name) }
