package lpa_test

import (
	"testing"

	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/filter/lpa"
)

func TestConformance(t *testing.T) { enginetest.Run(t, cpu.New(), lpa.Filter.Name) }
