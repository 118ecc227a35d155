package noise

import (
	"math"
	"slices"

	"quell/internal/message"
	"quell/volume"
)

// Alone measures the noise of volumes that hold nothing else, as an MR acquires them without excitation.
type Alone struct {
	volumes       int
	sums, squares []float64 // over the volumes
	signed        bool      // values below 0: no magnitude
	geometry      volume.Geometry
}

const (
	// aloneSamples are the values of a figure: its standard error is 2.5 % of magnitudes, 3.5 % of signed values.
	aloneSamples = 400
	// mostSignal is the share of the squared mean in the mean square above which there is signal, of magnitudes and of signed
	// values. Rayleigh noise has pi / 4.
	mostSignal, mostSigned = 0.85, 0.1
)

// Add takes a volume. All lie on one grid.
func (a *Alone) Add(v *volume.Volume) {
	if a.volumes++; a.sums == nil {
		a.geometry, a.sums, a.squares = v.Geometry, make([]float64, len(v.Data)), make([]float64, len(v.Data))
	}
	for i, x := range v.Data {
		if v.Valid(i) {
			a.signed = a.signed || x < 0
			a.sums[i] += float64(x)
			a.squares[i] += float64(x) * float64(x)
		}
	}
}

// Map returns sigma for each voxel, of the box around it that holds enough values, and the estimate of its root mean square.
// The error says that the volumes hold signal.
func (a *Alone) Map() (*volume.Volume, Estimate, error) {
	ones, radius := slices.Repeat([]float64{1}, len(a.sums)), 1
	for d := a.geometry.Dims; radius < max(d[0], d[1]) && a.volumes*min(2*radius+1, d[0])*min(2*radius+1, d[1])*min(2*radius+1, d[2]) < aloneSamples; {
		radius++
	}
	sums, squares, count := boxSums(a.sums, a.geometry.Dims, radius), boxSums(a.squares, a.geometry.Dims, radius), boxSums(ones, a.geometry.Dims, radius)
	out, all := volume.New(a.geometry), 0.0
	var shares []float64
	for i, square := range squares {
		n := count[i] * float64(a.volumes)
		if square > 0 {
			shares = append(shares, sums[i]*sums[i]/(n*square))
		}
		variance := square / n
		if !a.signed {
			variance /= 2
		}
		out.Data[i] = float32(math.Sqrt(variance))
		all += variance / float64(len(squares))
	}
	slices.Sort(shares)
	most := mostSignal
	if a.signed {
		most = mostSigned
	}
	if len(shares) == 0 || shares[len(shares)/2] > most {
		return nil, Estimate{}, message.Errorf(message.NoiseUnknown, "the volumes hold more than noise: give those that were acquired without excitation")
	}
	return out, Known(math.Sqrt(all)), nil
}

// boxSums returns the sums over the boxes of a radius around every voxel, cut at the border.
func boxSums(x []float64, d [3]int, radius int) []float64 {
	out, stride := slices.Clone(x), 1
	for _, n := range d {
		sums := make([]float64, n+1)
		for i := range out {
			if i/stride%n > 0 {
				continue
			}
			for k := range n {
				sums[k+1] = sums[k] + out[i+k*stride]
			}
			for k := range n {
				out[i+k*stride] = sums[min(k+radius+1, n)] - sums[max(k-radius, 0)]
			}
		}
		stride *= n
	}
	return out
}
