package bench

import (
	"fmt"
	"math"

	"quell/denoise/noise"
	"quell/kernels"
)

// upadhyaInput is the volume of all his experiments: BrainWeb T1, slices 50 to 100,
// noise of sigma 10.
var upadhyaInput = Input{Kind: MR, Dims: [3]int{181, 217, 51}, Model: noise.Gaussian, Sigma: 10}

const upadhyaVoxels = 181 * 217 * 51

// upadhyaSetup says what all his experiments share.
const upadhyaSetup = "Patches have Gaussian weights of sigma 1, h = 10, the centre weighs as much as the best neighbour, MAX is 255, as in the author's published program. " +
	"The mean squared error compares with the paper's where --volume is the T1 template of the same size; the phantom has less texture."

// upadhyaExperiments are the experiments of Upadhya 2018.
func upadhyaExperiments() []Experiment {
	return []Experiment{upadhyaTable1(), upadhyaBlocks(), upadhyaAllBlocks(), upadhyaSample(), upadhyaLk(), upadhyaPatch()}
}

func upadhyaSet(patch, search int) string {
	return fmt.Sprintf("h=10 patch-radius=%d search-radius=%d patch-weights=gaussian patch-sigma=1 centre=max", patch, search)
}

func upadhyaTable1() Experiment {
	e := Experiment{
		Name: "upadhya-table1", Paper: upadhya, Source: "table 1, figure 3", Unit: "s",
		Title: "3-D non-local means over the search window: time and error", Setup: upadhyaSetup + " His kernel runs in his best blocks, of 4x24x3 threads. How it treats the edges is not known: it reads a padded copy here, or computes the address of each voxel of a patch, mirrored at the edges. Speedups are those over the straightforward program on one thread of a CPU, as the paper's are; \"CPU\" is Quell's own, which shares the sums of pairs.",
		Figures: []string{Time, EndToEnd, Speedup, MSE, PSNR, PSNRBefore},
		Charts:  []Chart{{File: "upadhya-figure3", Title: "Time over the search window (figure 3)", Kind: Lines, Figure: Time, XLabel: "search window", Log: true}},
	}
	for i, p := range []struct{ cpu, gpu, speedup, mse, psnr float64 }{
		{51.19, 2.07, 24.73, 12.09, 37.31}, {104.57, 4.35, 24.04, 12.02, 37.33}, {188.19, 7.87, 23.91, 12.09, 37.31},
		{308.29, 12.98, 23.75, 12.19, 37.27}, {468.16, 19.76, 23.69, 12.28, 37.24}, {676.29, 28.39, 23.82, 12.38, 37.20},
	} {
		window := 7 + 2*i
		rows := both(Row{
			Label: cube(window), X: float64(window), Input: upadhyaInput, Filter: "nlm", Dims: 3,
			Settings: []string{upadhyaSet(1, 3+i)}, PaperVoxels: upadhyaVoxels, Whole: true, Pictures: i == 0,
		}, map[string]float64{MSE: p.mse, PSNR: p.psnr}, map[string]float64{Time: p.gpu, MSE: p.mse, PSNR: p.psnr, Speedup: p.speedup})
		program, every := rows[0].programs(map[string]float64{Time: p.cpu})
		one := rows[0]
		one.Series, one.Threads, one.Paper, one.Whole, one.Pictures, one.Base = "CPU, one thread", 1, nil, false, false, program.Name()
		his := rows[0].on("his kernel", kernels.Rung{Name: "nlm_formula", Block: [3]int{4, 24, 3}}, rows[1].Paper)
		his.Pictures = false
		computed := his.on("his kernel, addresses computed", kernels.Rung{Name: "nlm_indexed", Block: his.Rung.Block}, nil)
		for _, r := range []*Row{&rows[0], &rows[1], &his, &computed} {
			r.Base = program.Name()
		}
		e.Rows = append(e.Rows, rows[0], program, every, one, rows[1], his, computed) // figures of a label are the figures of its first row, on the whole volume
	}
	e.Claims = []Claim{{
		Text: "His kernel, read as one that reads a padded copy, is 24 times as fast as the straightforward program on one thread of a CPU.", Check: speedups("his kernel", 23.7), Parts: eachSpeedup("his kernel", 23.7),
	}, {
		Text: "The size of the search window hardly changes the error: 12.02 to 12.38.",
		Check: func(rows Rows) (bool, string, bool) {
			lo, hi := math.Inf(1), 0.0
			for window := 7; window <= 17; window += 2 {
				mse, ok := rows.Figure(cube(window), MSE)
				if !ok {
					return false, "", false
				}
				lo, hi = min(lo, mse), max(hi, mse)
			}
			return hi/lo < 1.1, fmt.Sprintf("MSE %.2f to %.2f", lo, hi), true
		},
	}, {
		Text:  "The mean squared error is the paper's, within 0.15, at every window.",
		Check: upadhyaErrors,
	}}
	return e
}

