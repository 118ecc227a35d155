package bnlm_test

import (
	"testing"

	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/filter/bnlm"
)

func TestConformance(t *testing.T) { enginetest.Run(t, cpu.New(), bnlm.Filter.Name) }
