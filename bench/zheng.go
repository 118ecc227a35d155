package bench

import "fmt"

// zhengExperiments are those of Zheng, Xu, Mueller 2011.
func zhengExperiments() []Experiment {
	table1 := map[int][]float64{ // optimized bilateral, ms, windows 7, 11, 17
		256: {0.131, 0.246, 0.539}, 512: {0.326, 0.705, 1.760}, 1024: {1.120, 2.473, 6.545},
	}
	table2 := map[int][]float64{ // optimized NLM
		256: {2.097, 5.034, 12.703}, 512: {7.339, 17.756, 42.066}, 1024: {28.041, 67.727, 161},
	}
	return []Experiment{
		{
			Name: "zheng-table1", Paper: zheng, Source: "table I, column Optimized Bilateral", Unit: "ms",
			Title: "2-D bilateral filter over image and window size",
			Setup: "The times of the paper are those of its GPU with prefetching. The spatial sigma, which the paper does not give, is a half of the window's radius, " +
				"the range sigma 60 HU; neither changes the time.",
			Figures: []string{Time, EndToEnd}, Charts: []Chart{{File: "zheng-table1", Title: "Bilateral filter, 1024x1024", Kind: Lines, Figure: Time, XLabel: "window", Log: true, Only: "1024x1024"}},
			Rows: zhengRows(table1, func(n, window int) (string, string) {
				r := (window - 1) / 2
				return "bilateral", fmt.Sprintf("radius=%d sigma-spatial=%g voxel-units=true sigma-range=60", r, float64(r)/2)
			}, "%s, window %s"),
		},
		{
			Name: "zheng-table2", Paper: zheng, Source: "table II, column Optimized NLM", Unit: "ms",
			Title:   "2-D non-local means over image and window size",
			Setup:   "The times of the paper are those of its GPU with prefetching. (7+17)^2 is read as patches of 7x7 in a window of 17x17; weights within a patch are uniform, h is 40 HU.",
			Figures: []string{Time, EndToEnd}, Charts: []Chart{{File: "zheng-table2", Title: "Non-local means, 1024x1024", Kind: Lines, Figure: Time, XLabel: "window", Log: true, Only: "1024x1024"}},
			Rows: zhengRows(table2, func(n, window int) (string, string) {
				return "nlm", fmt.Sprintf("h=40 patch-radius=3 search-radius=%d patch-weights=uniform", (window-1)/2)
			}, "%s, patch 7x7, window %s"),
		},
		zhengImages(),
	}
}

func zhengRows(table map[int][]float64, settings func(n, window int) (filter, set string), label string) []Row {
	var rows []Row
	for _, n := range []int{256, 512, 1024} {
		for i, window := range []int{7, 11, 17} {
			filter, set := settings(n, window)
			paper := map[string]float64{Time: table[n][i] / 1e3}
			rows = append(rows, both(Row{
				Label: fmt.Sprintf(label, square(n), square(window)), X: float64(window),
				Input: Input{Kind: Scan, Dims: [3]int{n, n, 1}}, Filter: filter, Dims: 2, Settings: []string{set}, PaperVoxels: n * n,
			}, paper, paper)...)
		}
	}
	return rows
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
		for _, spatial := range []float64{1, 1.5, 2, 3, 5} {
			for _, rng := range []float64{30, 60, 120, 240, 480} {
				settings = append(settings, fmt.Sprintf("radius=%d sigma-spatial=%g voxel-units=true sigma-range=%g", (window-1)/2, spatial, rng))
			}
		}
		row("bilateral "+square(window), "bilateral", float64(window), settings)
	}
	for _, window := range []int{7, 11, 17} {
		var settings []string
		for _, h := range []float64{15, 25, 40, 60, 90, 130, 200} {
			settings = append(settings, fmt.Sprintf("h=%g patch-radius=5 search-radius=%d patch-weights=uniform", h, (window-1)/2))
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
