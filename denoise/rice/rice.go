// Package rice stabilises the variance of Rician noise: it turns a magnitude image
// into one with noise of sigma 1 whatever the signal, and the result of a filter
// back into the signal without bias (Foi 2011, "Noise estimation and removal in MR
// imaging: the variance-stabilization approach"; the transform is our own).
//
// All values are in sigmas of the channels: z is a magnitude, nu the signal that it
// is one of, d a stabilised value. Without noise z is nu; with it, z follows the
// Rice distribution of nu.
//
// The functions are safe for concurrent use. The package imports nothing of the
// program.
package rice

import "math"

// The transform f is the integral of its slope, which is straight between Slopes and
// the slope of z - 1/(4z) beyond them:
//
//	f(z) = z - 1/(4z) + Shift    for z >= 6
//
// The slopes make the standard deviation of f 1 within 0.3 % for nu >= 2.5 and 0.6 %
// for nu >= 2.4; below it falls, 0.96 at nu = 2, 0.75 at 1 and 0.56 at 0. They could make
// it 1 everywhere, with slopes up to 12 near 0. The noise of a background without signal
// is then stronger, and so skewed that filters keep more of it: nlm loses 3 dB of the T1
// template (docs/benchmarks/quality.md). Near 0 f is 0.05 z + 0.2 z^2, as a weak signal is estimated
// best from the mean of the squares.
const (
	// SlopeStep is the distance of two slopes.
	SlopeStep = 0.25
	// Knots is how many slopes there are.
	Knots = 25

	last = (Knots - 1) * SlopeStep
)

// Slopes holds f' at z = 0, SlopeStep, ...
var Slopes = [Knots]float64{
	0.050, 0.150, 0.250, 0.350, 0.450, 0.550, 0.880, 1.280, 1.523, 1.496, 1.253, 0.953, 0.756,
	0.744, 0.883, 1.065, 1.177, 1.168, 1.067, 0.957, 0.912, 0.949, 1.021, 1.056, 1.007,
}

// Values holds f at z = 0, SlopeStep, ...
var Values = func() (sums [Knots]float64) {
	for k := 1; k < Knots; k++ {
		sums[k] = sums[k-1] + SlopeStep/2*(Slopes[k-1]+Slopes[k])
	}
	return sums
}()

// Shift is f(z) - z + 1/(4z) for large z.
var Shift = Values[Knots-1] - (last - 1/(4*last))

// Stabilise returns f(z). A negative z, which no magnitude is, counts as 0.
func Stabilise(z float64) float64 {
	switch {
	case z >= last:
		return z - 1/(4*z) + Shift
	case !(z > 0):
		return 0
	}
	k := int(z / SlopeStep)
	t := z - float64(k)*SlopeStep
	curve := float64((Slopes[k+1] - Slopes[k]) * (0.5 / SlopeStep))
	return Values[k] + float64(t*(Slopes[k]+float64(curve*t)))
}

// The signal of a stabilised mean: of nu^2, which is smooth even if nu is not, cubic pieces
// between Squares with the derivatives Rises, fitted to have the least error. Beyond them
// E[f] is nu + 1/(4nu) + Shift. The error of nu is below 1e-5 from nu = 0.1 on.
const (
	// Floor is E[f] at nu = 0.
	Floor = 0.54300091554849
	// SquareStep is the distance of two Squares along E[f].
	SquareStep = 0.5
	// Pieces is how many squares there are.
	Pieces = 19
)

// Squares holds nu^2 at E[f] = Floor, Floor + SquareStep, ...
var Squares = [Pieces]float64{
	0, 1.875149510, 3.988636029, 6.452313065, 9.363278375, 12.773272681, 16.683675327, 21.084592946, 25.981214235, 31.381693619,
	37.284315166, 43.683747330, 50.579334184, 57.973773541, 65.868953103, 74.265052373, 83.161629440, 92.558360441, 102.455118791,
}

// Rises holds the derivative of nu^2 by E[f] there.
var Rises = [Pieces]float64{
	3.587220364, 3.950703359, 4.539838331, 5.347369041, 6.314410342, 7.326525825, 8.313611119, 9.295299147, 10.297700460, 11.307122114,
	12.305385638, 13.296596122, 14.291505229, 15.291941279, 16.294151244, 17.295707472, 18.296397457, 19.296657823, 20.296741331,
}

// Signal returns the nu with magnitudes that have the stabilised mean d: E[f | nu]
// = d. Below the mean of pure noise it is 0.
func Signal(d float64) float64 {
	at := (d - Floor) / SquareStep
	switch {
	case !(at > 0):
		return 0
	case at >= Pieces-1:
		d -= Shift
		return d * (0.5 + 0.5*math.Sqrt(1-1/float64(d*d)))
	}
	k := int(at)
	return math.Sqrt(square(k, at-float64(k)))
}

// square returns nu^2 in piece k, at t from 0 to 1.
func square(k int, t float64) float64 {
	from, to := Squares[k], Squares[k+1]
	a, b := SquareStep*Rises[k]-(to-from), (to-from)-SquareStep*Rises[k+1]
	return from + float64(t*((to-from)+float64((1-t)*(a+float64(t*(b-a))))))
}

// Mean returns E[f | nu], the inverse of Signal; Floor for nu = 0.
func Mean(nu float64) float64 {
	q := nu * nu
	switch {
	case !(q > 0):
		return Floor
	case q >= Squares[Pieces-1]:
		return nu + 1/(4*nu) + Shift
	}
	k := 0
	for Squares[k+1] <= q {
		k++
	}
	lo, hi := 0.0, 1.0
	for range 40 {
		if t := (lo + hi) / 2; square(k, t) < q {
			lo = t
		} else {
			hi = t
		}
	}
	return Floor + SquareStep*(float64(k)+(lo+hi)/2)
}

// variances holds the variance of f at nu = 0, varianceStep, ...; beyond them it is 1.
var variances = [...]float64{0.317, 0.383, 0.556, 0.765, 0.925, 0.997, 1}

const varianceStep = 0.5

// Variance returns the variance of the stabilised noise, within 0.02, at its mean d: 1
// but for the weakest signals.
func Variance(d float64) float64 {
	at := Signal(d) / varianceStep
	if !(at < float64(len(variances)-1)) {
		return 1
	}
	k := int(at)
	return variances[k] + (at-float64(k))*(variances[k+1]-variances[k])
}
