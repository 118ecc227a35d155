package noise_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"

	"quell/denoise/noise"
	"quell/phantom"
	"quell/volume"
)

// kspace is what a scanner does to k-space before it makes an image: the response at a frequency in
// cycles a pixel, along x and y.
type kspace struct {
	name     string
	response func(fx, fy float64) float64
}

func box(f, width float64) float64 {
	if math.Abs(f) <= width/2+1e-9 {
		return 1
	}
	return 0
}

func hamming(f, width float64) float64 {
	return box(f, width) * (0.54 + 0.46*math.Cos(2*math.Pi*f/width))
}

func gauss(s float64) func(fx, fy float64) float64 {
	return func(fx, fy float64) float64 { return math.Exp(-2 * math.Pi * math.Pi * s * s * (fx*fx + fy*fy)) }
}

// scanners are the filters of the table.
var scanners = []kspace{
	{"zero-filled x2", func(fx, fy float64) float64 { return box(fx, 0.5) * box(fy, 0.5) }},
	{"phase 60 %", func(_, fy float64) float64 { return box(fy, 0.6) }},
	{"ellipse", func(fx, fy float64) float64 {
		if math.Hypot(fx, fy) <= 0.5 {
			return 1
		}
		return 0
	}},
	{"hamming", func(fx, fy float64) float64 { return hamming(fx, 1) * hamming(fy, 1) }},
	{"hamming, 75 %", func(fx, fy float64) float64 { return hamming(fx, 0.75) * hamming(fy, 0.75) }},
	{"fermi", func(fx, fy float64) float64 { return 1 / (1 + math.Exp((math.Hypot(fx, fy)-0.38)/0.03)) }},
	{"gauss 0.4", gauss(0.4)},
	{"gauss 0.6", gauss(0.6)},
	{"gauss 0.8", gauss(0.8)},
}

// scan returns the magnitude image of truth with complex noise whose k-space went through the response, and in
// the image has the given sigma. The truth goes through it as well.
func scan(truth *volume.Volume, k kspace, sigma float64, seed uint64) *volume.Volume {
	out := truth.Clone()
	nx, ny := truth.Dims[0], truth.Dims[1]
	rows, columns := fourier.NewCmplxFFT(nx), fourier.NewCmplxFFT(ny)
	h := make([]float64, nx*ny)
	energy := 0.0
	for y := range ny {
		for x := range nx {
			h[y*nx+x] = k.response(rows.Freq(x), columns.Freq(y))
			energy += h[y*nx+x] * h[y*nx+x]
		}
	}
	gain := math.Sqrt(energy / float64(nx*ny))
	r := rand.New(rand.NewPCG(seed, 27))
	plane, column := make([]complex128, nx*ny), make([]complex128, ny)
	each := func(row func(line []complex128), column1 func(line []complex128)) {
		for y := range ny {
			row(plane[y*nx : (y+1)*nx])
		}
		for x := range nx {
			for y := range ny {
				column[y] = plane[y*nx+x]
			}
			column1(column)
			for y := range ny {
				plane[y*nx+x] = column[y]
			}
		}
	}
	for z := range truth.Dims[2] {
		for i := range plane {
			s := sigma / gain
			plane[i] = complex(float64(truth.Data[z*nx*ny+i])+s*r.NormFloat64(), s*r.NormFloat64())
		}
		each(func(l []complex128) { rows.Coefficients(l, l) }, func(l []complex128) { columns.Coefficients(l, l) })
		for i := range plane {
			plane[i] *= complex(h[i]/float64(nx*ny), 0)
		}
		each(func(l []complex128) { rows.Sequence(l, l) }, func(l []complex128) { columns.Sequence(l, l) })
		for i, a := range plane {
			out.Data[z*nx*ny+i] = float32(math.Hypot(real(a), imag(a)))
		}
	}
	return out
}

// thick returns the means of n slices each.
func thick(v *volume.Volume, n int) *volume.Volume {
	g := v.Geometry
	g.Dims[2] /= n
	g.Spacing[2] *= float64(n)
	out := volume.New(g)
	for i := range out.Data {
		sum := float32(0)
		for k := range n {
			sum += v.Data[(i/g.SliceVoxels()*n+k)*g.SliceVoxels()+i%g.SliceVoxels()]
		}
		out.Data[i] = sum / float32(n)
	}
	return out
}

// TestTableOfScanners measures the noise of what scanners do to k-space.
func TestTableOfScanners(t *testing.T) {
	if !full() {
		t.Skip("several minutes: QUELL_NOISE_TABLE=1 measures it")
	}
	to255 := func(v *volume.Volume) *volume.Volume {
		_, hi, _ := v.Range(t.Context())
		return scaled(v, 255/hi)
	}
	anatomies := []struct {
		name string
		v    *volume.Volume
	}{
		{"t1", series(t, "template/t1-181x217x51-truth.nii.gz", -1)},
		{"mni", slab(to255(series(t, "template/mni152-2009-t1-1mm.nii.gz", -1)), 60, 110)},
		{"chris", slab(to255(series(t, "nifti/niivue/chris_t1.nii.gz", -1)), 60, 110)},
		{"avg", to255(series(t, "nifti/niivue/avg152T1_RL_nifti.nii.gz", -1))},
	}
	for _, spacing := range [][3]float64{{1, 1, 1}, {1, 1, 4}} {
		dims := [3]int{192, 192, 30}
		ph, err := phantom.New("mr", phantom.Size{Dims: dims, Spacing: spacing})
		if err != nil {
			t.Fatal(err)
		}
		exact, err := ph.Voxels(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		name := "phantom"
		if spacing[2] > 1 {
			name = "phantom 4 mm"
		}
		anatomies = append(anatomies, struct {
			name string
			v    *volume.Volume
		}{name, to255(exact)})
	}
	for _, a := range anatomies[:3] {
		a.name, a.v = a.name+" 4 mm", thick(a.v, 4)
		anatomies = append(anatomies, a)
	}
	for _, a := range anatomies {
		show := func(k string, sigma float64, v *volume.Volume) {
			e, err := noise.Of(t.Context(), v)
			if err != nil {
				t.Fatal(err)
			}
			rho := 0.0
			if e.Correlation != nil {
				rho = e.Correlation.Rho(0, 1, 0)
			}
			t.Logf("%-13s %-15s %5.1f: %6.2f %+5.1f %% %-4s neg %-5v %-25s rho %.2f %s", a.name, k, sigma, e.Sigma, 100*(e.Sigma/sigma-1), e.Confidence, e.Negligible, e.Method, rho, e.Why)
		}
		show("none", 0, a.v)
		show("white", 6, scan(a.v, kspace{response: func(_, _ float64) float64 { return 1 }}, 6, 8))
		for _, k := range scanners {
			for _, sigma := range []float64{3, 6, 20} {
				show(k.name, sigma, scan(a.v, k, sigma, 8))
			}
		}
	}
}
