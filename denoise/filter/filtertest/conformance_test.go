package filtertest_test

import (
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/filter/filtertest"
)

func init() { denoise.Register(filtertest.Filter) }

func TestConformance(t *testing.T) { enginetest.Run(t, cpu.New(), filtertest.Filter.Name) }
