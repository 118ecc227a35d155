package bench

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"quell/kernels"
)

// zhengTable is a table of the paper by image size: times in ms of the kernel
// without and with prefetching, and their quotient, at windows of 7, 11 and 17.
type zhengTable map[int][3]struct{ plain, prefetched, speedup float64 }

// zhengExperiments are the experiments of Zheng, Xu, Mueller 2011.
func zhengExperiments() []Experiment {
	table1 := zhengTable{
		256:  {{0.192, 0.131, 1.46}, {0.309, 0.246, 1.25}, {0.650, 0.539, 1.21}},
		512:  {{0.411, 0.326, 1.26}, {0.927, 0.705, 1.31}, {2.150, 1.760, 1.22}},
		1024: {{1.446, 1.120, 1.29}, {3.374, 2.473, 1.36}, {8.080, 6.545, 1.23}},
	}
	table2 := zhengTable{
		256:  {{8.708, 2.097, 4.15}, {23.927, 5.034, 4.75}, {51.095, 12.703, 4.02}},
		512:  {{31.026, 7.339, 4.23}, {76.494, 17.756, 4.31}, {182.497, 42.066, 4.34}},
		1024: {{118.831, 28.041, 4.24}, {292.970, 67.727, 4.33}, {699.231, 161, 4.34}},
	}
	chart := func(name, title string) []Chart {
		return []Chart{{File: name, Title: title, Kind: Lines, Figure: Time, XLabel: "window", Log: true, Only: "1024x1024"}}
	}
	const ladder = "Blocks are of 32x32 threads. The paper reads voxels as a texture; each kernel is measured so and with plain loads. Neither computes addresses in the loop over a patch: the hardware mirrors the texture at the edges, and loads are of a padded copy, whose making counts. The last rungs, CPU and CUDA, are Quell's, beside the paper's prefetched kernel. "
	prefetching := func(text string, lo float64) []Claim {
		return []Claim{
			{Text: text + " than the same kernel that is not prefetched, reading a texture as the paper does.", Check: speedups("prefetched"+byTexture, lo), Parts: eachSpeedup("prefetched"+byTexture, lo)},
			{Text: text + " than the same kernel that is not prefetched, with plain loads.", Check: speedups("prefetched", lo), Parts: eachSpeedup("prefetched", lo)},
		}
	}
	return []Experiment{
		{
			Name: "zheng-table1", Paper: zheng, Source: "table I", Unit: "ms",
			Title: "2-D bilateral filter over image and window size: weights computed, in constant memory, voxels prefetched",
			Setup: ladder + "The paper's kernels have the weights in constant memory. The spatial sigma, which the paper does not give, is a half of the window's radius, " +
				"the range sigma 60 HU; neither changes the time.",
			Figures: []string{Time, EndToEnd, Speedup}, Charts: chart("zheng-table1", "Bilateral filter, 1024x1024"),
			Rows: table1.rows("%s, window %s", "bilateral", func(radius int) string {
				return fmt.Sprintf("radius=%d sigma-spatial=%g voxel-units=true sigma-range=60", radius, float64(radius)/2)
			}, "bilateral_formula", "bilateral_constant", "bilateral_shared"),
			Claims: prefetching("Prefetching makes the bilateral filter 1.2 to 1.5 times faster", 1.2),
		},
		{
			Name: "zheng-table2", Paper: zheng, Source: "table II", Unit: "ms",
			Title:   "2-D non-local means over image and window size: straightforward, voxels prefetched",
			Setup:   ladder + "(7+17)^2 is read as patches of 7x7 in a window of 17x17; weights within a patch are uniform. h, which the paper does not give, is the sigma of the noise.",
			Figures: []string{Time, EndToEnd, Speedup}, Charts: chart("zheng-table2", "Non-local means, 1024x1024"),
			Rows: table2.rows("%s, patch 7x7, window %s", "nlm", func(radius int) string {
				return fmt.Sprintf("h=1sigma sigma=0 patch-radius=3 search-radius=%d patch-weights=uniform centre=max", radius)
			}, "", "nlm_formula", "nlm_shared"),
			Claims: prefetching("Prefetching makes non-local means 4 times faster", 4),
		},
		zhengTransfers(),
		zhengImages(),
		zhengNoise(),
		zhengRegularised(),
	}
}

// zhengTransfers times the copies between host and GPU.
func zhengTransfers() Experiment {
	e := Experiment{
		Name: "zheng-transfers", Paper: zheng, Source: "section IV", Unit: "ms",
		Title:   "transfers of an image between host and GPU",
		Setup:   "With a bilateral filter of 7x7. The paper gives one time for both ways.",
		Figures: []string{Time, Upload, Download, Transfers},
	}
	for i, n := range []int{256, 512, 1024} {
		e.Rows = append(e.Rows, Row{
			Label: square(n), Series: "CUDA", Engine: "cuda", Input: Input{Kind: Scan, Dims: [3]int{n, n, 1}}, Filter: "bilateral", Dims: 2,
			Settings: []string{"radius=3 sigma-spatial=1.5 voxel-units=true sigma-range=60"}, PaperVoxels: n * n,
			Paper: map[string]float64{Transfers: []float64{0.0007, 0.002, 0.0075}[i]}, measure: transfer,
		})
	}
	return e
}

