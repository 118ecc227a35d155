package median_test

import (
	"testing"

	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/filter/median"
)

func TestConformance(t *testing.T) { enginetest.Run(t, cpu.New(), median.Filter.Name) }
