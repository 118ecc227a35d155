package noise

import (
	"math"
	"sync"
)

// rayleighRatio is mean over standard deviation of Rician noise without signal.
const rayleighRatio = 1.9130583802711007 // sqrt(pi/2) / sqrt(2 - pi/2)

// ricianVariance returns xi of Koay and Basser (2006), eq. 17: the variance of a
// magnitude image of sigma 1 and signal theta.
//
//	xi = 2 + theta^2 - pi/8 e^(-theta^2/2) ((2 + theta^2) I0(theta^2/4) + theta^2 I1(theta^2/4))^2
func ricianVariance(theta float64) float64 {
	if theta > 30 {
		return 1 - 0.5/(theta*theta)
	}
	t2 := theta * theta
	x := t2 / 4
	// The scaled Bessel functions e^-x I_n(x) keep the product finite.
	s := (2+t2)*besselScaled(0, x) + t2*besselScaled(1, x)
	return 2 + t2 - math.Pi/8*s*s
}

// besselScaled returns e^-x I_n(x) for n = 0 or 1 and x >= 0 by the integral
// 1/pi of e^(x (cos t - 1)) cos(n t) over 0..pi; the trapezoidal rule converges
// exponentially as the integrand is periodic.
func besselScaled(n int, x float64) float64 {
	const steps = 256
	sum := 0.0
	for k := range steps {
		t := math.Pi * (float64(k) + 0.5) / steps
		sum += math.Exp(x*(math.Cos(t)-1)) * math.Cos(float64(n)*t)
	}
	return sum / steps
}

// koayTable holds sigma over the measured standard deviation for the measured
// ratio of mean to standard deviation, in steps of koayStep from rayleighRatio. It
// takes 0.2 s to compute, which only magnitude images pay.
var koayTable = sync.OnceValue(makeKoayTable)

const koayStep = 0.02

func makeKoayTable() []float64 {
	table := []float64{1 / math.Sqrt(ricianVariance(0))}
	theta := 0.0
	for ratio := rayleighRatio + koayStep; ratio < 12; ratio += koayStep {
		// mean^2 = theta^2 + 2 - xi rises with theta.
		for (theta*theta+2)/ricianVariance(theta)-1 < ratio*ratio {
			theta += 1e-3
		}
		table = append(table, 1/math.Sqrt(ricianVariance(theta)))
	}
	return table
}

// ricianSigma turns the mean and the standard deviation of a magnitude image in
// an even region into the sigma of its channels.
func ricianSigma(mean, sd float64) float64 {
	if sd <= 0 {
		return 0
	}
	table := koayTable()
	at := (mean/sd - rayleighRatio) / koayStep
	switch {
	case at <= 0:
		return sd * table[0]
	case at >= float64(len(table)-1):
		return sd * (1 + 0.25*sd*sd/(mean*mean))
	}
	i := int(at)
	t := at - float64(i)
	return sd * ((1-t)*table[i] + t*table[i+1])
}