// zhengNoise compares both filters over the noise and the number of views.
func zhengNoise() Experiment {
	e := Experiment{
		Name: "zheng-noise", Paper: zheng, Source: "sections IV and V, no figures", Unit: "ms",
		Title: "non-local means against the bilateral filter over noise and streaks",
		Setup: "256x256, window 17x17, patches of 11x11; each filter with the best of a grid of parameters, by the mean squared error. " +
			"The paper: both are alike at low noise; with more noise and more streaks non-local means is better.",
		Figures: []string{PSNRBefore, PSNR, SSIM},
	}
	better := func(views, snr int) func(Rows) (float64, bool) {
		return func(rows Rows) (float64, bool) {
			a, ok1 := rows.Figure(fmt.Sprintf("%d views, SNR %d, bilateral", views, snr), PSNR)
			b, ok2 := rows.Figure(fmt.Sprintf("%d views, SNR %d, nlm", views, snr), PSNR)
			return b - a, ok1 && ok2
		}
	}
	for _, c := range []struct{ views, snr int }{{90, 25}, {90, 10}, {90, 5}, {45, 25}, {30, 25}} {
		in := Input{Kind: Scan, Dims: [3]int{256, 256, 1}, Views: c.views, SNR: float64(c.snr)}
		var ranges, strengths []string
		for _, spatial := range []float64{2, 3, 5} {
			for _, rng := range []float64{60, 120, 240, 480, 960} {
				ranges = append(ranges, fmt.Sprintf("radius=8 sigma-spatial=%g voxel-units=true sigma-range=%g", spatial, rng))
			}
		}
		for _, h := range []float64{25, 40, 60, 90, 130, 200, 300, 450} {
			strengths = append(strengths, fmt.Sprintf("h=%g patch-radius=5 search-radius=8 patch-weights=uniform centre=max", h))
		}
		label := fmt.Sprintf("%d views, SNR %d, ", c.views, c.snr)
		for filter, settings := range map[string][]string{"bilateral": ranges, "nlm": strengths} {
			e.Rows = append(e.Rows, both(Row{Label: label + filter, X: float64(c.views), Y: float64(c.snr), Input: in, Filter: filter, Dims: 2, Settings: settings}, nil, nil)...)
		}
	}
	slices.SortStableFunc(e.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.X, a.X), cmp.Compare(b.Y, a.Y), strings.Compare(a.Label, b.Label))
	})
	grows := func(text string, places [][2]int) Claim {
		return Claim{Text: text, Check: func(rows Rows) (holds bool, detail string, known bool) {
			last := math.Inf(-1)
			holds = true
			for _, p := range places {
				gain, ok := better(p[0], p[1])(rows)
				if !ok {
					return false, "", false
				}
				holds = holds && gain >= last
				last = gain
				detail += fmt.Sprintf("%+.1f dB at %d views and SNR %d, ", gain, p[0], p[1])
			}
			return holds && last >= 1, detail[:len(detail)-2], true
		}}
	}
	e.Claims = []Claim{
		grows("Non-local means is the better the more noise there is, by 1 dB or more at SNR 5.", [][2]int{{90, 25}, {90, 10}, {90, 5}}),
		grows("Non-local means is the better the more streaks there are, by 1 dB or more at 30 views.", [][2]int{{90, 25}, {45, 25}, {30, 25}}),
	}
	return e
}

