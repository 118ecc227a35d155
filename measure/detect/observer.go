package detect

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Observer is a rule that gives a region a score: the higher, the surer it is of the signal.
// The score is a weighted sum of what the observer sees.
type Observer interface {
	// Sees returns what the observer sees of a region: the outputs of channels, or the region through the eye.
	Sees(region []float64) []float64
	// Learn returns the weights of the score from what the observer sees of regions without and with
	// the signal. The error says that there are too few regions.
	Learn(absent, present [][]float64) (Weights, error)
}

// Weights make a score of what an observer sees.
type Weights struct {
	Of []float64
	// Internal is the standard deviation of the observer's own noise in a score; 0 for none.
	Internal float64
}

// Scores returns the scores of what an observer sees of regions, without its internal noise.
func (w Weights) Scores(seen [][]float64) []float64 {
	out := make([]float64, len(seen))
	for i, s := range seen {
		out[i] = dot(w.Of, s)
	}
	return out
}

// See returns what an observer sees of every region.
func See(o Observer, regions [][]float64) [][]float64 {
	out := make([][]float64, len(regions))
	for i, r := range regions {
		out[i] = o.Sees(r)
	}
	return out
}

// Channelised is the Hotelling observer of channels. Its weights are the difference of the mean
// outputs times the pseudo-inverse of their covariance, the mean of both sample covariances.
type Channelised struct {
	Channels [][]float64 // each as large as a region
	// Internal is the variance of the observer's own noise in a channel, relative to the variance of
	// that channel's output; 0 for none.
	Internal float64
}

// Sees returns the outputs of the channels.
func (c Channelised) Sees(region []float64) []float64 {
	out := make([]float64, len(c.Channels))
	for j, u := range c.Channels {
		out[j] = dot(u, region)
	}
	return out
}

var errFew = errors.New("two regions of each kind are needed at least")

// Learn returns the Hotelling weights.
func (c Channelised) Learn(absent, present [][]float64) (Weights, error) {
	if len(absent) < 2 || len(present) < 2 {
		return Weights{}, errFew
	}
	k := covariance(absent)
	k.AddSym(k, covariance(present))
	k.ScaleSym(0.5, k)
	return c.hotelling(less(meanOf(present), meanOf(absent)), k)
}

// hotelling returns the weights for a difference of the mean outputs and their covariance.
func (c Channelised) hotelling(difference []float64, k *mat.SymDense) (Weights, error) {
	n := len(difference)
	all := mat.NewSymDense(n, nil)
	all.CopySym(k)
	for j := range n {
		all.SetSym(j, j, k.At(j, j)*(1+c.Internal))
	}
	w, err := solve(all, difference)
	if err != nil {
		return Weights{}, err
	}
	var own float64
	for j, x := range w {
		own += x * x * c.Internal * k.At(j, j)
	}
	return Weights{Of: w, Internal: math.Sqrt(own)}, nil
}

// covariance returns the sample covariance of vectors of one length.
func covariance(all [][]float64) *mat.SymDense {
	mean := meanOf(all)
	k := mat.NewSymDense(len(mean), nil)
	for _, v := range all {
		k.SymRankOne(k, 1, mat.NewVecDense(len(v), less(v, mean)))
	}
	k.ScaleSym(1/float64(len(all)-1), k)
	return k
}

// solve returns the pseudo-inverse of a covariance times v. Directions of a variance that is rounding only count as 0.
func solve(k *mat.SymDense, v []float64) ([]float64, error) {
	var eigen mat.EigenSym
	if !eigen.Factorize(k, true) {
		return nil, errors.New("the covariance of the channels has no eigenvalues")
	}
	n := len(v)
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	least := float64(n) * (math.Nextafter(1, 2) - 1) * math.Abs(values[n-1])
	out := make([]float64, n)
	for j, value := range values {
		if value <= least {
			continue
		}
		direction := mat.Col(nil, j, &vectors)
		along := dot(direction, v) / value
		for i, d := range direction {
			out[i] += float64(along * d)
		}
	}
	return out, nil
}

// Eye says how an image is looked at. The zero value is no eye: every frequency counts alike.
type Eye struct {
	Pixel    float64 // mm of the screen that a pixel of the image takes
	Distance float64 // mm from the screen to the eye
}

// UsualEye has the pixels of a screen of 54 mm with 128 pixels, seen from 50 cm.
var UsualEye = Eye{Pixel: 54.0 / 128, Distance: 500}

// Gain returns the sensitivity to f, in cycles per pixel: E = g^1.3 exp(-0.04 g^2), with g in
// cycles per degree. It is greatest at 4 cycles per degree.
func (e Eye) Gain(f float64) float64 {
	if e == (Eye{}) {
		return 1
	}
	g := f / e.Pixel * e.Distance * math.Pi / 180
	return math.Pow(g, 1.3) * math.Exp(-0.04*g*g)
}

// NonPrewhitening is the observer whose template is the mean signal, both seen through the eye.
// Noise that looks like the signal distracts it.
type NonPrewhitening struct {
	Eye Eye
}

// Sees returns the region through the eye.
func (o NonPrewhitening) Sees(region []float64) []float64 {
	if o.Eye == (Eye{}) {
		return region
	}
	return filtered(region, radial(sideOf(region), o.Eye.Gain))
}

// Learn returns the mean signal.
func (o NonPrewhitening) Learn(absent, present [][]float64) (Weights, error) {
	if len(absent) == 0 || len(present) == 0 {
		return Weights{}, errFew
	}
	return Weights{Of: less(meanOf(present), meanOf(absent))}, nil
}
