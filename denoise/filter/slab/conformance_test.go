package slab_test

import (
	"testing"

	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/filter/slab"
)

func TestConformance(t *testing.T) { enginetest.Run(t, cpu.New(), slab.Filter.Name) }
