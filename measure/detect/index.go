package detect

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

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
