package bench

import (
	"fmt"
	"slices"
	"strings"

	"quell/denoise"
	"quell/denoise/filter/bilateral"
	"quell/denoise/filter/nlm"
	"quell/denoise/tile"
	"quell/volume"
)

// workOf counts the steps of a filter's formula for a voxel, as it is printed: the voxels of
// patches that nlm compares, the neighbours that the bilateral filter averages. It is 0 for
// other filters and for nlm with preselection, which depend on the image.
func workOf(r denoise.Recipe, g volume.Geometry) float64 {
	p, err := r.Bind(g)
	if err != nil {
		return 0
	}
	switch q := p.Params.(type) {
	case nlm.Params:
		if q.Select == nil {
			return tile.Count(q.SearchRadius) * tile.Count(q.PatchRadius)
		}
	case bilateral.Params:
		return tile.Count(q.Radius)
	}
	return 0
}

// load says how much work the kernels of an experiment do in a clock of a multiprocessor,
// and how much of the device's memory they need at least: what limits them. It is "" if no
// row on a GPU has counted work.
func (r Report) load(x ExperimentReport) string {
	i := slices.IndexFunc(r.Engines, func(e EngineReport) bool { return e.Clock > 0 })
	if i < 0 {
		return ""
	}
	device := r.Engines[i]
	var series []string
	work := map[string][]float64{}
	bytes := 0.0
	for _, row := range x.Rows {
		t := row.Result.Figures[Time]
		if row.Engine != device.Name || row.Status != Measured || row.Result.Work == 0 || !(t > 0) {
			continue
		}
		if work[row.Series] == nil {
			series = append(series, row.Series)
		}
		voxels := float64(row.Result.Voxels)
		work[row.Series] = append(work[row.Series], voxels*row.Result.Work/t/device.Clock/float64(device.Cores))
		bytes = max(bytes, 8*voxels/t)
	}
	if series == nil {
		return ""
	}
	slices.SortStableFunc(series, func(a, b string) int {
		if median(work[a]) > median(work[b]) {
			return -1
		}
		return 1
	})
	shown := series
	const most = 12
	if len(series) > most { // the ends of a sweep
		shown = slices.Concat(series[:most/2], series[len(series)-most/2:])
	}
	var parts []string
	for _, s := range shown {
		parts = append(parts, fmt.Sprintf("%s %s", s, significant(median(work[s]))))
	}
	text := "Load: of the formula as printed, that is voxels of patches or neighbours, a multiprocessor does in a clock, in the median over rows: " + strings.Join(parts, "; ") + ". "
	if device.Compute == [2]int{9, 0} {
		text += "It has 128 lanes, and its texture units give 4 values a clock, so that a kernel which fetches all of them by texture does 4 or fewer. "
	}
	return text + fmt.Sprintf("To read and write each voxel once they move %s GB a second at most.", significant(bytes/1e9))
}
