package detect

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// AUC returns the area under the ROC curve of scores without and with the signal: how often a
// region with the signal has the higher score. Equal scores count one half. It is NaN without
// scores.
func AUC(absent, present []float64) float64 {
	type score struct {
		value float64
		with  bool
	}
	all := make([]score, 0, len(absent)+len(present))
	for _, a := range absent {
		all = append(all, score{a, false})
	}
	for _, p := range present {
		all = append(all, score{p, true})
	}
	slices.SortFunc(all, func(a, b score) int { return cmp.Compare(a.value, b.value) })
	var below, wins float64 // scores without the signal that are less
	for i := 0; i < len(all); {
		var without, with float64
		for value := all[i].value; i < len(all) && all[i].value == value; i++ {
			if all[i].with {
				with++
			} else {
				without++
			}
		}
		wins += with * (below + without/2)
		below += without
	}
	return wins / (float64(len(absent)) * float64(len(present)))
}

// SNR returns d', the difference of the mean scores over the root of the mean of both variances
// and of the variance of the observer's own noise in a score. Scores without any spread give
// an infinite value, or NaN if their means are equal.
func SNR(absent, present []float64, internal float64) float64 {
	ma, va := moments(absent)
	mp, vp := moments(present)
	return (mp - ma) / math.Sqrt((va+vp)/2+internal*internal)
}

// moments returns the mean and the sample variance.
func moments(values []float64) (mean, variance float64) {
	for _, v := range values {
		mean += v
	}
	mean /= float64(len(values))
	for _, v := range values {
		variance += float64((v - mean) * (v - mean))
	}
	return mean, variance / float64(len(values)-1)
}

// Spectrum is the noise power at a frequency in cycles per pixel, in the unit of the values squared
// times pixels: white noise of standard deviation s has s^2 everywhere.
type Spectrum func(fx, fy float64) float64

// Index returns d' for a known signal in stationary noise of a known spectrum: with S the
// transform of the signal and E the gain of the eye,
//
//	d'^2 = (sum S^2 E^2)^2 / sum S^2 N E^4
func (o NonPrewhitening) Index(signal []float64, noise Spectrum) float64 {
	s, side := spectrumOf(signal), sideOf(signal)
	var power, variance float64
	eachFrequency(side, func(i int, fx, fy float64) {
		e := o.Eye.Gain(math.Hypot(fx, fy))
		p := (real(s[i])*real(s[i]) + imag(s[i])*imag(s[i])) * e * e
		power += p
		variance += p * e * e * noise(fx, fy)
	})
	return power / math.Sqrt(variance) / float64(side)
}

// Index returns d' for a known signal in stationary noise of a known spectrum: the outputs have the
// covariance sum U_i* U_j N over the frequencies.
func (c Channelised) Index(signal []float64, noise Spectrum) (float64, error) {
	side, n := sideOf(signal), len(c.Channels)
	transforms := make([][]complex128, n)
	for j, u := range c.Channels {
		if len(u) != len(signal) {
			return 0, errors.New("the channels have another size than the signal")
		}
		transforms[j] = spectrumOf(u)
	}
	k := mat.NewSymDense(n, nil)
	eachFrequency(side, func(f int, fx, fy float64) {
		power := noise(fx, fy) / float64(side*side)
		for i := range n {
			for j := i; j < n; j++ {
				a, b := transforms[i][f], transforms[j][f]
				k.SetSym(i, j, k.At(i, j)+(real(a)*real(b)+imag(a)*imag(b))*power)
			}
		}
	})
	difference := c.Sees(signal)
	w, err := c.hotelling(difference, k)
	if err != nil {
		return 0, err
	}
	return math.Sqrt(dot(w.Of, difference)), nil
}
