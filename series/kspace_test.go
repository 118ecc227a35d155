package series_test

import (
	"math"
	"testing"

	"quell/series"
	"quell/volume"
)

// TestEncodingOfKSpace reads what files state of k-space as the frequencies that reach to its edges.
func TestEncodingOfKSpace(t *testing.T) {
	for name, c := range map[string]struct {
		k    series.KSpace
		want volume.Encoding
	}{
		"nothing":                 {series.KSpace{}, volume.Encoding{}},
		"phases along y":          {series.KSpace{Readout: 256, Phases: 192, PhaseAxis: 1}, volume.Encoding{{256}, {192}}},
		"phases along x":          {series.KSpace{Readout: 256, Phases: 192}, volume.Encoding{{192}, {256}}},
		"the readout alone":       {series.KSpace{Readout: 256, PhaseAxis: 1, Partial: 0.75}, volume.Encoding{{256}, {}}},
		"the phases alone":        {series.KSpace{Phases: 96, PhaseAxis: 1, Parallel: 2}, volume.Encoding{{}, {96}}},
		"smaller field of view":   {series.KSpace{Readout: 256, Phases: 192, PhaseAxis: 1, Field: 0.75}, volume.Encoding{{256}, {192, 256}}},
		"reduced sampling":        {series.KSpace{Readout: 64, Phases: 64, PhaseAxis: 1, Sampling: 0.625}, volume.Encoding{{64}, {64, 0, 40}}},
		"counted after it":        {series.KSpace{Readout: 64, Phases: 40, PhaseAxis: 1, Sampling: 0.625}, volume.Encoding{{64}, {40}}},
		"partial Fourier":         {series.KSpace{Readout: 128, Phases: 96, PhaseAxis: 1, Partial: 0.75}, volume.Encoding{{128}, {96, 0, 128}}},
		"parallel imaging":        {series.KSpace{Readout: 128, Phases: 60, PhaseAxis: 1, Parallel: 2}, volume.Encoding{{128}, {60, 0, 120}}},
		"both":                    {series.KSpace{Readout: 128, Phases: 48, PhaseAxis: 1, Partial: 0.75, Parallel: 2}, volume.Encoding{{128}, {48, 0, 128}}},
		"counted before both":     {series.KSpace{Readout: 80, Phases: 70, PhaseAxis: 1, Parallel: 2}, volume.Encoding{{80}, {70}}},
		"as many as the readout":  {series.KSpace{Readout: 64, Phases: 64, PhaseAxis: 1, Partial: 0.75}, volume.Encoding{{64}, {64}}},
		"no shares":               {series.KSpace{Readout: 64, Phases: 64, PhaseAxis: 1, Field: -3, Sampling: math.NaN()}, volume.Encoding{{64}, {64}}},
		"negative numbers":        {series.KSpace{Readout: -1, Phases: -1, PhaseAxis: 1}, volume.Encoding{}},
		"a share that is nothing": {series.KSpace{Readout: 64, Phases: 32, Field: 1e-300, Partial: 1e-300}, volume.Encoding{{32, math.MaxInt32}, {64}}},
	} {
		if got := c.k.Encoding(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
