package sadct_test

import (
	"testing"

	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/filter/sadct"
)

func TestConformance(t *testing.T) { enginetest.Run(t, cpu.New(), sadct.Filter.Name) }
