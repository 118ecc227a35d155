package lesions

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"quell/denoise/noise"
	"quell/measure/detect"
	"quell/volume"
)

const (
	// resamples is the number of draws of the places for an interval.
	resamples = 300
	// internal is the variance of the channelised observer's own noise in a score, relative to the variance
	// that the image gives it. In the channels it would make d' rise with a mere blur.
	internal = 0.5
	// perChannel is the least number of places for each channel.
	perChannel = 10
)

// overPlaces returns the mean over the places.
func (m *measurement) overPlaces(values []float64) detect.Interval {
	return m.drawn(len(values), func(draw []int) []float64 { return []float64{stat.Mean(pick(values, draw), nil)} })[0]
}

// drawn returns figures of all n places, with intervals from drawing places anew.
func (m *measurement) drawn(n int, figures func(draw []int) []float64) []detect.Interval {
	random := rand.New(rand.NewPCG(m.seed, 2))
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	values := figures(all)
	draws := make([][]float64, len(values))
	draw := make([]int, n)
	for range resamples {
		for i := range draw {
			draw[i] = random.IntN(n)
		}
		for k, f := range figures(draw) {
			draws[k] = append(draws[k], f)
		}
	}
	out := make([]detect.Interval, len(values))
	for k, v := range values {
		out[k] = detect.About(v, draws[k])
	}
	return out
}

// seen returns d' of both observers. Before, the regions with the lesion are those without plus the lesion.
func (m *measurement) seen(l Lesion, g volume.Geometry, added []float64, with []*volume.Volume) (eye, channels Seen) {
	n := len(with)
	var absent, present [2][][]float64 // before, after
	lesion := lessMean(added)
	for i := range n {
		source := m.middle(m.source[i])
		sum := make([]float64, len(source))
		for k, x := range source {
			sum[k] = x + lesion[k]
		}
		absent[0], present[0] = append(absent[0], source), append(present[0], sum)
		absent[1], present[1] = append(absent[1], m.middle(m.plain[i])), append(present[1], m.middle(with[i]))
	}
	npw := detect.NonPrewhitening{Eye: detect.UsualEye}
	eye = m.both(func(stage int) func(draw []int) float64 {
		return templateIndex(detect.See(npw, absent[stage]), detect.See(npw, present[stage]))
	}, n)
	_, pixels := l.pixels(g)
	count := max(min(detect.LaguerreGaussCount, n/perChannel), 1)
	cho := detect.Channelised{Channels: detect.LaguerreGauss(m.side, detect.WidthFor(pixels), count)}
	channels = m.both(func(stage int) func(draw []int) float64 {
		a, p := detect.See(cho, absent[stage]), detect.See(cho, present[stage])
		return func(draw []int) float64 { return hotellingIndex(cho, pick(a, draw), pick(p, draw)) }
	}, n)
	return eye, channels
}

// leastPower bounds the spectrum of the noise, relative to white noise, from below: an estimated correlation may say
// less than there is.
const leastPower = 1e-3

// inNoise returns d' of the observer with the eye before filtering in noise of the estimated sigma and correlation; 0 if
// it is not known.
func (m *measurement) inNoise(added []float64) float64 {
	if _, _, unknown := m.noise.Unknown(); unknown || !(m.noise.Sigma > 0) {
		return 0
	}
	variance := m.noise.Sigma * m.noise.Sigma
	return detect.NonPrewhitening{Eye: detect.UsualEye}.Index(lessMean(added), func(fx, fy float64) float64 {
		power := 0.0
		for dy := -noise.MaxLag; dy <= noise.MaxLag; dy++ {
			for dx := -noise.MaxLag; dx <= noise.MaxLag; dx++ {
				if rho := m.noise.Correlation.Rho(dx, dy, 0); rho != 0 {
					power += float64(rho * math.Cos(2*math.Pi*(fx*float64(dx)+fy*float64(dy))))
				}
			}
		}
		return variance * max(power, leastPower)
	})
}

// both returns d' before and after, and their ratio.
func (m *measurement) both(index func(stage int) func(draw []int) float64, n int) Seen {
	before, after := index(0), index(1)
	f := m.drawn(n, func(draw []int) []float64 {
		b, a := before(draw), after(draw)
		return []float64{b, a, a / b}
	})
	return Seen{Before: f[0], After: f[1], Ratio: f[2]}
}

// templateIndex returns d' of an observer whose template is the mean difference of pairs. All scores are sums of the
// products of one difference and one region, which are found once.
func templateIndex(absent, present [][]float64) func(draw []int) float64 {
	n := len(absent)
	var products [2][][]float64 // of region j without and with the lesion and difference i: [j][i]
	for kind, regions := range [2][][]float64{absent, present} {
		products[kind] = make([][]float64, n)
		for j, region := range regions {
			products[kind][j] = make([]float64, n)
			for i := range n {
				var sum float64
				for k, x := range region {
					sum += float64(x * (present[i][k] - absent[i][k]))
				}
				products[kind][j][i] = sum
			}
		}
	}
	return func(draw []int) float64 {
		var scores [2][]float64
		for kind := range scores {
			for _, j := range draw {
				var sum float64
				for _, i := range draw {
					sum += products[kind][j][i]
				}
				scores[kind] = append(scores[kind], sum)
			}
		}
		return detect.SNR(scores[0], scores[1], 0)
	}
}

// hotellingIndex returns d' of a channelised observer for pairs of regions. The signal is known, as
// pairs share their noise. The covariance is the sample covariance, whose inverse is too large by
// (n-1)/(n-q-2) for q channels.
func hotellingIndex(o detect.Channelised, absent, present [][]float64) float64 {
	w, err := o.Learn(absent, present)
	if err != nil {
		return math.NaN()
	}
	var index float64
	n := float64(len(absent))
	for i := range absent {
		for k, x := range w.Of {
			index += x * (present[i][k] - absent[i][k]) / n
		}
	}
	degrees := n - 1
	return math.Sqrt(max(index*(degrees-float64(len(w.Of))-1)/degrees/(1+internal), 0))
}

func pick[T any](all []T, draw []int) []T {
	out := make([]T, len(draw))
	for k, i := range draw {
		out[k] = all[i]
	}
	return out
}

// lessMean takes the mean off a copy of values.
func lessMean(values []float64) []float64 {
	out := slices.Clone(values)
	floats.AddConst(-stat.Mean(values, nil), out)
	return out
}
