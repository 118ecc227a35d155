package bench

import (
	"fmt"
	"slices"

	"quell/kernels"
)

// horacekInput is an abdominal CT of the size of theirs, with noise stronger than the
// contrast of the intestinal wall and with streaks.
var horacekInput = Input{Kind: Abdomen, Dims: [3]int{512, 512, 548}, Slices: 13, Fixed: true}

const horacekVoxels = 512 * 512 * 548

// Their filters: patch radius 2, search radius 4, automatic smoothing; and by blocks,
// for which the paper gives no sizes, the sizes of Coupe 2008.
const (
	horacekSet      = "patch-radius=2 search-radius=4 patch-weights=uniform centre=max"
	horacekBlockSet = "block-radius=1 block-step=2 search-radius=4 candidates=all preselect=true"
)

const horacekSetup = "Patch 5x5x5 and window 9x9x9; h is found from the noise of the volume, outside the time. " +
	"The paper's times on the CPU are of a Core i7 with 8 threads, those on the GPU of a GTX 460. " +
	"The ratio beside a time is the paper's time for one of its 512x512x548 voxels over the time here for one: it compares a machine of 2011 with this one, and no two kernels. "

// horacekLadder says what the kernels of a GPU are.
const horacekLadder = "Their kernel computes a voxel by a block of 13x13 threads, with 13x13x13 voxels and 729 weights in shared memory, sums the weights and slides by one voxel along z. " +
	"Its text leaves open which threads compute the weights: the 81 over the search region, a column of nine each, or all 169. " +
	"Brute force computes a voxel by a thread, from a padded copy in global memory; addresses computed: from the volume itself, each voxel of a patch mirrored at the edges by arithmetic. " +
	"Sliding planes: a thread a voxel, with the planes that it reaches in shared memory, which is no kernel of the paper. "

// horacekSpeedups says what the speedups of the table are of.
const horacekSpeedups = "Blocks are those of Coupe 2008, of 3x3x3 voxels at every second one, with preselection. " +
	"A speedup is over the straightforward program on all cores of the same machine, for a voxel each; the ratio beside it is the speedup here over the paper's. " +
	"CPU and CUDA are Quell's own programs, which share sums of pairs of voxels, beside the paper's times. "

// horacekKernel is a kernel without and with selection.
type horacekKernel struct {
	series, plain, selecting string
	theirs                   bool
}

// paper returns the time of the paper's kernel, if it is that.
func (k horacekKernel) paper() map[string]float64 {
	if !k.theirs {
		return nil
	}
	return clock(0, 4, 22)
}

var horacekKernels = []horacekKernel{
	{"brute force", "nlm_formula", "nlm_select_formula", false},
	{"brute force, addresses computed", "nlm_indexed", "nlm_select_indexed", false},
	{"sliding planes", "nlm_column", "nlm_select_column", false},
	{"their kernel, 81 threads", "nlm_group", "nlm_select_group", true},
	{"their kernel, 169 threads", "nlm_group_all", "nlm_select_group_all", true},
}

// horacekExperiments are the experiments of Horacek et al. 2011.
func horacekExperiments() []Experiment {
	return []Experiment{horacekTable(), horacekSelection(), horacekQuality()}
}

func clock(hours, minutes, seconds float64) map[string]float64 {
	return map[string]float64{Time: hours*3600 + minutes*60 + seconds}
}

func horacekRow(label, filter, set string) Row {
	return Row{Label: label, Input: horacekInput, Filter: filter, Dims: 3, Settings: []string{set}, PaperVoxels: horacekVoxels, Automatic: "h"}
}