// zhengRegularised filters between the passes of the reconstruction, as the paper
// proposes, against the same filter once after it.
func zhengRegularised() Experiment {
	const passes = 10
	e := Experiment{
		Name: "zheng-regularised", Paper: zheng, Source: "abstract and sections I and V, no figures", Unit: "ms",
		Title: "the filter after every pass of the iterative reconstruction, or once after it",
		Setup: fmt.Sprintf("256x256, SNR 25, window 17x17, patches of 11x11. The paper proposes both filters as regularisation steps that are interleaved with the steps of an iterative reconstruction, and shows no such image. "+
			"\"After every pass\" filters the image after each of %[1]d passes of SART by one recipe: the row is the last of the %[1]d filters, and PSNR before is that of the image which this one filters. "+
			"\"Once\" filters after the last of 5 or %[1]d passes alone. Each row has the best of a grid of parameters, by the mean squared error. No time includes a reconstruction.", passes),
		Figures: []string{PSNRBefore, PSNR, SSIM},
	}
	ranges := func(sigmas []float64, all ...float64) (settings []string) {
		for _, spatial := range sigmas {
			for _, rng := range all {
				settings = append(settings, fmt.Sprintf("radius=8 sigma-spatial=%g voxel-units=true sigma-range=%g", spatial, rng))
			}
		}
		return settings
	}
	strengths := func(all ...float64) (settings []string) {
		for _, h := range all {
			settings = append(settings, fmt.Sprintf("h=%g patch-radius=5 search-radius=8 patch-weights=uniform centre=max", h))
		}
		return settings
	}
	views := []int{90, 45, 30}
	after := fmt.Sprintf("after every pass of %d", passes)
	once := []string{"once after 5 passes", fmt.Sprintf("once after %d passes", passes)}
	for _, n := range views {
		for _, f := range []struct {
			filter            string
			once, interleaved []string
		}{
			{"bilateral", ranges([]float64{2, 3, 5}, 120, 240, 480, 960), ranges([]float64{2, 3}, 60, 90, 180)},
			{"nlm", strengths(40, 60, 90, 130, 200, 300), strengths(25, 40, 60, 90)},
		} {
			row := Row{Label: fmt.Sprintf("%d views, %s", n, f.filter), X: float64(n), Filter: f.filter, Dims: 2, Settings: f.once,
				Input: Input{Kind: Scan, Dims: [3]int{256, 256, 1}, Views: n}, Long: n != views[0]}
			for i, series := range once {
				row.Series, row.Input.Passes = series, []int{0, passes}[i]
				e.Rows = append(e.Rows, both(row, nil, nil)...)
			}
			row.Series, row.Settings, row.EveryPass, row.Pictures = after, f.interleaved, true, n == 90
			e.Rows = append(e.Rows, both(row, nil, nil)...)
		}
	}
	e.Claims = []Claim{
		gains("A filter after every pass gives a better image than the same filter once after the last, with both filters at every number of views measured: no finding of the paper.",
			func(rows Rows) (all []gain, known bool) {
				for _, filter := range []string{"bilateral", "nlm"} {
					for _, n := range views {
						label := fmt.Sprintf("%d views, %s, ", n, filter)
						within, ok1 := onAny(rows, label+after, PSNR)
						a, ok2 := onAny(rows, label+once[0], PSNR)
						b, ok3 := onAny(rows, label+once[1], PSNR)
						if ok1 && ok2 && ok3 {
							all = append(all, gain{fmt.Sprintf("with %s at %d views", filter, n), within - max(a, b)})
						}
					}
				}
				return all, len(all) > 0
			}),
		gains("After every pass non-local means gives a better image than the bilateral filter: no finding of the paper.",
			func(rows Rows) (all []gain, known bool) {
				for _, n := range views {
					a, ok1 := onAny(rows, fmt.Sprintf("%d views, bilateral, %s", n, after), PSNR)
					b, ok2 := onAny(rows, fmt.Sprintf("%d views, nlm, %s", n, after), PSNR)
					if ok1 && ok2 {
						all = append(all, gain{fmt.Sprintf("at %d views", n), b - a})
					}
				}
				return all, len(all) > 0
			}),
	}
	return e
}

// gain is the PSNR of one row less that of another, in dB, and the case that both rows measure.
type gain struct {
	at string
	dB float64
}

// gains returns a finding that all of several gains are above 0.
func gains(text string, of func(Rows) (all []gain, known bool)) Claim {
	return Claim{
		Text: text,
		Check: func(rows Rows) (holds bool, detail string, known bool) {
			all, known := of(rows)
			holds = true
			var parts []string
			for _, g := range all {
				holds = holds && g.dB > 0
				parts = append(parts, fmt.Sprintf("%+.2f dB %s", g.dB, g.at))
			}
			return holds, strings.Join(parts, "; "), known
		},
		Parts: func(rows Rows) (parts []bool) {
			all, _ := of(rows)
			for _, g := range all {
				parts = append(parts, g.dB > 0)
			}
			return parts
		},
	}
}

// byTexture ends the series of the rungs that read a texture.
const byTexture = ", by texture"

