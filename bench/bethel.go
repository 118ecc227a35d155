package bench

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/gpu"
	"quell/kernels"
)

// bethelInput is a volume of the size of his MR data, whatever volume the user names: the
// shapes of blocks follow from its size.
var bethelInput = Input{Kind: MR, Dims: [3]int{256, 256, 120}, Model: noise.Gaussian, Sigma: 10, Fixed: true}

const bethelVoxels = 256 * 256 * 120

// bethelSet returns a bilateral filter of a radius; the range sigma is from figure
// 2, 15 % of the range.
func bethelSet(radius int) string {
	return fmt.Sprintf("radius=%d sigma-spatial=%g voxel-units=true sigma-range=%g", radius, max(float64(radius)/2, 0.5), 0.15*grey)
}

const bethelSetup = "The range sigma is 15 % of the range, as in figure 2; the spatial sigma, which the paper does not give, is a half of the radius (0.5 at least), in voxels. " +
	"The paper's volume is an MR acquisition of the same size."

// bethelExperiments are the experiments of Bethel 2012.
func bethelExperiments() []Experiment {
	return []Experiment{bethelTraversal(), bethelWeights(), bethelBlocks(), bethelEngines(), bethelGaussian(), bethelTransfer()}
}

// bethelRadii are the radii of all sweeps.
var bethelRadii = []int{1, 3, 5, 7, 9, 11}

// bethelRung returns one of his twelve kernels. A block has x times y threads across
// the rows.
func bethelRung(axis, memory, test string, x, y int) kernels.Rung {
	return kernels.Rung{Name: fmt.Sprintf("bilateral_%s_%s_%s", axis, memory, test), Block: [3]int{x, y, 1}}
}

// bethelRow returns a row of a radius, to be put on a rung.
func bethelRow(radius int) Row {
	return Row{Label: fmt.Sprintf("r = %d", radius), X: float64(radius), Input: bethelInput, Filter: "bilateral", Dims: 3,
		Settings: []string{bethelSet(radius)}, PaperVoxels: bethelVoxels}
}

func bethelTraversal() Experiment {
	e := Experiment{
		Name: "bethel-traversal", Paper: bethel, Source: "section 2.3.1, figure 4", Unit: "ms",
		Title: "a thread for each row along depth, width or height, with and without tests",
		Setup: bethelSetup + " Weights in constant memory; a block for each line of rows. Threads of a block lie along x for depth, y for width, z for height. " +
			"Tests are for every neighbour whether it lies in the volume; without them the loops are cut to it. The paper has charts alone.",
		Figures: []string{Time},
		Charts:  []Chart{{File: "bethel-figure4", Title: "Time over the radius (figure 4)", Kind: Lines, Figure: Time, XLabel: "radius", Log: true}},
	}
	for _, radius := range bethelRadii {
		for axis, threads := range map[string]int{"depth": 256, "width": 256, "height": 120} {
			for _, test := range []string{"tests", "cut"} {
				name := axis + map[string]string{"tests": ", tests", "cut": ""}[test]
				row := bethelRow(radius).on(name, bethelRung(axis, "constant", test, threads, 1), nil)
				row.Whole = true // a thread filters a row: the time is not the time of the slices
				e.Rows = append(e.Rows, row)
			}
		}
	}
	slices.SortStableFunc(e.Rows, func(a, b Row) int { return cmp.Or(cmp.Compare(a.X, b.X), strings.Compare(a.Series, b.Series)) })
	e.Claims = []Claim{
		ratios("Rows along depth, whose threads read neighbouring addresses, are faster than rows along width.", func(radius int) (string, string) {
			return fmt.Sprintf("r = %d, depth", radius), fmt.Sprintf("r = %d, width", radius)
		}, 1.2),
		ratios("Rows along depth are faster than rows along height.", func(radius int) (string, string) {
			return fmt.Sprintf("r = %d, depth", radius), fmt.Sprintf("r = %d, height", radius)
		}, 1.2),
		ratios("Without conditionals in the loop rows along depth are faster.", func(radius int) (string, string) {
			return fmt.Sprintf("r = %d, depth", radius), fmt.Sprintf("r = %d, depth, tests", radius)
		}, 1.02),
	}
	return e
}