func horacekTable() Experiment {
	means := horacekRow("NL-Means", "nlm", horacekSet)
	blocks := horacekRow("Block NLM", "bnlm", horacekBlockSet)
	means.Pictures, blocks.Pictures = true, true
	rows := append(both(means, nil, clock(0, 4, 22)), both(blocks, clock(0, 26, 35), nil)...)
	means.Pictures = false
	one, every := means.programs(nil)
	every.Paper = clock(5, 38, 15)
	rows = slices.Insert(rows, 1, every, one)
	for _, k := range horacekKernels {
		rows = append(rows, means.on(k.series, kernels.Rung{Name: k.plain}, k.paper()))
	}
	for i := range rows {
		r := &rows[i]
		if r.Name() == every.Name() {
			r.Base = ""
			continue
		}
		r.Base = every.Name()
		if t, ok := r.Paper[Time]; ok {
			r.Paper[Speedup] = every.Paper[Time] / t
		}
	}
	return Experiment{
		Name: "horacek-table", Paper: horacek, Source: "table in figure 3, figure 4", Unit: "s",
		Title:   "3-D non-local means on a whole CT, voxel by voxel and by blocks",
		Setup:   horacekSetup + horacekSpeedups + horacekLadder + "Their other times: voxel by voxel over 10 hours on a Core 2 Quad, 13:41 min on an 8800 GT, 6:44 min on a GTX 275; by blocks 55:57 min on the Core 2 Quad.",
		Figures: []string{Time, EndToEnd, Speedup},
		Rows:    rows,
		Claims: []Claim{{
			Text: "On all cores of a CPU block NLM with preselection is an order of magnitude faster than NLM voxel by voxel, both Quell's own programs: x8 or more.",
			Check: func(rows Rows) (bool, string, bool) {
				blocks, ok1 := rows.Exact("Block NLM, CPU", Speedup)
				means, ok2 := rows.Exact("NL-Means, CPU", Speedup)
				return blocks >= 8*means, fmt.Sprintf("x%.1f; x%.1f over the straightforward program", blocks/means, blocks), ok1 && ok2 && means > 0
			},
		}, {
			Text: "Voxel by voxel on a GPU, with their kernel in the reading of 81 threads, is faster than Quell's block NLM on all cores of a CPU.",
			Check: func(rows Rows) (bool, string, bool) {
				means, ok1 := rows.Exact("NL-Means, their kernel, 81 threads", Speedup)
				blocks, ok2 := rows.Exact("Block NLM, CPU", Speedup)
				return means > blocks, fmt.Sprintf("x%.1f, in the paper x6.1", means/blocks), ok1 && ok2
			},
		}},
	}
}

// horacekSelection compares the filter with and without preselection of voxels.
func horacekSelection() Experiment {
	all := both(horacekRow("all voxels", "nlm", horacekSet), nil, clock(0, 4, 22))
	selected := both(horacekRow("selected voxels", "nlm", horacekSet+" preselect=true"), nil, map[string]float64{Speedup: 0.5})
	for i := range selected {
		selected[i].Base = all[i].Name()
	}
	// rungs returns a kernel without and with selection.
	rungs := func(series, plain, selecting string, paper, slower map[string]float64) []Row {
		first := horacekRow("all voxels", "nlm", horacekSet).on(series, kernels.Rung{Name: plain}, paper)
		second := horacekRow("selected voxels", "nlm", horacekSet+" preselect=true").on(series, kernels.Rung{Name: selecting}, slower)
		second.Base = first.Name()
		return []Row{first, second}
	}
	rows := slices.Concat(all, selected)
	for _, k := range horacekKernels {
		var slower map[string]float64
		if k.theirs {
			slower = map[string]float64{Speedup: 0.5}
		}
		rows = append(rows, rungs(k.series, k.plain, k.selecting, k.paper(), slower)...)
	}
	return Experiment{
		Name: "horacek-selection", Paper: horacek, Source: "sections 4.1 and 4.3", Unit: "s",
		Title:   "the selection of voxels by mean and variance, on a CPU and on a GPU",
		Setup:   horacekSetup + horacekLadder + "A speedup is that of a row with selection over the same kernel without it, for a voxel each. The paper gives no times with selection alone; on its GPU their kernel took about twice as long with it. CPU and CUDA are Quell's own programs.",
		Figures: []string{Time, EndToEnd, Speedup},
		Rows:    rows,
		Claims: []Claim{
			{Text: "On a CPU selection makes Quell's own NLM, which without it shares sums of pairs, faster.", Check: func(rows Rows) (bool, string, bool) {
				x, ok := rows.Exact("selected voxels, CPU", Speedup)
				return x > 1, fmt.Sprintf("x%.2f", x), ok
			}},
			{Text: "On a GPU selection makes their kernel slower, in both readings.", Check: func(rows Rows) (bool, string, bool) {
				x, ok1 := rows.Exact("selected voxels, their kernel, 81 threads", Speedup)
				y, ok2 := rows.Exact("selected voxels, their kernel, 169 threads", Speedup)
				return x < 1 && y < 1, fmt.Sprintf("x%.2f, x%.2f", x, y), ok1 && ok2
			}},
			{Text: "On a GPU selection makes Quell's own kernel, which without it shares sums of pairs, slower: no finding of the paper.", Check: func(rows Rows) (bool, string, bool) {
				x, ok := rows.Exact("selected voxels, CUDA", Speedup)
				return x < 1, fmt.Sprintf("x%.2f", x), ok
			}},
		},
	}
}