// rows returns the ladder for each size: naive, plain, which the paper begins with, and
// prefetched are names of rungs, naive "" for none.
func (table zhengTable) rows(label, filter string, setting func(radius int) string, naive, plain, prefetched string) []Row {
	var rows []Row
	block := [3]int{32, 32, 1}
	for _, n := range []int{256, 512, 1024} {
		for i, window := range []int{7, 11, 17} {
			ms := table[n][i]
			base := Row{
				Label: fmt.Sprintf(label, square(n), square(window)), X: float64(window),
				Input: Input{Kind: Scan, Dims: [3]int{n, n, 1}}, Filter: filter, Dims: 2, Settings: []string{setting((window - 1) / 2)}, PaperVoxels: n * n,
			}
			// The paper has no times of a CPU.
			rows = append(rows, both(base, nil, map[string]float64{Time: ms.prefetched / 1e3})...)
			for _, by := range []struct{ series, rung string }{{"", ""}, {byTexture, "_texture"}} {
				if naive != "" {
					rows = append(rows, base.on("weights computed"+by.series, kernels.Rung{Name: naive + by.rung, Block: block}, nil))
				}
				first := base.on("not prefetched"+by.series, kernels.Rung{Name: plain + by.rung, Block: block}, map[string]float64{Time: ms.plain / 1e3})
				second := base.on("prefetched"+by.series, kernels.Rung{Name: prefetched + by.rung, Block: block}, map[string]float64{Time: ms.prefetched / 1e3, Speedup: ms.speedup})
				second.Base = first.Name()
				rows = append(rows, first, second)
			}
		}
	}
	return rows
}

// speedups checks that the median of a series' speedups is at least so high, less 5 %.
func speedups(series string, least float64) func(Rows) (bool, string, bool) {
	return func(rows Rows) (bool, string, bool) {
		var all []float64
		for _, r := range rows {
			if x, ok := r.Result.Figures[Speedup]; ok && r.Series == series {
				all = append(all, x)
			}
		}
		if len(all) == 0 {
			return false, "", false
		}
		m := median(all)
		return m >= 0.95*least, fmt.Sprintf("x%.2f to x%.2f, the median x%.2f", slices.Min(all), slices.Max(all), m), true
	}
}

// eachSpeedup returns whether each of a series' speedups is at least so high, less 5 %.
func eachSpeedup(series string, least float64) func(Rows) []bool {
	return func(rows Rows) (parts []bool) {
		for _, r := range rows {
			if x, ok := r.Result.Figures[Speedup]; ok && r.Series == series {
				parts = append(parts, x >= 0.95*least)
			}
		}
		return parts
	}
}

// zhengImages searches the parameters of each window, as the paper did by eye.
func zhengImages() Experiment {
	e := Experiment{
		Name: "zheng-images", Paper: zheng, Source: "figures 4 to 6", Unit: "ms",
		Title:   "image quality of both filters over window size",
		Setup:   "The paper shows \"approximately the best parameters for each window size\"; here the best of a grid are taken, by the mean squared error against the phantom.",
		Figures: []string{PSNRBefore, PSNR, SSIM, MSE},
	}
	row := func(label, filter string, x float64, settings []string) {
		e.Rows = append(e.Rows, both(Row{Label: label, X: x, Input: Input{Kind: Scan, Dims: [3]int{256, 256, 1}}, Filter: filter, Dims: 2,
			Settings: settings, Pictures: true}, nil, nil)...)
	}
	for _, window := range []int{7, 11, 17} {
		var settings []string
		for _, spatial := range []float64{1, 1.5, 2, 2.5, 3, 4, 5} {
			for _, rng := range []float64{30, 60, 90, 120, 180, 240, 480} {
				settings = append(settings, fmt.Sprintf("radius=%d sigma-spatial=%g voxel-units=true sigma-range=%g", (window-1)/2, spatial, rng))
			}
		}
		row("bilateral "+square(window), "bilateral", float64(window), settings)
	}
	for _, window := range []int{7, 11, 17} {
		var settings []string
		for _, h := range []float64{15, 25, 40, 60, 90, 130, 200} {
			settings = append(settings, fmt.Sprintf("h=%g patch-radius=5 search-radius=%d patch-weights=uniform centre=max", h, (window-1)/2))
		}
		row("nlm 11x11, window "+square(window), "nlm", float64(window), settings)
	}
	e.Claims = []Claim{
		{Text: "Larger windows of the bilateral filter give better images.", Check: rising(PSNR, "bilateral 7x7", "bilateral 11x11", "bilateral 17x17")},
		{Text: "Larger windows of non-local means give better images.", Check: rising(PSNR, "nlm 11x11, window 7x7", "nlm 11x11, window 11x11", "nlm 11x11, window 17x17")},
	}
	return e
}

// rising checks that a figure does not fall from row to row, by more than 0.005.
func rising(key string, names ...string) func(Rows) (bool, string, bool) {
	return func(rows Rows) (holds bool, detail string, known bool) {
		holds = true
		last := 0.0
		for i, name := range names {
			x, ok := rows.Figure(name, key)
			if !ok {
				return false, "", false
			}
			if i > 0 {
				detail += ", "
			}
			detail += fmt.Sprintf("%.2f", x)
			holds = holds && (i == 0 || x >= last-0.005)
			last = x
		}
		if unit := figures[key].unit; unit != "" {
			detail += " " + unit
		}
		return holds, detail, true
	}
}
