package app

import (
	"context"
	"errors"
	"math"
	"testing"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/measure"
	"quell/series"
	"quell/volume"
)

func TestStructureIsTheCorrelationWithTheResult(t *testing.T) {
	// Against the correlation computed from the values themselves.
	input := []float64{3, -1, 4, 1, -5, 9, 2, -6, 5, 3}
	residual := []float64{0.5, -1, 0.25, 2, -1, 0.75, -0.5, 1, 0.1, -0.3}
	result := make([]float64, len(input))
	for i := range input {
		result[i] = input[i] - residual[i]
	}
	mean := func(x []float64) (m float64) {
		for _, v := range x {
			m += v / float64(len(x))
		}
		return m
	}
	cov := func(a, b []float64) (c float64) {
		ma, mb := mean(a), mean(b)
		for i := range a {
			c += (a[i] - ma) * (b[i] - mb) / float64(len(a))
		}
		return c
	}
	sd := func(x []float64) float64 { return math.Sqrt(cov(x, x)) }
	want := cov(residual, result) / (sd(residual) * sd(result))
	got := structureOf(sd(residual), sd(input), cov(residual, input)/(sd(residual)*sd(input)))
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("structure %v, want %v", got, want)
	}
	for _, c := range [][3]float64{{0, 1, 0}, {1, 1, 1}, {math.NaN(), 1, 0}, {1, math.NaN(), 0}} {
		if got := structureOf(c[0], c[1], c[2]); got != 0 {
			t.Errorf("structure of %v is %v, want 0", c, got)
		}
	}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		sigma, sd, structure float64
		want                 Verdict
	}{
		{10, 10, 0, Matched},
		{10, 7, 0.05, Matched},
		{10, 3, 0, Under},
		{10, 0, 0, Under},
		{10, 14, 0, Over},
		{10, 9, 0.3, Over},
		{10, 3, 0.3, Over}, // little was removed, and it was structure
		{10, 10 * underRatio, 0, Matched},
		{10, 10*underRatio - 0.01, 0, Under},
		{10, 10 * overRatio, overCorrelation, Matched},
		{10, 10*overRatio + 0.01, 0, Over},
		{10, 10, overCorrelation + 0.001, Over},
		{0, 5, 0, Unknown},
		{10, math.NaN(), 0, Unknown},
	} {
		if got := judge(c.sigma, c.sd, c.structure); got != c.want {
			t.Errorf("sigma %v, residual %v, structure %v: %s, want %s", c.sigma, c.sd, c.structure, got, c.want)
		}
	}
}

// disc is a bright ellipse with a hole on a dark ground: edges and even parts.
func disc(n, nz int) *series.Series {
	v := volume.New(volume.NewGeometry([3]int{n, n, nz}, [3]float64{1, 1, 1}))
	for z := range nz {
		for y := range n {
			for x := range n {
				dx, dy := float64(x)-float64(n)/2, float64(y)-float64(n)/2
				r := math.Hypot(dx, dy*1.2)
				if r < 0.45*float64(n) && math.Hypot(dx-4, dy) > 0.1*float64(n) {
					v.Data[v.Index(x, y, z)] = 200
				}
			}
		}
	}
	return &series.Series{Meta: series.Meta{Format: "NIfTI-1"}, Volume: v, Sources: []series.Source{{}}}
}

// TestVerdictsOfRealFilters: on an image with known noise, the verdicts agree with
// what the pictures show.
func TestVerdictsOfRealFilters(t *testing.T) {
	clean := disc(64, 3)
	noisy, err := AddNoise(t.Context(), clean, Noise{Model: noise.Gaussian, Sigma: 10, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	eng, err := PickEngine("cpu")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		recipe denoise.Recipe
		want   Verdict
	}{
		{"nlm, auto", mustRecipe("nlm", 3), Matched},
		{"nlm, weak", mustRecipe("nlm", 3).With("h", denoise.Number(2)), Under},
		{"a heavy blur", mustRecipe("gaussian", 2).With("sigma-spatial", denoise.Number(3)), Over},
	} {
		run, err := Denoise(t.Context(), eng, RunRequest{Series: noisy, Recipe: c.recipe}, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := MeasureRun(t.Context(), run, clean)
		if err != nil {
			t.Fatal(err)
		}
		if m.Verdict != c.want {
			t.Errorf("%s: %s (residual SD %.2f of sigma %.2f, structure %.3f), want %s",
				c.name, m.Verdict, float64(m.ResidualSD), m.NoiseSigma, float64(m.Structure), c.want)
		}
		if m.Truth == nil || m.Start == nil || m.Change.Max != measure.Float(200) {
			t.Fatalf("%s: truth %v, start %v, MAX %v", c.name, m.Truth, m.Start, m.Change.Max)
		}
		if better := m.Truth.MSE < m.Start.MSE; better != (c.want != Over) {
			t.Errorf("%s: MSE %v from %v", c.name, m.Truth.MSE, m.Start.MSE)
		}
	}
}

func TestMeasurePreviewIsTheSlice(t *testing.T) {
	s := wavy(20, 18, 16)
	ref := wavy(20, 18, 16)
	for i := range ref.Volume.Data {
		ref.Volume.Data[i] += float32(i % 3)
	}
	eng, err := PickEngine("cpu")
	if err != nil {
		t.Fatal(err)
	}
	q := PreviewRequest{Series: s, Recipe: mustRecipe("gaussian", 3), Facts: foundFacts(t, s.Volume), Index: 7}
	for q.Plane = volume.Axial; q.Plane <= volume.Sagittal; q.Plane++ {
		pv := filterSlice(t.Context(), eng, q)
		m, err := MeasurePreview(t.Context(), pv, ref)
		if err != nil {
			t.Fatalf("%v: %v", q.Plane, err)
		}
		before := s.Volume.Crop(q.Region())
		sum, n := 0.0, 0
		for i, x := range before.Data {
			d := float64(x) - float64(pv.Part.Data[i])
			sum += d * d
			n++
		}
		if want := sum / float64(n); math.Abs(float64(m.Change.MSE)-want) > 1e-9*want {
			t.Errorf("%v: MSE %v, want %v", q.Plane, m.Change.MSE, want)
		}
		if math.IsNaN(float64(m.Change.SSIM)) || m.Truth == nil {
			t.Errorf("%v: SSIM %v, truth %v", q.Plane, m.Change.SSIM, m.Truth)
		}
	}
	broken := errors.New("broken")
	if _, err := MeasurePreview(context.Background(), Preview{Err: broken}, nil); !errors.Is(err, broken) {
		t.Errorf("a failed preview was measured: %v", err)
	}
}
