package bench

import (
	"fmt"
	"slices"
	"time"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/gpu"
)

// bethelInput is a volume of the size of his MR data; the quick run takes a part.
var bethelInput = Input{Kind: MR, Dims: [3]int{256, 256, 120}, Model: noise.Gaussian, Sigma: 10, Slices: 60}

const bethelVoxels = 256 * 256 * 120

// bethelSet returns a bilateral filter of a radius; the range sigma is that of
// figure 2, 15 % of the range.
func bethelSet(radius int) string {
	return fmt.Sprintf("radius=%d sigma-spatial=%g voxel-units=true sigma-range=%g", radius, max(float64(radius)/2, 0.5), 0.15*grey)
}

const bethelSetup = "The range sigma is 15 % of the range, as in figure 2; the spatial sigma, which the paper does not give, is a half of the radius (0.5 at least), in voxels. " +
	"The paper's volume is an MR acquisition of the same size."

// bethelExperiments are those of Bethel 2012.
func bethelExperiments() []Experiment {
	return []Experiment{bethelEngines(), bethelGaussian(), bethelTransfer()}
}

func bethelEngines() Experiment {
	e := Experiment{
		Name: "bethel-cpu-gpu", Paper: bethel, Source: "figure 9, figure 6 (r = 11)", Unit: "s",
		Title:   "3-D bilateral filter over the radius: one thread, all cores, GPU",
		Setup:   bethelSetup + " The text gives a time for r = 11 alone: 9.4 s with the worst block shape, about a third of it with the best. Its speedups are over one thread: 30 untuned, 150 to 200 tuned.",
		Figures: []string{Time, EndToEnd, Speedup},
		Charts: []Chart{
			{File: "bethel-figure9a", Title: "Time over the radius (figure 9a)", Kind: Lines, Figure: Time, XLabel: "radius", Log: true},
			{File: "bethel-figure9b", Title: "Speedup over one thread (figure 9b)", Kind: Lines, Figure: Speedup, XLabel: "radius", Log: true},
		},
	}
	for _, radius := range []int{1, 3, 5, 7, 9, 11} {
		base := Row{Label: fmt.Sprintf("r = %d", radius), X: float64(radius), Input: bethelInput, Filter: "bilateral", Dims: 3,
			Settings: []string{bethelSet(radius)}, PaperVoxels: bethelVoxels}
		one, all, cuda := base, base, base
		one.Engine, one.Series, one.Threads = "cpu", "CPU, one thread", 1
		all.Engine, all.Series, all.Base = "cpu", "CPU", one.Name()
		cuda.Engine, cuda.Series, cuda.Base = "cuda", "CUDA", one.Name()
		cuda.Paper = map[string]float64{Speedup: 150}
		if radius == 11 {
			cuda.Paper = map[string]float64{Speedup: 200, Time: 9.4 / 3}
		}
		e.Rows = append(e.Rows, one, all, cuda)
	}
	return e
}

func bethelGaussian() Experiment {
	e := Experiment{
		Name: "bethel-gaussian", Paper: bethel, Source: "figures 1 and 2", Unit: "s",
		Title:   "bilateral against Gaussian smoothing, with the profile of a line",
		Setup:   "Radius 4, range sigma 15 % of the range, as in figure 2; spatial sigma 2 voxels. The line is the middle row of the middle slice.",
		Figures: []string{Time, PSNRBefore, PSNR, SSIM},
		Charts:  []Chart{{File: "bethel-figure2", Title: "A row of voxels (figure 2)", Kind: Profiles}},
	}
	for _, filter := range []string{"gaussian", "bilateral"} {
		set := "radius=4 sigma-spatial=2 voxel-units=true"
		if filter == "bilateral" {
			set = bethelSet(4)
		}
		e.Rows = append(e.Rows, both(Row{Label: filter, Input: bethelInput, Filter: filter, Dims: 3, Settings: []string{set}, Pictures: true, Profile: true}, nil, nil)...)
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
		Title: "transfers between host and GPU",
		Setup: "256x256x120 voxels of 4 bytes, with a bilateral filter of radius 1. To the device: a run on a new volume less one on a volume that is there. " +
			"From the device: a run on a volume that is there less its kernels. Both include the copies to and from the worker's memory. The paper has a chart alone: with an X server the way to the device was ten times faster.",
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
	return nil
}
