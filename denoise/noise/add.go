package noise

import (
	"context"
	"math"

	"quell/internal/message"
	"quell/internal/parallel"
	"quell/volume"
)

// Model is the distribution of noise.
type Model string

// The models (Klepaczko 2013, eq. 5-6, with a = 0).
const (
	Gaussian Model = "gaussian" // v + sigma n1
	Rician   Model = "rician"   // sqrt((v + sigma n1)^2 + (sigma n2)^2): MR magnitude images
)

// Models returns the models, the most used first.
func Models() []Model { return []Model{Gaussian, Rician} }

// AddNoise returns a copy of v with noise of standard deviation sigma (in v's
// unit) in each channel. Padding stays as it is.
//
// n1 and n2 are standard normal numbers that depend on seed and voxel index
// alone, drawn by arithmetic that every processor rounds alike: the same seed
// gives the same bits on every machine and any number of cores. After a cancel
// it returns the context's error.
func AddNoise(ctx context.Context, v *volume.Volume, model Model, sigma float64, seed uint64) (*volume.Volume, error) {
	return AddNoiseTo(ctx, v, 0, model, sigma, seed)
}

// AddNoiseTo is AddNoise for whole slices of a volume, in which the first voxel of v has that
// index.
func AddNoiseTo(ctx context.Context, v *volume.Volume, index int, model Model, sigma float64, seed uint64) (*volume.Volume, error) {
	if model != Gaussian && model != Rician {
		return nil, message.Errorf(message.UsageRefused, "no noise model is called %q; there are gaussian and rician", string(model))
	}
	if !(sigma >= 0) || math.IsInf(sigma, 0) {
		return nil, message.Errorf(message.UsageRefused, "noise sigma %g: it must be 0 or more", sigma)
	}
	out := v.Clone()
	overflow := make([]bool, v.Dims[2])
	err := parallel.For(ctx, v.Dims[2], func(z int) error {
		first := z * v.SliceVoxels()
		for k := range out.Plane(z) {
			i := first + k
			if !v.Valid(i) {
				continue
			}
			x := float64(v.Data[i]) + float64(sigma*Normal(seed, uint64(index+i), 0))
			if model == Rician {
				y := float64(sigma * Normal(seed, uint64(index+i), 1))
				x = math.Sqrt(float64(x*x) + float64(y*y))
			}
			out.Data[i] = float32(x)
			overflow[z] = overflow[z] || math.IsInf(float64(out.Data[i]), 0)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, o := range overflow {
		if o {
			return nil, message.Errorf(message.NoiseStrong, "the noise is too strong: a voxel's value would overflow")
		}
	}
	return out, nil
}

// Normal returns number `channel` of the standard normal numbers of voxel i.
func Normal(seed, i, channel uint64) float64 {
	// Two rounds of the SplitMix64 finaliser (Steele et al. 2014): first over
	// the seed, so that neighbouring seeds share nothing, then over the counter.
	x := mix(mix(seed+0x9e3779b97f4a7c15) + (2*i+channel)*0x9e3779b97f4a7c15)
	// 53 bits, shifted by half a step away from 0 and 1, are exact in a float64.
	return normalQuantile((float64(x>>11) + 0.5) * 0x1p-53)
}

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Rational approximations of algorithm AS 241, PPND16 (Wichura 1988): numerator
// and denominator, lowest power first, near the middle, in the tails and far
// out.
var (
	quantileA = [8]float64{3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3}
	quantileB = [8]float64{1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3, 2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3}
	quantileC = [8]float64{1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4}
	quantileD = [8]float64{1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9}
	quantileE = [8]float64{6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7}
	quantileF = [8]float64{1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2, 7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15}
)

// normalQuantile is the inverse of the standard normal distribution function,
// 0 < p < 1, to about 1e-16 relative.
func normalQuantile(p float64) float64 {
	q := p - 0.5
	if math.Abs(q) <= 0.425 {
		r := 0.180625 - float64(q*q)
		return q * polynomial(&quantileA, r) / polynomial(&quantileB, r)
	}
	r := p
	if q > 0 {
		r = 1 - p
	}
	r = math.Sqrt(-ln(r))
	var x float64
	if r <= 5 {
		x = polynomial(&quantileC, r-1.6) / polynomial(&quantileD, r-1.6)
	} else {
		x = polynomial(&quantileE, r-5) / polynomial(&quantileF, r-5)
	}
	return math.Copysign(x, q)
}

// polynomial is Horner's rule. The conversion keeps a compiler from fusing the
// product into the sum, which would round differently from one processor to
// the next.
func polynomial(c *[8]float64, x float64) float64 {
	y := c[7]
	for k := 6; k >= 0; k-- {
		y = float64(y*x) + c[k]
	}
	return y
}

// ln is the natural logarithm of a normal number 0 < x < 1, to about 1e-15
// relative. math.Log is not used as it differs between processors.
//
// x = m 2^k with sqrt(1/2) <= m < sqrt(2), and ln m = 2 atanh s with s =
// (m-1)/(m+1), |s| < 0.172, and the odd series of atanh needs 11 terms.
func ln(x float64) float64 {
	b := math.Float64bits(x)
	k := int(b>>52) - 1023
	m := math.Float64frombits(b&(1<<52-1) | 1023<<52)
	if m > math.Sqrt2 {
		m /= 2
		k++
	}
	s := (m - 1) / (m + 1)
	s2 := float64(s * s)
	sum := 0.0
	for n := 21; n >= 1; n -= 2 {
		sum = float64(sum*s2) + 1/float64(n)
	}
	return float64(float64(k)*math.Ln2) + float64(2*s*sum)
}
