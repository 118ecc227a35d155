package odct_test

import (
	"testing"

	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/filter/odct"
)

func TestConformance(t *testing.T) { enginetest.Run(t, cpu.New(), odct.Filter.Name) }