// upadhyaErrors compares the errors with the errors of table 1, which are of a volume
// with anatomy: for the phantom nothing is known.
func upadhyaErrors(rows Rows) (bool, string, bool) {
	compared, most := 0, 0.0
	for _, r := range rows {
		if r.Status == Missing || !has(r.Paper, MSE) {
			continue
		}
		mse, ok := r.Result.Figures[MSE]
		if !ok || r.Result.Phantom {
			return false, "", false
		}
		compared, most = compared+1, max(most, math.Abs(mse-r.Paper[MSE]))
	}
	return most <= 0.15, fmt.Sprintf("it differs by %.2f at most", most), compared > 0
}

// upadhyaShapes returns the 119 shapes of blocks of equation 9: 288, 384 or 576
// threads, which have the highest occupancy with his 56 registers. The paper does not
// say which of the 370 products he took; those with four threads or more along x and
// y and two or more along z are 119, and all that he names are among them.
func upadhyaShapes() [][3]int {
	var shapes [][3]int
	for _, threads := range []int{288, 384, 576} {
		for x := 4; x <= threads; x++ {
			for y := 4; x*y <= threads; y++ {
				if z := threads / (x * y); threads%(x*y) == 0 && z >= 2 && z <= 64 {
					shapes = append(shapes, [3]int{x, y, z})
				}
			}
		}
	}
	return shapes
}

// upadhyaAllShapes returns every shape with a multiple of 32 threads: 2723.
func upadhyaAllShapes() [][3]int {
	var shapes [][3]int
	for threads := 32; threads <= 1024; threads += 32 {
		for x := 1; x <= threads; x++ {
			for y := 1; x*y <= threads; y++ {
				if z := threads / (x * y); threads%(x*y) == 0 && z <= 64 {
					shapes = append(shapes, [3]int{x, y, z})
				}
			}
		}
	}
	return shapes
}

// upadhyaAllBlocks is his future work: every shape of whole warps.
func upadhyaAllBlocks() Experiment {
	e := Experiment{
		Name: "upadhya-blocks-all", Paper: upadhya, Source: "section 2 and future work, no figures", Unit: "ms", ByName: true,
		Title:   "the shape of a block: all 2723 shapes with a multiple of 32 threads",
		Setup:   upadhyaSetup + " His kernel, window 7x7x7. The paper counts 176 000 shapes; its own constraints leave 2723.",
		Figures: []string{Time, Occupancy},
		Charts:  []Chart{{File: "upadhya-blocks-all", Title: "Time over the threads along x", Kind: Points, Figure: Time, XLabel: "threads along x"}},
		Claims:  []Claim{narrowBlocks},
	}
	for _, s := range upadhyaAllShapes() {
		e.Rows = append(e.Rows, upadhyaBlock(s, 3))
	}
	return e
}

// upadhyaSample is every 20th shape of upadhyaAllShapes.
func upadhyaSample() Experiment {
	e := upadhyaAllBlocks()
	e.Name, e.ByName = "upadhya-blocks-sample", false
	e.Title = "the shape of a block: every 20th of all shapes with a multiple of 32 threads"
	e.Charts = []Chart{{File: "upadhya-blocks-sample", Title: "Time over the threads along x", Kind: Points, Figure: Time, XLabel: "threads along x"}}
	var rows []Row
	for i := 0; i < len(e.Rows); i += 20 {
		rows = append(rows, e.Rows[i])
	}
	e.Rows = rows
	return e
}

// hisRegisters is the number of registers a thread of nlm_formula for patches of 3x3x3
// voxels, in machine code of compute capability 9.0.
const hisRegisters = 64

// occupancy is the share of the threads of a multiprocessor that a kernel without shared
// memory can keep, as NVIDIA's calculator computes it for compute capability 9.0: whole
// blocks of up to 64 warps, 32 blocks and 65536 registers, which are given to a warp in
// units of 256.
func occupancy(threads, registers int) float64 {
	warps := (threads + 31) / 32
	each := (registers*32 + 255) / 256 * 256
	blocks := min(64/warps, 65536/each/warps, 32)
	return float64(blocks*warps) / 64
}

// upadhyaBlock is his kernel with a shape of blocks and a search radius.
func upadhyaBlock(s [3]int, search int) Row {
	return Row{
		Label: fmt.Sprintf("(%d, %d, %d)", s[0], s[1], s[2]), X: float64(s[0]), Input: upadhyaInput, Filter: "nlm", Dims: 3,
		Settings: []string{upadhyaSet(1, search)}, PaperVoxels: upadhyaVoxels,
		Known: map[string]float64{Occupancy: occupancy(s[0]*s[1]*s[2], hisRegisters)},
	}.on(fmt.Sprintf("%d threads", s[0]*s[1]*s[2]), kernels.Rung{Name: "nlm_formula", Block: s}, nil)
}

