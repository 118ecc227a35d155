package noise_test

import (
	"fmt"
	"testing"

	"quell/denoise/noise"
	"quell/phantom"
	"quell/volume"
)

// Automatic values follow the estimate: the same data gives the same figures in every
// version. A change here changes the results of automatic recipes, is meant, and is said
// in its commit.
func TestEstimatesArePinned(t *testing.T) {
	object := func(kind string, dims [3]int, spacing [3]float64, scan *phantom.Scan) *volume.Volume {
		p, err := phantom.New(kind, phantom.Size{Dims: dims, Spacing: spacing})
		if err != nil {
			t.Fatal(err)
		}
		v, err := p.Voxels(t.Context())
		if scan != nil {
			v, err = p.Image(t.Context(), *scan)
		}
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	head := object("mr", [3]int{132, 156, 27}, [3]float64{1.5, 1.5, 2}, nil)
	plates := object("steps", [3]int{120, 105, 20}, [3]float64{1, 1, 1}, nil)
	scan := &phantom.Scan{Views: 90, Photons: 2e5, Seed: 3, Recon: phantom.Recon{Method: "fbp", Kernel: "soft"}}
	// Noise that rises along x.
	rising := plates.Clone()
	for i := range rising.Data {
		rising.Data[i] += float32(noise.Normal(6, uint64(i), 0)) * (4 + float32(i%120)/20)
	}
	for name, c := range map[string]struct {
		v    *volume.Volume
		want string
	}{
		"head, Rician":          {noisy(t, head, noise.Rician, 10, 1), "9.991 high, rician true, differences, 851 windows; last slice 9.893 fair, 149 windows; map 10.31 11.29 9.611 10.59"},
		"head, Gaussian":        {noisy(t, head, noise.Gaussian, 4, 2), "4.03 high, gaussian true, differences, 866 windows; last slice 3.738 fair, 152 windows; map 4.099 4.71 4.451 4.246"},
		"a slice of the head":   {noisy(t, slab(head, 13, 14), noise.Gaussian, 8, 3), "8.355 fair, gaussian true, differences, 169 windows; last slice 8.355 fair, 169 windows; map 8.798 9.382 8.967 9.708"},
		"plates":                {noisy(t, plates, noise.Gaussian, 5, 4), "5.005 high, gaussian false, differences, 208 windows; last slice 5.018 fair, 73 windows; map 4.701 4.745 5.404 5.209"},
		"plates, rising noise":  {rising, "8.274 fair, gaussian false, differences, 208 windows; last slice 8.254 fair, 73 windows; map 7.154 8.13 7.211 8.417"},
		"plates, smoothed":      {averaged(noisy(t, plates, noise.Gaussian, 12, 5)), "5.453 fair, gaussian false, homogeneous windows, 9108 windows; last slice 5.453 fair, 9108 windows; map 5.228 5.27 5.551 5.4; rho 0.328 -0.054 0.000"},
		"few voxels":            {noisy(t, flat([3]int{14, 13, 9}, 50), noise.Gaussian, 5, 7), "4.38 fair, gaussian false, differences, 218 windows; last slice 4.623 fair, 55 windows; map 4.38 4.38 4.38 4.38"},
		"CT":                    {object("ct", [3]int{180, 200, 2}, [3]float64{1.2, 1.2, 3}, scan), "18.09 fair, gaussian true, surface fits, 2965 windows; last slice 18.09 fair, 1250 windows; map 18.48 19.1 18.42 18.96; rho 0.541 0.071 0.035"},
		"CT, large field, thin": {object("ct", [3]int{300, 320, 1}, [3]float64{0.75, 0.75, 1}, scan), "28.17 fair, gaussian true, surface fits, 4205 windows; last slice 28.17 fair, 3494 windows; map 27.59 24.41 23.94 27.86; rho 0.546 0.018 0.000"},
	} {
		m, e, err := noise.Map(t.Context(), c.v)
		if err != nil {
			t.Fatal(err)
		}
		last := e.PerSlice[len(e.PerSlice)-1]
		got := fmt.Sprintf("%.4g %s, %s %v, %s, %d windows; last slice %.4g %s, %d windows; map", e.Sigma, e.Confidence, e.Model, e.ModelKnown, e.Method, e.Windows, last.Sigma, last.Confidence, last.Windows)
		for k := range 4 {
			got += fmt.Sprintf(" %.4g", m.Data[(2*k+1)*len(m.Data)/8+k*5])
		}
		if e.Correlation != nil {
			got += fmt.Sprintf("; rho %.3f %.3f %.3f", e.Correlation.Rho(1, 0, 0), e.Correlation.Rho(1, -2, 0), e.Correlation.Rho(0, 0, 1))
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// averaged returns v after the kernel (1, 4, 1) / 6 along x and y.
func averaged(v *volume.Volume) *volume.Volume {
	for axis, step := range [2]int{1, v.Dims[0]} {
		from := v
		v = v.Clone()
		for i := range v.Data {
			if at := [2]int{i % v.Dims[0], i / v.Dims[0] % v.Dims[1]}[axis]; at > 0 && at < v.Dims[axis]-1 {
				v.Data[i] = (from.Data[i-step] + 4*from.Data[i] + from.Data[i+step]) / 6
			}
		}
	}
	return v
}
