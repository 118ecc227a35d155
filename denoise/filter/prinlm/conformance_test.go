package prinlm_test

import (
	"testing"

	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/filter/prinlm"
)

func TestConformance(t *testing.T) { enginetest.Run(t, cpu.New(), prinlm.Filter.Name) }