func upadhyaBlocks() Experiment {
	e := Experiment{
		Name: "upadhya-blocks", Paper: upadhya, Source: "section 2, figure 5", Unit: "ms",
		Title: "the shape of a block: 119 shapes of 288, 384 or 576 threads",
		Setup: upadhyaSetup + " His kernel, window 11x11x11. The paper has a chart without figures; it names the four best shapes, (4, 24, 3), (4, 36, 2), (4, 32, 3), (4, 24, 4), " +
			"and the four worst, (48, 4, 3), (48, 4, 2), (36, 4, 2), (72, 4, 2). He took those of the highest occupancy of his 56 registers; which 119 of them, the paper does not say. Here the kernel has 64 registers.",
		Figures: []string{Time, Occupancy},
		Charts:  []Chart{{File: "upadhya-figure5", Title: "Time over the threads along x (figure 5)", Kind: Points, Figure: Time, XLabel: "threads along x"}},
	}
	for _, s := range upadhyaShapes() {
		e.Rows = append(e.Rows, upadhyaBlock(s, 5))
	}
	e.Claims = []Claim{narrowBlocks}
	return e
}

func upadhyaLk() Experiment {
	e := Experiment{
		Name: "upadhya-lk", Paper: upadhya, Source: "section 3, figure 6", Unit: "s",
		Title:   "the weighting by L_k norms against Gaussian weights",
		Setup:   upadhyaSetup + " The paper gives figures for L_4 alone and no window; here it is 7x7x7, the smallest of table 1.",
		Figures: []string{Time, MSE, PSNR},
		Charts:  []Chart{{File: "upadhya-lk", Title: "PSNR of the weightings", Kind: Bars, Figure: PSNR}},
	}
	add := func(label string, x float64, set string, paper map[string]float64) {
		e.Rows = append(e.Rows, both(Row{Label: label, X: x, Input: upadhyaInput, Filter: "nlm", Dims: 3, Settings: []string{set}, PaperVoxels: upadhyaVoxels, Pictures: true}, paper, paper)...)
	}
	add("Gaussian", 0, upadhyaSet(1, 3), map[string]float64{MSE: 12.09, PSNR: 37.31})
	for k := 1; k <= 4; k++ {
		var paper map[string]float64
		if k == 4 {
			paper = map[string]float64{MSE: 460.8, PSNR: 21.5}
		}
		add(fmt.Sprintf("L_%d", k), float64(k), fmt.Sprintf("weighting=lk k=%d patch-radius=1 search-radius=3 patch-weights=gaussian patch-sigma=1 centre=max", k), paper)
	}
	e.Claims = []Claim{{
		Text: "Weights by L_k norms blur: their PSNR is at least 10 dB below that of Gaussian weights.",
		Check: func(rows Rows) (bool, string, bool) {
			gaussian, ok := rows.Figure("Gaussian", PSNR)
			least := math.Inf(1)
			for k := 1; k <= 4; k++ {
				lk, measured := rows.Figure(fmt.Sprintf("L_%d", k), PSNR)
				ok = ok && measured
				least = min(least, gaussian-lk)
			}
			return least >= 10, fmt.Sprintf("at least %.1f dB below", least), ok
		},
	}}
	return e
}

func upadhyaPatch() Experiment {
	e := Experiment{
		Name: "upadhya-patch", Paper: upadhya, Source: "conclusions: future work, no figures", Unit: "s",
		Title:   "the size of the patch at one search window",
		Setup:   upadhyaSetup + " The search window is 7x7x7. Uniform weights are those that a larger patch does not suppress.",
		Figures: []string{Time, MSE, PSNR},
		Charts:  []Chart{{File: "upadhya-patch", Title: "PSNR over the patch", Kind: Lines, Figure: PSNR, XLabel: "patch"}},
	}
	for _, weights := range []string{"gaussian", "uniform"} {
		for radius := range 4 {
			set := fmt.Sprintf("h=10 patch-radius=%d search-radius=3 centre=max patch-weights=%s", radius, weights)
			e.Rows = append(e.Rows, both(Row{
				Label: cube(2*radius + 1), Series: weights, X: float64(2*radius + 1), Input: upadhyaInput, Filter: "nlm", Dims: 3,
				Settings: []string{set}, PaperVoxels: upadhyaVoxels,
			}, nil, nil)...)
		}
	}
	return e
}

// narrowBlocks is what he found about shapes.
var narrowBlocks = Claim{
	Text: "Blocks with 20 threads or fewer along x are faster than wider ones.",
	Check: func(rows Rows) (bool, string, bool) {
		var narrow, wide []float64
		var best, worst RowReport
		for _, r := range rows {
			t, ok := r.Result.Figures[Time]
			switch {
			case !ok:
				return false, "", false
			case r.X <= 20:
				narrow = append(narrow, t)
			default:
				wide = append(wide, t)
			}
			if best.Name == "" || t < best.Result.Figures[Time] {
				best = r
			}
			if worst.Name == "" || t > worst.Result.Figures[Time] {
				worst = r
			}
		}
		if len(narrow) == 0 || len(wide) == 0 {
			return false, "", false
		}
		detail := fmt.Sprintf("medians %s and %s ms; the best is %s with %s ms, the worst %s with %s ms", significant(1e3*median(narrow)), significant(1e3*median(wide)),
			best.Name, significant(1e3*best.Result.Figures[Time]), worst.Name, significant(1e3*worst.Result.Figures[Time]))
		return median(narrow) < median(wide), detail, true
	},
}