// selections are the choices of voxels that Coupe 2008 and Quell make, by their series.
var selections = []struct{ series, set string }{
	{"all voxels", ""},
	{"selected", " preselect=true"},
	{"selected by the patch", " preselect=true moments=patch"},
	{"selected, means from 0", " preselect=true zero=0"},
	{"selected by the patch, means from 0", " preselect=true moments=patch zero=0"},
}

// horacekQuality compares the strength of Coupe 2008, which the paper uses, with others, and
// selection as Coupe prints it with Quell's.
func horacekQuality() Experiment {
	e := Experiment{
		Name: "horacek-quality", Paper: horacek, Source: "sections 4.1 and 4.2, no figures", Unit: "s",
		Title: "quality over the strength h, with and without selection",
		Setup: "Patch 5x5x5 and window 9x9x9 with uniform weights, on the MR data of Upadhya, as the paper refers to Coupe 2008 for quality. " +
			"Coupe's h is the root of 2 beta times sigma, with beta 1: \"Coupe's h\" takes sigma from the pseudo-residuals of the volume, h = 14.14 the sigma of the noise that was added. " +
			"Mean and variance of the selection are those of 3x3x3 voxels, Quell's default, or of the patch, as Coupe prints it; means count from the lowest value, Quell's default, or from zero, as Coupe prints it.",
		Figures: []string{PSNRBefore, PSNR, MSE},
		Charts:  []Chart{{File: "horacek-quality", Title: "PSNR over the strength h", Kind: Lines, Figure: PSNR, XLabel: "h; Coupe's from pseudo-residuals at 16"}},
	}
	for _, h := range []struct {
		label, set string
		x          float64
	}{{"h = 7", "h=7", 7}, {"h = 10", "h=10", 10}, {"h = 14.14", "h=14.142136", 14.14}, {"Coupe's h", pseudoResidual, 16}} {
		for _, c := range selections {
			row := Row{Label: h.label, Series: c.series, X: h.x, Input: upadhyaInput, Filter: "nlm", Dims: 3, Settings: []string{h.set + " " + horacekSet + c.set}, Automatic: "h"}
			row.Whole = h.set == "h=14.142136"
			e.Rows = append(e.Rows, both(row, nil, nil)...)
		}
	}
	for _, h := range []struct{ label, text string }{
		{"Coupe's h", "At Coupe's h, sigma from pseudo-residuals,"}, {"h = 14.14", "At Coupe's h of the true sigma"},
	} {
		e.Claims = append(e.Claims, Claim{
			Text: h.text + " selection by mean and variance improves the image, means from the lowest value.",
			Check: func(rows Rows) (holds bool, detail string, known bool) {
				var psnr []float64
				for _, c := range selections {
					x, ok := onAny(rows, h.label+", "+c.series, PSNR)
					if !ok {
						return false, "", false
					}
					psnr = append(psnr, x)
				}
				gain := func(i int) float64 { return psnr[i] - psnr[0] }
				return gain(1) > 0 && gain(2) > 0, fmt.Sprintf("moments of 3x3x3 voxels %+.2f dB, of the patch %+.2f dB; means from 0, as printed: %+.2f and %+.2f dB", gain(1), gain(2), gain(3), gain(4)), true
			},
			Parts: func(rows Rows) (parts []bool) {
				all, _ := onAny(rows, h.label+", "+selections[0].series, PSNR)
				for _, c := range selections[1:3] {
					x, _ := onAny(rows, h.label+", "+c.series, PSNR)
					parts = append(parts, x > all)
				}
				return parts
			},
		})
	}
	return e
}
