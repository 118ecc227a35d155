package app_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/job"
	"quell/series"
	"quell/volume"
)

const complexVolumes = 20

// putComplex writes the magnitude and the phase of a diffusion series, whose signal sinks below its noise of sigma 10, and returns
// the truth and the brain in it. A full turn has so many steps, from first on.
func putComplex(t *testing.T, magnitude, phase string, turn, first float64) (truth [][]float64, brain []bool) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	g := volume.NewGeometry([3]int{40, 36, 8}, [3]float64{2, 2, 2})
	brain = make([]bool, g.Voxels())
	var ms, ps []*volume.Volume
	for k := range complexVolumes {
		m, p, clean := volume.New(g), volume.New(g), make([]float64, g.Voxels())
		for i := range clean {
			x, y, z := float64(i%40), float64(i/40%36), float64(i/(40*36))
			if brain[i] = math.Hypot(x-19, y-17) < 15; brain[i] {
				clean[i] = (120 + 30*math.Sin(x/4)*math.Cos(y/5)) * math.Exp(-3.5*float64(k)/complexVolumes*(0.7+0.3*math.Sin(y/6)))
			}
			angle := 0.8*x - 1.4*y + float64(k) + 0.5*z + 0.4*math.Sin(x/9+float64(k))
			re, im := clean[i]*math.Cos(angle)+10*r.NormFloat64(), clean[i]*math.Sin(angle)+10*r.NormFloat64()
			m.Data[i] = float32(math.Hypot(re, im))
			p.Data[i] = float32(first + turn*(math.Atan2(im, re)/(2*math.Pi)+0.5))
		}
		truth, ms, ps = append(truth, clean), append(ms, m), append(ps, p)
	}
	putVolumes(t, magnitude, "uint16", ms...)
	putVolumes(t, phase, "float32", ps...)
	return truth, brain
}

// The real part of a complex series is nearer to the truth than its magnitude, filtered or not, whatever the unit of the phase is.
func TestComplexSeries(t *testing.T) {
	dir := t.TempDir()
	in, phase := filepath.Join(dir, "mag.nii"), filepath.Join(dir, "phase.nii")
	truth, brain := putComplex(t, in, phase, 2*math.Pi, -math.Pi)
	result := func(phase, filter string) (rms, mean, sigma float64) {
		r := apptest.MustRecipe(filter, 3)
		out := filepath.Join(t.TempDir(), "out.nii")
		j := job.Job{Input: job.Input{Path: in, Phase: phase}, Recipe: &r, Engine: job.EnginePolicy{Name: "cpu"}, NoiseMap: job.MapIfVaries, Output: job.Output{Path: out}}
		report, err := app.Do(t.Context(), j, job.Events{})
		if err != nil {
			t.Fatal(err)
		}
		if found := len(report.Findings) > 0 && report.Findings[0].Kind == series.Phase; found != (phase != "") {
			t.Errorf("findings: %v", report.Findings)
		}
		_, after := loadAll(t, out)
		n := 0.0
		for k, s := range after {
			for i, v := range s.Volume.Data {
				if d := float64(v) - truth[k][i]; brain[i] {
					n, rms, mean = n+1, rms+d*d, mean+d
				}
			}
		}
		return math.Sqrt(rms / n), mean / n, report.Volumes[0].Recipe.Get("sigma").Float()
	}
	magnitude, bias, sigmaM := result("", "lowrank")
	re, reBias, sigmaR := result(phase, "lowrank")
	t.Logf("lowrank: magnitude %.2f (mean %.2f, sigma %.2f), real part %.2f (%.2f, %.2f)", magnitude, bias, sigmaM, re, reBias, sigmaR)
	if re > 0.9*magnitude || math.Abs(reBias) > 0.4 || math.Abs(sigmaR-10) > 1 {
		t.Errorf("lowrank: magnitude %g, real part %g (%g), sigma %g", magnitude, re, reBias, sigmaR)
	}
	for _, unit := range [][2]float64{{4096, 0}, {8192, -4096}, {360, 0}, {2000 * math.Pi, -1000 * math.Pi}} {
		folder := t.TempDir()
		other := filepath.Join(folder, "phase.nii")
		putComplex(t, filepath.Join(folder, "mag.nii"), other, unit[0], unit[1])
		if rms, _, _ := result(other, "lowrank"); math.Abs(rms-re) > 0.01 {
			t.Errorf("a turn of %g: an error of %g, and %g in radians", unit[0], rms, re)
		}
	}
}

// A phase that is not that of the series, or in a unit that is not known, is refused.
func TestComplexSeriesRefused(t *testing.T) {
	dir := t.TempDir()
	in, phase := filepath.Join(dir, "mag.nii"), filepath.Join(dir, "phase.nii")
	putComplex(t, in, phase, 1000, 0)
	short, small := filepath.Join(dir, "short.nii"), filepath.Join(dir, "small.nii")
	_, all := loadAll(t, phase)
	putVolumes(t, short, "float32", all[0].Volume, all[1].Volume)
	var crops []*volume.Volume
	for _, s := range all {
		crops = append(crops, s.Volume.Crop(volume.Slices(s.Volume.Geometry, 0, 7)))
	}
	putVolumes(t, small, "float32", crops...)
	r := apptest.MustRecipe("lowrank", 3)
	for path, words := range map[string]string{phase: "no full turn", short: "it has 2 volumes, and the series 20", small: "not on the grid", filepath.Join(dir, "none.nii"): "none.nii"} {
		j := job.Job{Input: job.Input{Path: in, Phase: path}, Recipe: &r, Engine: job.EnginePolicy{Name: "cpu"}, Output: job.Output{Path: filepath.Join(dir, "out.nii")}}
		if _, err := app.Do(t.Context(), j, job.Events{}); job.ExitCode(err) != job.ExitInput || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
	}
}
