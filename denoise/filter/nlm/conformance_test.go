package nlm_test

import (
	"testing"

	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/filter/nlm"
)

func TestConformance(t *testing.T) { enginetest.Run(t, cpu.New(), nlm.Filter.Name) }
