package phantom

import (
	"context"
	"fmt"
	"math"

	"quell/denoise/noise"
	"quell/internal/parallel"
	"quell/volume"
)

// Scan says how a CT phantom is imaged: parallel beams over half a turn, one
// detector row a slice.
type Scan struct {
	Views int // over 180 degrees
	// SNR adds Gaussian noise to the projections: its standard deviation is the
	// mean of the slice's projections over SNR (Zheng, Mueller 2011, section 4).
	// 0 adds none.
	SNR float64
	// Photons, instead of SNR, counts photons per detector element before the
	// object: the noise of a projection p has the variance exp(p)/Photons
	// (Poisson statistics, Gaussian above a few dozen counts).
	Photons float64
	Recon   Recon
	Seed    uint64
}

// Recon is a reconstruction.
type Recon struct {
	Method     string  // "fbp" or "sart"
	Kernel     string  // fbp: "sharp" (Ram-Lak) or "soft" (Hann)
	Iterations int     // sart: passes over all views
	Relaxation float64 // sart: share of each correction that is applied

	// Regularise, if not nil, filters a slice in HU after every pass of sart (Zheng, Mueller
	// 2011, section I). It may be called for several slices at once, and returns another volume
	// of the same geometry.
	Regularise func(ctx context.Context, slice *volume.Volume) (*volume.Volume, error)
}

// Reconstructions returns the methods, the default first.
func Reconstructions() []string { return []string{"fbp", "sart"} }

// attenuation converts HU to 1/mm.
func attenuation(hu float32) float64 { return water * (1 + float64(hu)/1000) }

// hounsfield converts 1/mm to HU.
func hounsfield(mu float64) float32 { return float32(1000 * (mu/water - 1)) }

// water is the attenuation of water in 1/mm, at about 70 keV.
const water = 0.0192

// detectorSamples is how many rays a detector element averages.
const detectorSamples = 4

// sinogram holds one slice's projections: line integrals of attenuation, one row
// of `detectors` elements for every view.
type sinogram struct {
	views, detectors int
	pitch            float64 // mm between detector elements
	data             []float64
}

func (s *sinogram) row(view int) []float64 {
	return s.data[view*s.detectors : (view+1)*s.detectors]
}

// angle returns the sine and cosine of a view.
func (s *sinogram) angle(view int) (sin, cos float64) {
	return math.Sincos(math.Pi * float64(view) / float64(s.views))
}

// Validate reports the first thing that cannot be simulated.
func (s Scan) Validate() error {
	switch {
	case s.Views < 1 || s.Views > 100000:
		return fmt.Errorf("%d views: a scan needs 1 to 100000", s.Views)
	case !(s.SNR >= 0) || math.IsInf(s.SNR, 0):
		return fmt.Errorf("an SNR of %g: it must be above 0, or 0 for no noise", s.SNR)
	case !(s.Photons >= 0) || math.IsInf(s.Photons, 0):
		return fmt.Errorf("%g photons: it must be above 0, or 0 for no noise", s.Photons)
	case s.SNR > 0 && s.Photons > 0:
		return fmt.Errorf("the noise is given twice, as an SNR and as photons; give one of them")
	}
	return s.Recon.validate()
}

// Image scans the phantom and returns its reconstruction, in HU. The error is
// the context's, or says what in the scan cannot be done.
func (p Phantom) Image(ctx context.Context, scan Scan) (*volume.Volume, error) {
	if p.Unit != "HU" {
		return nil, fmt.Errorf("the %s phantom has no attenuation; only ct can be scanned", p.Kind)
	}
	if p.Geometry.Spacing[0] != p.Geometry.Spacing[1] {
		return nil, fmt.Errorf("pixels of %g x %g mm: a scan needs square ones", p.Geometry.Spacing[0], p.Geometry.Spacing[1])
	}
	if err := scan.Validate(); err != nil {
		return nil, err
	}
	v := volume.New(p.Geometry)
	v.Unit = p.Unit
	err := parallel.For(ctx, v.Dims[2], func(z int) error {
		s := p.project(z, scan.Views)
		s.addNoise(scan, z)
		image, err := scan.Recon.run(ctx, s, p.Geometry)
		if err != nil {
			return err
		}
		for i, mu := range image {
			v.Plane(z)[i] = hounsfield(mu)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// project returns the exact projections of slice z. Detector elements are as
// wide as a pixel and cover the grid's diagonal.
func (p Phantom) project(z, views int) *sinogram {
	g := p.Geometry
	s := &sinogram{views: views, pitch: g.Spacing[0]}
	s.detectors = int(math.Ceil(math.Hypot(float64(g.Dims[0]), float64(g.Dims[1])))) | 1
	s.data = make([]float64, s.views*s.detectors)
	sections := p.sections(z)
	for view := range s.views {
		row := s.row(view)
		sin, cos := s.angle(view)
		for _, c := range sections {
			hx, hy := c.bounds()
			middle := c.cx*cos + c.cy*sin
			reach := math.Hypot(hx, hy) // no chord beyond
			first := int(math.Floor((middle-reach)/s.pitch + float64(s.detectors-1)/2))
			last := int(math.Ceil((middle+reach)/s.pitch + float64(s.detectors-1)/2))
			for d := max(first, 0); d <= min(last, s.detectors-1); d++ {
				length := 0.0
				for k := range detectorSamples {
					at := float64(d) - float64(s.detectors-1)/2 + (float64(k)+0.5)/detectorSamples - 0.5
					length += c.chord(sin, cos, at*s.pitch)
				}
				row[d] += length / detectorSamples * c.share * c.value / 1000 * water
			}
		}
	}
	return s
}

// addNoise adds the scan's noise to the projections of slice z. Every element's
// random number depends on seed, slice and element alone.
func (s *sinogram) addNoise(scan Scan, z int) {
	if scan.SNR == 0 && scan.Photons == 0 {
		return
	}
	mean := 0.0
	for _, x := range s.data {
		mean += x
	}
	mean /= float64(len(s.data))
	for i, x := range s.data {
		sigma := mean / scan.SNR
		if scan.Photons > 0 {
			sigma = math.Sqrt(math.Exp(x) / scan.Photons)
		}
		s.data[i] += sigma * noise.Normal(scan.Seed, uint64(z)<<40|uint64(i), 0)
	}
}
