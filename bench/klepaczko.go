package bench

import (
	"fmt"
	"math"

	"quell/denoise/noise"
	"quell/kernels"
)

const klepaczkoVoxels = 256 * 256

// klepaczkoSetup says what both experiments share.
const klepaczkoSetup = "Slices of 181x217 pixels, padded with zeros to 256x256; eight directions, scales 1, 2, 3, 5, 7, 8. "

// klepaczkoRegisters caps the registers of a thread.
func klepaczkoRegisters(base Row) Experiment {
	e := Experiment{
		Name: "klepaczko-registers", Paper: klepaczko, Source: "table 2", Unit: "ms",
		Title: "registers a thread against threads on a multiprocessor",
		Setup: klepaczkoSetup + "The kernel of two pixels a thread. The paper: 1.73, 1.68, 1.65, 1.63, 1.62, 1.65 ms with 21, 23, 25, 27, 29, 31 registers, which leave room for 100, 92, 85, 79, 73, 69 % of " +
			"the threads. Devices of today have twice the registers a thread and give them out in eights: 32, 40, 48, 64 leave room for 100, 75, 62, 50 %. A slice of 256x256 pixels is 128 blocks, fewer than a large device of today has multiprocessors, so that its occupancy is not tested; ten slices at once, and a slice of 1024x1024, padded likewise, are ten and sixteen times as many.",
		Figures: []string{Time},
		Charts:  []Chart{{File: "klepaczko-table2", Title: "Time over the registers (table 2)", Kind: Lines, Figure: Time, XLabel: "registers", Log: true}},
	}
	for _, dims := range [][3]int{{256, 256, 1}, {256, 256, 10}, {1024, 1024, 1}} {
		size := square(dims[0])
		if dims[2] > 1 {
			size = fmt.Sprintf("%d slices of %s", dims[2], size)
		}
		for _, registers := range []int{32, 40, 48, 64} {
			row := base.on(size, kernels.Rung{Name: fmt.Sprintf("lpa_r%d", registers)}, nil)
			row.Label, row.X, row.Input.Dims = fmt.Sprintf("%d registers", registers), float64(registers), dims
			e.Rows = append(e.Rows, row)
		}
		if dims == [3]int{256, 256, 1} {
			continue // too few blocks to test it
		}
		e.Claims = append(e.Claims, Claim{
			Text: fmt.Sprintf("More registers than full occupancy allows make the kernel faster: %s pixels.", size),
			Check: func(rows Rows) (bool, string, bool) {
				full, ok := rows.Exact("32 registers, "+size, Time)
				best := math.Inf(1)
				for _, registers := range []int{40, 48, 64} {
					t, measured := rows.Exact(fmt.Sprintf("%d registers, %s", registers, size), Time)
					ok = ok && measured
					best = min(best, t)
				}
				return best < full, fmt.Sprintf("%.4f ms at best, %.4f ms with 32", 1e3*best, 1e3*full), ok
			},
		})
	}
	return e
}

// onAny returns a figure of a row on the CPU or, if that was not measured, on the GPU.
func onAny(rows Rows, name, key string) (float64, bool) {
	if x, ok := rows.Exact(name+", CPU", key); ok {
		return x, true
	}
	return rows.Exact(name+", CUDA", key)
}

// klepaczkoTransfers times the copies of one slice.
func klepaczkoTransfers(base Row) Experiment {
	base.Series, base.Engine, base.measure, base.PaperVoxels = "CUDA", "cuda", transfer, klepaczkoVoxels
	base.Paper = map[string]float64{Upload: 0.00081, Download: 0.00453}
	return Experiment{
		Name: "klepaczko-transfers", Paper: klepaczko, Source: "table 1", Unit: "ms",
		Title:   "transfers of a slice between host and GPU",
		Setup:   "With LPA-ICI, scales 1, 2, 3, 5, 7, 8.",
		Figures: []string{Time, Upload, Download}, Rows: []Row{base},
	}
}

// significantShare is the share from which the time of a step counts as significant.
const significantShare = 0.1

