package detect

import (
	"math"
	"math/rand/v2"
	"testing"

	"quell/measure"
)

// gaussianMTF is the transfer function of a Gaussian blur of s mm.
func gaussianMTF(s, pixel float64) (m measure.MTF) {
	for i := 0; i <= 64; i++ {
		f := float64(i) / 64 / pixel
		m.Frequency, m.Value, m.Error = append(m.Frequency, f), append(m.Value, math.Exp(-2*math.Pi*math.Pi*s*s*f*f)), append(m.Error, 0)
	}
	return m
}

// blurredNoise returns patches of white noise of SD sigma that a Gaussian of b mm has blurred, periodically.
func blurredNoise(seed uint64, patches, side int, pixel [2]float64, sigma, b float64) (out []measure.Patch) {
	r := rand.New(rand.NewPCG(seed, 7))
	wide := 2 * side // of which a part is cut
	taps := func(pixel float64) (t []float64) {
		n, sum := int(math.Ceil(5*b/pixel)), 0.0
		for i := -n; i <= n; i++ {
			x := float64(i) * pixel / max(b, 1e-9)
			t = append(t, math.Exp(-x*x/2))
			sum += t[len(t)-1]
		}
		for i := range t {
			t[i] /= sum
		}
		return t
	}
	tx, ty := taps(pixel[0]), taps(pixel[1])
	for range patches {
		white, rows := make([]float64, wide*wide), make([]float64, wide*wide)
		for i := range white {
			white[i] = sigma * r.NormFloat64()
		}
		for i := range rows {
			for k, w := range tx {
				rows[i] += w * white[i/wide*wide+(i%wide+k)%wide]
			}
		}
		values := make([]float64, side*side)
		for i := range values {
			for k, w := range ty {
				values[i] += w * rows[((i/side+k)%wide)*wide+i%side]
			}
		}
		out = append(out, measure.NewPatch(side, side, pixel, values))
	}
	return out
}

// exact is d' by integration in steps of its own, of noise with the power of white noise of sigma that b mm have blurred.
func exact(t Task, s, b, sigma float64, pixel [2]float64, screen *Screen) float64 {
	const step = 2e-4
	signal, variance, internal := 0.0, 0.0, 0.0
	last := 1 / (2 * max(pixel[0], pixel[1]))
	for f := step / 2; f < last; f += step {
		r := t.Diameter / 2
		w := t.Contrast * r * math.J1(2*math.Pi*r*f) / f * math.Exp(-2*math.Pi*math.Pi*s*s*f*f)
		n := sigma * sigma * pixel[0] * pixel[1] * math.Exp(-4*math.Pi*math.Pi*b*b*f*f)
		e := 1.0
		if screen != nil {
			g := f / screen.Zoom * screen.Distance * math.Pi / 180
			e, internal = math.Pow(g, 1.3)*math.Exp(-0.04*g*g), screen.Internal
		}
		ring := 2 * math.Pi * f * step * w * w
		signal, variance = signal+ring*e*e, variance+ring*e*e*e*e*n
	}
	return signal / math.Sqrt(variance*(1+internal))
}

// d' by measured spectra of simulated noise agrees with the closed forms within its error, and within 3 % as the mean of both seeds, for
// several sizes and pixels.
func TestTaskIndexOfSimulatedNoise(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	const seeds = 2
	for _, c := range []struct {
		pixel [2]float64
		b     float64 // of the noise, mm; almost 0: white
		s     float64 // of the edge, mm
		side  int
	}{{[2]float64{0.5, 0.5}, 1e-6, 0.6, 96}, {[2]float64{0.5, 0.5}, 0.6, 0.6, 96}, {[2]float64{0.4, 0.7}, 0.5, 0.8, 96}, {[2]float64{0.7, 0.7}, 0.8, 0.7, 96}} {
		mean := map[Task]map[bool]float64{}
		for seed := range uint64(seeds) {
			patches := blurredNoise(seed, 40, c.side, c.pixel, 30, c.b)
			n := measure.NPSOf(patches...)
			var quarters []measure.Patch
			for _, p := range patches {
				quarters = append(quarters, p.Quarters()...)
			}
			n.Refine(measure.NPSOf(quarters...))
			m := gaussianMTF(c.s, max(c.pixel[0], c.pixel[1]))
			for _, d := range []float64{2, 5, 8} {
				task := Task{d, 10}
				if mean[task] == nil {
					mean[task] = map[bool]float64{}
				}
				for _, screen := range []*Screen{nil, &UsualScreen} {
					got, err := task.Index(n, m, float64(c.side)*min(c.pixel[0], c.pixel[1]), screen)
					if err != nil {
						t.Fatal(err)
					}
					want := exact(task, c.s, c.b, 30, c.pixel, screen)
					off := float64(got.Value)/want - 1
					mean[task][screen == nil] += off / seeds
					if !(math.Abs(off) < 3*float64(got.Error)/want) {
						t.Errorf("%+v, disc of %g mm, screen %v: d' %.3f ± %.3f, want %.3f", c, d, screen, got.Value, got.Error, want)
					}
				}
			}
		}
		for task, offs := range mean {
			for plain, off := range offs {
				if math.Abs(off) > 0.03 {
					t.Errorf("%+v, disc of %g mm, without the eye %v: d' is off by %.3f", c, task.Diameter, plain, off)
				}
			}
		}
	}
}

// White noise and no blur have d'^2 = C^2 area / (sigma^2 pixel area), if the pixels are small.
func TestTaskIndexInWhiteNoise(t *testing.T) {
	const pixel, sigma = 0.02, 10.0
	n := measure.NPS{Frequency: []float64{0.1, 25}, Ground: []float64{0, 0}, Nyquist: 25}
	n.Power = []float64{sigma * sigma * pixel * pixel, sigma * sigma * pixel * pixel}
	got, err := Task{4, 1}.Index(n, gaussianMTF(1e-6, pixel), 100, nil)
	if want := math.Sqrt(math.Pi*4) / (sigma * pixel); err != nil || math.Abs(float64(got.Value)/want-1) > 0.01 {
		t.Errorf("d' %v, want %g, %v", got, want, err)
	}
}

// A figure is silent if regions are too narrow for the disc, or the curve ends too early.
func TestTaskIndexIsSilent(t *testing.T) {
	n := measure.NPSOf(blurredNoise(1, 4, 32, [2]float64{0.5, 0.5}, 30, 0.6)...)
	m := gaussianMTF(0.6, 0.5)
	for _, side := range []float64{14.9, 15} {
		if _, err := (Task{5, 10}).Index(n, m, side, nil); (err == nil) != (side == 15) {
			t.Errorf("regions of %g mm: %v", side, err)
		}
	}
	for _, points := range []int{5, 20} { // to 0.13 and 0.6 /mm
		short := measure.MTF{Frequency: m.Frequency[:points], Value: m.Value[:points], Error: m.Error[:points]}
		if _, err := (Task{2, 10}).Index(n, short, 16, nil); (err == nil) != (points == 20) {
			t.Errorf("%d points of the curve: %v", points, err)
		}
	}
}