// ratioOf compares the times of two rows over the radii: the claim is that the second
// takes at least as many times longer as is said.
func ratioOf(rows Rows, names func(radius int) (fast, slow string), least float64) (bool, string, bool) {
	var ratios []float64
	for _, radius := range bethelRadii {
		fast, slow := names(radius)
		a, ok1 := rows.Exact(fast, Time)
		b, ok2 := rows.Exact(slow, Time)
		if !ok1 || !ok2 {
			return false, "", false
		}
		ratios = append(ratios, b/a)
	}
	m := median(ratios)
	return m >= least, fmt.Sprintf("x%.2f to x%.2f, the median x%.2f", slices.Min(ratios), slices.Max(ratios), m), true
}

// eachRatio is ratioOf for each radius.
func eachRatio(names func(radius int) (fast, slow string), least float64) func(Rows) []bool {
	return func(rows Rows) (parts []bool) {
		for _, radius := range bethelRadii {
			fast, slow := names(radius)
			a, _ := rows.Exact(fast, Time)
			b, _ := rows.Exact(slow, Time)
			parts = append(parts, b >= least*a)
		}
		return parts
	}
}

// ratios returns a finding about the quotient of two rows at every radius.
func ratios(text string, names func(radius int) (fast, slow string), least float64) Claim {
	return Claim{Text: text, Check: func(rows Rows) (bool, string, bool) { return ratioOf(rows, names, least) }, Parts: eachRatio(names, least)}
}

func bethelWeights() Experiment {
	e := Experiment{
		Name: "bethel-weights", Paper: bethel, Source: "section 2.3.2, figure 5", Unit: "ms",
		Title:   "the table of spatial weights in constant or in global memory",
		Setup:   bethelSetup + " Rows along depth, blocks of 256x1 threads. The paper: constant memory is twice as fast at all radii; its figures are a chart.",
		Figures: []string{Time, Speedup},
		Charts: []Chart{
			{File: "bethel-figure5a", Title: "Time over the radius (figure 5a)", Kind: Lines, Figure: Time, XLabel: "radius", Log: true, Only: "r ="},
			{File: "bethel-figure5b", Title: "Constant over global memory (figure 5b)", Kind: Lines, Figure: Speedup, XLabel: "radius", Only: "r ="},
		},
	}
	for _, radius := range bethelRadii {
		global := bethelRow(radius).on("global", bethelRung("depth", "global", "cut", 256, 1), nil)
		constant := bethelRow(radius).on("constant", bethelRung("depth", "constant", "cut", 256, 1), map[string]float64{Speedup: 2})
		constant.Base = global.Name()
		e.Rows = append(e.Rows, global, constant)
	}
	// All twelve kernels at one radius.
	for axis, threads := range map[string]int{"depth": 256, "width": 256, "height": 120} {
		for _, test := range []string{"tests", "cut"} {
			name := axis + map[string]string{"tests": ", tests", "cut": ""}[test]
			row := bethelRow(5)
			row.Label = "twelve kernels at r = 5"
			global := row.on(name+", global", bethelRung(axis, "global", test, threads, 1), nil)
			constant := row.on(name+", constant", bethelRung(axis, "constant", test, threads, 1), map[string]float64{Speedup: 2})
			constant.Base = global.Name()
			e.Rows = append(e.Rows, global, constant)
		}
	}
	slices.SortStableFunc(e.Rows[2*len(bethelRadii):], func(a, b Row) int { return strings.Compare(a.Series, b.Series) })
	e.Claims = []Claim{{
		Text:  "With the weights in constant memory the kernel of rows along depth is twice as fast as with the weights in global memory.",
		Check: speedups("constant", 2), Parts: eachSpeedup("constant", 2),
	}}
	return e
}

