package noise

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
)

// The windows that the power of the noise is measured in, in pixels of a slice, and the frequencies that
// they resolve.
const (
	powerSide = 16
	powerBins = powerSide/2 + 1
)

// power is the power of noise by frequency within a slice, by [ky][kx] in cycles for powerSide pixels:
// the mean of (kx, ky) and (kx, -ky). White noise of standard deviation sigma has sigma^2 everywhere.
type power [powerBins][powerBins]float64

// powerMeter computes the power of single windows. It serves one goroutine.
type powerMeter struct {
	row    *fourier.FFT
	column *fourier.CmplxFFT
	taper  [powerSide]float64 // of unit energy, along either axis
	line   [powerSide]float64
	rows   [powerSide][]complex128
	turned [powerSide]complex128
}

func newPowerMeter() *powerMeter {
	m := &powerMeter{row: fourier.NewFFT(powerSide), column: fourier.NewCmplxFFT(powerSide), taper: taper()}
	for y := range m.rows {
		m.rows[y] = make([]complex128, powerBins)
	}
	return m
}

// taper returns a Hann window of unit energy: what leaks from frequencies two bins away is below a thousandth.
func taper() (w [powerSide]float64) {
	energy := 0.0
	for i := range w {
		w[i] = 0.5 - 0.5*math.Cos(2*math.Pi*float64(i+1)/(powerSide+1))
		energy += w[i] * w[i]
	}
	for i := range w {
		w[i] /= math.Sqrt(energy)
	}
	return w
}

// of returns the power of a window of powerSide rows about mean.
func (m *powerMeter) of(window []float64, mean float64) (p power) {
	for y := range powerSide {
		for x := range powerSide {
			m.line[x] = (window[y*powerSide+x] - mean) * m.taper[y] * m.taper[x]
		}
		m.row.Coefficients(m.rows[y], m.line[:])
	}
	for kx := range powerBins {
		for y := range powerSide {
			m.turned[y] = m.rows[y][kx]
		}
		m.column.Coefficients(m.turned[:], m.turned[:])
		for ky := range powerBins {
			a, b := m.turned[ky], m.turned[(powerSide-ky)%powerSide]
			p[ky][kx] = (real(a)*real(a) + imag(a)*imag(a) + real(b)*real(b) + imag(b)*imag(b)) / 2
		}
	}
	return p
}

// mean returns the tapered mean of a window.
func (m *powerMeter) mean(window []float64) (mean float64) {
	for y := range powerSide {
		for x := range powerSide {
			w := m.taper[y] * m.taper[x]
			mean += w * w * window[y*powerSide+x] // the weights add up to 1
		}
	}
	return mean
}

// within returns the sum over the frequencies from lo to hi, in cycles a pixel.
func (p *power) within(lo, hi float64) (sum float64) {
	for ky := range p {
		for kx, a := range p[ky] {
			if f := math.Hypot(float64(kx), float64(ky)) / powerSide; f > lo && f < hi {
				sum += a
			}
		}
	}
	return sum
}

// folded returns how many of the powerSide^2 frequencies the entry (kx, ky) stands for.
func folded(kx, ky int) float64 {
	n := 4.0
	for _, k := range [2]int{kx, ky} {
		if k == 0 || k == powerBins-1 {
			n /= 2
		}
	}
	return n
}

// paired reports whether the entry (kx, ky) is the mean of two frequencies, which are independent in noise, rather
// than twice the same.
func paired(ky int) bool { return ky > 0 && ky < powerBins-1 }

// The quantiles of a power of mean 1 in noise: of one frequency it is exponential, of two a gamma variable.
const (
	exponentialMedian = math.Ln2
	gammaMedian       = 0.8391735
	gammaSpread       = 2.2225 // the 0.7-quantile over the 0.3-quantile
)

// sigma returns the standard deviation of noise with that power.
func (p *power) sigma() float64 { return math.Sqrt(p.covariance(0, 0)) }

// covariance returns the covariance of pixels that lie (dx, dy) apart, in noise with that power.
func (p *power) covariance(dx, dy int) float64 {
	sum, total := 0.0, 0.0
	for ky := range p {
		for kx, a := range p[ky] {
			n := folded(kx, ky)
			total += n
			sum += n * a * math.Cos(2*math.Pi*float64(kx*dx)/powerSide) * math.Cos(2*math.Pi*float64(ky*dy)/powerSide)
		}
	}
	return sum / total
}

// tapered returns the share of the covariance of pixels 0, 1, ... MaxLag apart along an axis that the taper leaves.
func tapered() (kept [MaxLag + 1]float64) {
	w := taper()
	for d := range kept {
		for i := range powerSide - d {
			kept[d] += w[i] * w[i+d]
		}
	}
	return kept
}

// power returns the power of noise of sigma with that correlation.
func (c *Correlation) power(sigma float64) (p power) {
	kept := tapered()
	for ky := range p {
		for kx := range p[ky] {
			for dy := -MaxLag; dy <= MaxLag; dy++ {
				for dx := -MaxLag; dx <= MaxLag; dx++ {
					p[ky][kx] += sigma * sigma * c.Rho(dx, dy, 0) * kept[max(dx, -dx)] * kept[max(dy, -dy)] *
						math.Cos(2*math.Pi*float64(kx*dx)/powerSide) * math.Cos(2*math.Pi*float64(ky*dy)/powerSide)
				}
			}
		}
	}
	return p
}

// correlation returns the autocorrelation of noise with that power and across slices. The taper leaves less of
// the covariance the farther pixels lie apart, which is restored.
func (p *power) correlation(across [3]float64) *Correlation {
	kept := tapered()
	c := Correlation{Across: across}
	variance := p.covariance(0, 0)
	for dy := 0; dy <= MaxLag; dy++ {
		for dx := -MaxLag; dx <= MaxLag; dx++ {
			rho := p.covariance(dx, dy) / (variance * kept[max(dx, -dx)] * kept[dy])
			c.InPlane.set(dx, dy, min(max(rho, -1), 1))
		}
	}
	return &c
}
