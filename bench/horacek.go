package bench

import (
	"quell/denoise/noise"
	"quell/kernels"
)

// horacekInput is a CT of the size of theirs, with white noise stronger than the
// contrast of the intestinal wall.
var horacekInput = Input{Kind: CT, Dims: [3]int{512, 512, 548}, Model: noise.Gaussian, Sigma: 40, Slices: 13}

const horacekVoxels = 512 * 512 * 548

// horacekSet is their filter: patch radius 2, search radius 4, automatic smoothing.
const horacekSet = "patch-radius=2 search-radius=4 patch-weights=uniform centre=max"

// horacekExperiments are those of Horacek et al. 2011.
func horacekExperiments() []Experiment {
	minutes := func(h, m, s float64) map[string]float64 { return map[string]float64{Time: h*3600 + m*60 + s} }
	rows := both(Row{
		Label: "NL-Means", Input: horacekInput, Filter: "nlm", Dims: 3, Settings: []string{horacekSet}, PaperVoxels: horacekVoxels, Pictures: true,
	}, minutes(5, 38, 15), minutes(0, 4, 22))
	rows[1].Base = rows[0].Name()
	formula := rows[0].on("brute force", kernels.Rung{Name: "nlm_formula"}, nil)
	column := rows[0].on("their kernel", kernels.Rung{Name: "nlm_column"}, minutes(0, 4, 22))
	formula.Base, column.Base = rows[0].Name(), rows[0].Name()
	formula.Pictures, column.Pictures = false, false
	rows = append(rows, formula, column)
	return []Experiment{{
		Name: "horacek-table", Paper: horacek, Source: "table in figure 3, figure 4", Unit: "s",
		Title: "3-D non-local means on a whole CT",
		Setup: "Patch 5x5x5 and window 9x9x9; h is found from the noise of the volume, outside the time. The paper's time on the CPU is of a Core i7 with 8 threads, that on the GPU of a GTX 460. " +
			"Their kernel slides along z through planes in shared memory. A voxel of the phantom is as large as a pixel.",
		Figures: []string{Time, EndToEnd, Speedup},
		Rows:    rows,
	}}
}
