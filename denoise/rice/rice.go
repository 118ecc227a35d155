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
// that of z - 1/(4z) beyond them:
//
//	f(z) = z - 1/(4z) + Shift    for z >= 6
//
// The slopes make the standard deviation of f 1 within 0.4 % for nu >= 2 and 1.3 %
// for nu >= 1.7; below it falls to 0.77 at nu = 0. They could make it 1 within 0.3 %
// everywhere, with slopes up to 9 near 0. The noise of a background without signal is
// then so skewed that filters keep more of it: nlm loses 2.2 dB of the T1 template
// (docs/FILTERS.md).
const (
	// SlopeStep is the distance of two slopes.
	SlopeStep = 0.25
	// Knots is how many slopes there are.
	Knots = 25

	last = (Knots - 1) * SlopeStep
)

// Slopes holds f' at z = 0, SlopeStep, ...
var Slopes = [Knots]float64{
	0.500, 0.675, 0.886, 1.105, 1.279, 1.360, 1.335, 1.236, 1.117, 1.018, 0.959, 0.944, 0.965,
	1.005, 1.044, 1.063, 1.055, 1.030, 1.003, 0.987, 0.989, 1.002, 1.015, 1.018, 1.007,
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

// The signal of a stabilised mean: of nu^2, which is smooth where nu is not, cubic
// pieces between Squares with the derivatives Rises. Beyond them E[f] is
// nu + 1/(4nu) + Shift. The error of nu is below 3e-5.
const (
	// Floor is E[f] at nu = 0.
	Floor = 1.23492257756208
	// SquareStep is the distance of two Squares along E[f].
	SquareStep = 0.5
	// Pieces is how many squares there are.
	Pieces = 19
)

// Squares holds nu^2 at E[f] = Floor, Floor + SquareStep, ...
var Squares = [Pieces]float64{
	0, 1.506213617, 3.354363418, 5.622510265, 8.367790196, 11.611330284, 15.350938195, 19.584789896, 24.317506778, 29.552428836,
	35.288109789, 41.522166671, 48.254417279, 55.486044584, 63.217887218, 71.450072739, 80.182445823, 89.414878599, 99.147319299,
}

// Rises holds the derivative of nu^2 by E[f] there.
var Rises = [Pieces]float64{
	2.723290542, 3.327384872, 4.092085431, 5.000204107, 5.987422069, 6.985025829, 7.972645104, 8.964674733, 9.967430045, 10.971591112,
	11.970219327, 12.965998767, 13.963466236, 14.963329145, 15.964064544, 16.964615413, 17.964833823, 18.964881685, 19.964877708,
}

// Signal returns the nu whose magnitudes have the stabilised mean d: E[f | nu] = d.
// Below the mean of pure noise it is 0.
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