// bethelBlocks sweeps the number of blocks along x and y, which gives their shape.
func bethelBlocks() Experiment {
	e := Experiment{
		Name: "bethel-blocks", Paper: bethel, Source: "section 2.3.3, figures 6 to 8", Unit: "ms",
		Title: "2 to 128 blocks along x and y, at radius 1, 5 and 11",
		Setup: bethelSetup + " Rows along depth, weights in constant memory; a block has (256 / blocks along x) times (256 / blocks along y) threads, 1024 at most. " +
			"The paper: at r = 11 the worst takes 9.4 s and the best a third of it.",
		Figures: []string{Time},
	}
	counts := []int{2, 4, 8, 16, 32, 64, 128}
	for _, radius := range []int{1, 5, 11} {
		for _, bx := range counts {
			for _, by := range counts {
				x, y := 256/bx, 256/by
				if x*y > 1024 {
					continue
				}
				row := bethelRow(radius)
				row.Label = fmt.Sprintf("r = %d, %d x %d blocks", radius, bx, by)
				row.X, row.Y = float64(bx), float64(by)
				e.Rows = append(e.Rows, row.on(fmt.Sprintf("%dx%d threads", x, y), bethelRung("depth", "constant", "cut", x, y), nil))
			}
		}
		e.Charts = append(e.Charts, Chart{File: fmt.Sprintf("bethel-figure6-r%d", radius), Title: fmt.Sprintf("r = %d", radius), Kind: Heat, Figure: Time,
			XLabel: "blocks along x (white: over 1024 threads a block)", YLabel: "blocks along y", Only: fmt.Sprintf("r = %d,", radius)})
	}
	e.Claims = []Claim{{
		Text: "The shape of the blocks alone changes the time threefold at r = 11.",
		Check: func(rows Rows) (bool, string, bool) {
			var times []float64
			for _, r := range rows {
				if t, ok := r.Result.Figures[Time]; ok && strings.HasPrefix(r.Name, "r = 11,") {
					times = append(times, t)
				}
			}
			if len(times) < 2 {
				return false, "", false
			}
			x := slices.Max(times) / slices.Min(times)
			return x >= 2.5, fmt.Sprintf("x%.2f", x), true
		},
	}}
	return e
}

func bethelEngines() Experiment {
	e := Experiment{
		Name: "bethel-cpu-gpu", Paper: bethel, Source: "figure 9, figure 6 (r = 11)", Unit: "s",
		Title: "3-D bilateral filter over the radius: one thread, all cores, GPU",
		Setup: bethelSetup + " The naive kernel has blocks of 256x1 threads, the tuned one of 16x8. The text gives a time for r = 11 alone: 9.4 s with the worst shape of the blocks, about a third of it with the best. " +
			"Its speedups, over one thread, are charts: about 30 at all radii, and 150 to over 200 tuned. CUDA is Quell's kernel, beside the paper's tuned one.",
		Figures: []string{Time, EndToEnd, Speedup},
		Charts: []Chart{
			{File: "bethel-figure9a", Title: "Time over the radius (figure 9a)", Kind: Lines, Figure: Time, XLabel: "radius", Log: true},
			{File: "bethel-figure9b", Title: "Speedup over one thread (figure 9b)", Kind: Lines, Figure: Speedup, XLabel: "radius", Log: true},
		},
		Claims: []Claim{
			{Text: "The naive kernel, blocks of 256x1 threads, is 30 times as fast as the straightforward program on one thread of a CPU.", Check: speedups("naive kernel", 30), Parts: eachSpeedup("naive kernel", 30)},
			{Text: "The tuned kernel, blocks of 16x8 threads, is 150 to 200 times as fast as the straightforward program on one thread of a CPU.", Check: speedups("tuned kernel", 150), Parts: eachSpeedup("tuned kernel", 150)},
			ratios("The shape of its blocks makes the tuned kernel 6 times as fast as the naive one.", func(radius int) (string, string) {
				return fmt.Sprintf("r = %d, tuned kernel", radius), fmt.Sprintf("r = %d, naive kernel", radius)
			}, 0.95*6),
		},
	}
	for _, radius := range bethelRadii {
		base := bethelRow(radius)
		one, every := base.programs(nil)
		single, all, cuda := base, base, base
		single.Engine, single.Series, single.Threads, single.Base = "cpu", "CPU, one thread", 1, one.Name()
		all.Engine, all.Series, all.Base = "cpu", "CPU", one.Name()
		cuda.Engine, cuda.Series, cuda.Base = "cuda", "CUDA", one.Name()
		if radius == 11 {
			cuda.Paper = map[string]float64{Time: 9.4 / 3}
		}
		naive := base.on("naive kernel", bethelRung("depth", "constant", "cut", 256, 1), map[string]float64{Speedup: 30})
		tuned := base.on("tuned kernel", bethelRung("depth", "constant", "cut", 16, 8), cuda.Paper)
		naive.Base, tuned.Base = one.Name(), one.Name()
		e.Rows = append(e.Rows, one, every, single, all, cuda, naive, tuned)
	}
	return e
}

