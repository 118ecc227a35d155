package bilateral_test

import (
	"testing"

	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/filter/bilateral"
)

func TestConformance(t *testing.T) { enginetest.Run(t, cpu.New(), bilateral.Filter.Name) }