// klepaczkoExperiments are the experiments of Klepaczko 2013.
func klepaczkoExperiments() []Experiment {
	slice := func(model noise.Model, sigma float64) Input {
		return Input{Kind: Slice, Dims: [3]int{256, 256, 1}, Model: model, Sigma: sigma}
	}
	ten := func(model noise.Model, sigma float64) Input {
		in := slice(model, sigma)
		in.Dims[2] = 10
		return in
	}
	set := func(sigma float64) []string { return []string{fmt.Sprintf("sigma=%g scales=1,2,3,5,7,8", sigma)} }
	table := Experiment{
		Name: "klepaczko-table1", Paper: klepaczko, Source: "table 1", Unit: "ms",
		Title: "LPA-ICI on one slice", Setup: klepaczkoSetup + "Gaussian noise of 0.05 of the range. The paper's transfers: 0.81 ms to the device, 4.53 ms from it. " +
			"His slice is 256 blocks of 16x16 threads, or 128 with two pixels a thread: fewer than a large device of today runs at a time. The rows of 1024x1024 pixels, padded likewise, have 16 times as many. Speedups are those over the formula in float64, pixel by pixel, on one thread.",
		Figures: []string{Time, EndToEnd, Speedup},
	}
	base := Row{Label: "256x256", Input: slice(noise.Gaussian, 0.05*grey), Filter: "lpa", Dims: 2, Settings: set(0.05 * grey), PaperVoxels: klepaczkoVoxels}
	one, every := base.programs(map[string]float64{Time: 0.721})
	single := base
	single.Engine, single.Series, single.Threads = "cpu", "CPU, one thread", 1
	table.Rows = append([]Row{one, every, single}, both(base, nil, map[string]float64{Time: 0.00173, EndToEnd: 0.00173 + 0.00081 + 0.00453, Speedup: 721 / 1.73})...)
	for _, rung := range []struct {
		series, name string
		ms           float64
	}{{"basic", "lpa_basic", 2.34}, {"shared", "lpa_shared", 2.03}, {"shared x 2", "lpa_shared2", 1.73}} {
		table.Rows = append(table.Rows, base.on(rung.series, kernels.Rung{Name: rung.name}, map[string]float64{Time: rung.ms / 1e3, Speedup: 721 / rung.ms}))
	}
	for i, r := range table.Rows {
		if r.Name() != one.Name() {
			table.Rows[i].Base = one.Name()
		}
		if r.Engine == "cuda" {
			r.Label, r.Input.Dims, r.Paper = "1024x1024", [3]int{1024, 1024, 1}, nil
			table.Rows = append(table.Rows, r)
		}
	}
	for _, label := range []string{"256x256", "1024x1024"} {
		table.Claims = append(table.Claims, Claim{
			Text: "Shared memory makes the kernel faster, two pixels a thread faster still: " + label + " pixels.",
			Check: func(rows Rows) (bool, string, bool) {
				basic, ok1 := rows.Exact(label+", basic", Time)
				shared, ok2 := rows.Exact(label+", shared", Time)
				double, ok3 := rows.Exact(label+", shared x 2", Time)
				return basic > shared && shared > double, fmt.Sprintf("%.4f, %.4f, %.4f ms", 1e3*basic, 1e3*shared, 1e3*double), ok1 && ok2 && ok3
			},
		})
	}
	table.Claims = append(table.Claims, Claim{
		Text: "The kernel of two pixels a thread is 355 to 417 times as fast as a program on one thread of a CPU, here the formula in float64: 256x256 pixels.",
		Check: func(rows Rows) (bool, string, bool) {
			x, ok := rows.Exact("256x256, shared x 2", Speedup)
			return x >= 0.95*355, fmt.Sprintf("x%.0f", x), ok
		},
	})

	levels := Experiment{
		Name: "klepaczko-noise", Paper: klepaczko, Source: "section 4, figure 5", Unit: "ms",
		Title: "LPA-ICI and SA-DCT over strength and kind of the noise",
		Setup: klepaczkoSetup + "Gaussian noise in parts of the range; Rician noise in per cent of it, as BrainWeb counts. The paper gives one time for all: 721 ms on one thread of a CPU, 1.73 ms on the GPU. Ten slices are filtered at once, as the paper averages over ten; figures of quality are of all, times of ten slices. " +
			"Rician noise is filtered as it is, as in the paper, and stabilised, which is Quell's treatment of it. The first step of SA-DCT finds the scales of LPA-ICI in each of the eight directions: its time is that of SA-DCT up to there, on the same slices, with the stabilisation before it where there is one.",
		Figures: []string{Time, EndToEnd, FirstStep, Share, PSNRBefore, PSNR, SSIM},
		Charts:  []Chart{{File: "klepaczko-noise", Title: "PSNR over the noise", Kind: Lines, Figure: PSNR, XLabel: "sigma in % of the range"}},
	}
	add := func(label, series string, model noise.Model, part float64, more string, pictures bool) {
		set := fmt.Sprintf("sigma=%g scales=1,2,3,5,7,8", part*grey) + more
		levels.Rows = append(levels.Rows, both(Row{
			Label: label, Series: series, X: 100 * part, Input: ten(model, part*grey), Filter: "lpa", Dims: 2, Settings: []string{set}, PaperVoxels: klepaczkoVoxels, Pictures: pictures,
		}, nil, map[string]float64{Time: 0.00173})...)
		whole := both(Row{
			Label: label, Series: "SA-DCT, " + series, X: 100 * part, Input: ten(model, part*grey), Filter: "sadct", Dims: 2, Settings: []string{set}, Step: "scales", Pictures: pictures,
		}, nil, nil)
		levels.Rows = append(levels.Rows, whole...)
	}
	for _, sigma := range []float64{0.01, 0.03, 0.05, 0.07, 0.15} {
		add(fmt.Sprintf("sigma = %g", sigma), "Gaussian", noise.Gaussian, sigma, "", sigma == 0.15)
	}
	for s := 1; s <= 5; s++ {
		add(fmt.Sprintf("s = %d", s), "Rician", noise.Rician, float64(s)/100, "", s == 5)
		add(fmt.Sprintf("s = %d", s), "Rician, stabilised", noise.Rician, float64(s)/100, fmt.Sprintf(" stabilise=%g", float64(s)/100*grey), s == 5)
	}
	levels.Claims = []Claim{{
		Text: "LPA-ICI, the first step of SA-DCT, is no significant part of its time: below 10 %.",
		Check: func(rows Rows) (bool, string, bool) {
			most := 0.0
			for _, r := range rows {
				most = max(most, r.Result.Figures[Share])
			}
			return most < significantShare, fmt.Sprintf("%.1f %% at most", 100*most), most > 0
		},
		Parts: func(rows Rows) (parts []bool) {
			for _, r := range rows {
				if share, ok := r.Result.Figures[Share]; ok {
					parts = append(parts, share < significantShare)
				}
			}
			return parts
		},
	}}
	levels.Claims = append(levels.Claims, Claim{
		Text: "Stabilising Rician noise improves both filters, at every strength: no finding of the paper.",
		Check: func(rows Rows) (holds bool, detail string, known bool) {
			holds, known = true, true
			for _, filter := range []string{"", "SA-DCT, "} {
				least := math.Inf(1)
				for s := 1; s <= 5; s++ {
					plain, ok1 := onAny(rows, fmt.Sprintf("s = %d, %sRician", s, filter), PSNR)
					stable, ok2 := onAny(rows, fmt.Sprintf("s = %d, %sRician, stabilised", s, filter), PSNR)
					known = known && ok1 && ok2
					least = min(least, stable-plain)
				}
				holds = holds && least > 0
				detail += fmt.Sprintf(", %s by %.1f dB at least", map[string]string{"": "LPA", "SA-DCT, ": "SA-DCT"}[filter], least)
			}
			return holds, detail[2:], known
		},
	})
	return []Experiment{table, klepaczkoTransfers(base), klepaczkoRegisters(base), levels}
}