func bethelGaussian() Experiment {
	e := Experiment{
		Name: "bethel-gaussian", Paper: bethel, Source: "figures 1 and 2", Unit: "s",
		Title: "bilateral against Gaussian smoothing, with the profile of a line",
		Setup: "Radius 4, range sigma 15 % of the range, as in figure 2; spatial sigma 2 voxels. The line is the middle row of the middle slice. " +
			"Figure 1 is a synthetic volume with a sharp edge, here the phantom of steps of 20 with noise of sigma 5.",
		Figures: []string{Time, PSNRBefore, PSNR, SSIM},
		Charts:  []Chart{{File: "bethel-figure2", Title: "A row of voxels (figure 2)", Kind: Profiles}},
	}
	anatomy := bethelInput
	anatomy.Fixed, anatomy.Slices = false, 60
	for _, filter := range []string{"gaussian", "bilateral"} {
		set := "radius=4 sigma-spatial=2 voxel-units=true"
		if filter == "bilateral" {
			set = bethelSet(4)
		}
		e.Rows = append(e.Rows, both(Row{Label: filter, Input: anatomy, Filter: filter, Dims: 3, Settings: []string{set}, Pictures: true, Profile: true}, nil, nil)...)
	}
	for _, filter := range []string{"gaussian", "bilateral"} {
		set := "radius=4 sigma-spatial=2 voxel-units=true"
		if filter == "bilateral" {
			set += fmt.Sprintf(" sigma-range=%g", 0.15*140)
		}
		e.Rows = append(e.Rows, both(Row{Label: filter + " on steps", Input: Input{Kind: Steps, Dims: [3]int{128, 128, 32}, Model: noise.Gaussian, Sigma: 5}, Filter: filter, Dims: 3,
			Settings: []string{set}, Pictures: true}, nil, nil)...)
	}
	e.Claims = []Claim{{
		Text: "Bilateral smoothing preserves edges that Gaussian smoothing blurs.",
		Check: func(rows Rows) (bool, string, bool) {
			blurred, ok1 := rows.Figure("gaussian", PSNR)
			kept, ok2 := rows.Figure("bilateral", PSNR)
			return kept > blurred, fmt.Sprintf("PSNR %.1f dB against %.1f dB", kept, blurred), ok1 && ok2
		},
	}}
	return e
}

func bethelTransfer() Experiment {
	return Experiment{
		Name: "bethel-transfer", Paper: bethel, Source: "section 2.5, figure 10", Unit: "ms",
		Title:   "transfers between host and GPU",
		Setup:   "256x256x120 voxels of 4 bytes, with a bilateral filter of radius 1. The paper has a chart alone: with an X server the way to the device was ten times faster.",
		Figures: []string{Time, EndToEnd, Upload, Download},
		Rows: []Row{{
			Label: "256x256x120", Series: "CUDA", Engine: "cuda", Input: bethelInput, Filter: "bilateral", Dims: 3,
			Settings: []string{bethelSet(1)}, PaperVoxels: bethelVoxels, measure: transfer,
		}},
	}
}

// transfer times runs on a volume that is on the device, and on copies of it.
func transfer(m *measurement) error {
	device, ok := m.engine.(interface{ Status() gpu.Status })
	if !ok {
		return fmt.Errorf("the engine %s has no device", m.engine.Info().Name)
	}
	run := func(in denoise.Input) (whole, kernels float64, err error) {
		before, started := device.Status().Busy, time.Now()
		m.output, err = m.engine.Run(m.ctx, m.recipe, in, m.region, nil)
		return time.Since(started).Seconds(), (device.Status().Busy - before).Seconds(), err
	}
	var there, fresh, busy []float64
	n := most
	if m.quick {
		n = fewest
	}
	for i := range n {
		in := denoise.Input{Volume: m.image.noisy}
		if _, _, err := run(in); err != nil {
			return err
		}
		whole, kernels, err := run(in)
		if err != nil {
			return err
		}
		v := *m.image.noisy
		v.Data = slices.Clone(v.Data)
		v.Data[0] += float32(i + 1) // no device knows this volume
		sent, _, err := run(denoise.Input{Volume: &v})
		if err != nil {
			return err
		}
		there, fresh, busy = append(there, whole), append(fresh, sent), append(busy, kernels)
		if m.progress != nil {
			m.progress(int64(i+1), int64(n))
		}
	}
	m.result.Repeats = n
	m.result.Figures[Time], m.result.Figures[EndToEnd] = median(busy), median(fresh)
	m.result.Figures[Upload] = max(median(fresh)-median(there), 0)
	m.result.Figures[Download] = max(median(there)-median(busy), 0)
	m.result.Figures[Transfers] = m.result.Figures[Upload] + m.result.Figures[Download]
	return nil
}
