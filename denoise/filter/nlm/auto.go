package nlm

import (
	"math"

	"quell/denoise"
	"quell/denoise/filter/correlation"
	"quell/denoise/noise"
	"quell/denoise/tile"
	"quell/volume"
)

// autoStrength is h. With centre max it is
//
//	h / sigma = (2.30 - 0.11 ln N - 0.18 ln P + 0.45 w) a
//
// with a of anatomy, N neighbours in the search region, patches that count as P voxels of equal
// weight, and w of weak. With centre one it is
//
//	h / sigma = (2.44 - 0.17 ln N + 0.25 w) a
//
// and in the soft tissue of a CT (2.5 - 0.17 ln N) t a, with t of Tissue. More neighbours and
// larger patches need less; single voxels instead of patches need 2.3 sigma. Measured, see
// docs/benchmarks/quality.md.
func autoStrength(r denoise.Recipe, _ volume.Geometry, f denoise.Facts) float64 {
	p := newParams(r)
	one := centre(r, f) == CentreOne
	if !one && Harms(r.Dims, f) {
		return 0
	}
	neighbours := math.Max(tile.Count(p.SearchRadius)-1, 1)
	switch {
	case p.PatchRadius[0] == 0:
		return 2.3 * f.AutoSigma()
	case one && f.Noise.InTissue():
		return max(2.5-0.17*math.Log(neighbours), 0.3) * Tissue(r.Dims, f) * anatomy(r.Dims, one, f) * f.AutoSigma()
	case one:
		return max(2.44-0.17*math.Log(neighbours)+0.25*weak(f), 0.3) * anatomy(r.Dims, one, f) * f.AutoSigma()
	}
	squares := 0.0
	for _, a := range p.Taps {
		squares += a * a
	}
	return Strength(neighbours, math.Pow(squares, -float64(r.Dims)), f) * anatomy(r.Dims, one, f)
}

// Coupe is the strength of Coupe 2008, eq. 4 and section III-D: h = sqrt(2 beta) sigma with beta 1
// and sigma from the pseudo-residuals of the volume.
var Coupe = denoise.Rule{Name: "coupe", Amount: func(f denoise.Facts) float64 { return math.Sqrt2 * f.PseudoSigma }}

// anatomy is what was measured of the patches of a series over what is usual at its noise, by the
// rules for the neighbourhood that it was measured in: two dimensions, search radius 3, centre
// one. It is 1 if nothing was measured. In three dimensions it has half the say, on the
// logarithm, with centre one and no CT: h is large there, and more neighbours reach texture of
// little contrast.
func anatomy(dims int, one bool, f denoise.Facts) float64 {
	if f.AlikePatches == 0 {
		return 1
	}
	usual := 1.75 + 0.25*weak(f)
	if f.Noise.InTissue() {
		usual = 1.94 * Tissue(2, f)
	}
	part := f.AlikePatches / usual
	if dims == 3 && one && !f.Noise.InTissue() {
		part = math.Sqrt(part)
	}
	return min(max(part, 0.6), 1.6)
}

// Strength is the automatic h with centre max of that many neighbours and of patches that
// count as that many voxels.
func Strength(neighbours, patch float64, f denoise.Facts) float64 {
	return max(2.30-0.11*math.Log(neighbours)-0.18*math.Log(patch)+0.45*weak(f), 0.3) * f.AutoSigma()
}

// weak says how weak the noise is, by its share s in the range of the values: from 1
// if there is none to 0 if it is 2.5 % and more.
func weak(f denoise.Facts) float64 { return max(0, 1-f.NoiseShare()/0.025) }

// Tissue is the factor of h for the soft tissue of a CT,
//
//	t = 1.13 (2-D) or 1 (3-D) + 0.25 min(E - 1, 2.5) + 0.2 ln(sigma / 8 HU), at least 0.5
//
// if one independent sample of the noise covers E voxels: patches of correlated
// noise differ more from each other, and tissue differs by a few HU alone.
func Tissue(dims int, f denoise.Facts) float64 {
	t := 1.0
	if dims == 2 {
		t = 1.13
	}
	return max(t+0.25*min(f.Noise.Correlation.Effective()-1, 2.5)+0.2*math.Log(f.UsualSigma()/8), 0.5)
}

// autoCentre is the automatic rule of the centre's weight. With max a voxel that
// resembles no other one becomes the mean of itself and the best match, which costs
// edges and texture more than weak noise does, or noise that is known roughly; with one it stays as it is. Strong
// noise alone makes voxels that resemble no other, which max removes. With the
// fewer neighbours of a slice that weighs less.
func autoCentre(r denoise.Recipe, f denoise.Facts) denoise.Value {
	weak := 0.022
	if r.Dims == 2 {
		weak = 0.035
	}
	if !fixed(r) && (f.Noise.InTissue() || f.Noise.Rough() || f.NoiseShare() < weak) {
		return denoise.Word("one")
	}
	return denoise.Word("max")
}

// centre returns the rule that the centre's weight is resolved to.
func centre(r denoise.Recipe, f denoise.Facts) CentreRule {
	c := r.Get("centre")
	if c.IsAuto() {
		c = autoCentre(r, f)
	}
	if c.String() == "one" {
		return CentreOne
	}
	return CentreMax
}

// Harms says whether with centre max any strength would take more from the image than
// from the noise. With the fewer neighbours of a slice it takes more.
func Harms(dims int, f denoise.Facts) bool {
	share := f.NoiseShare()
	switch {
	case f.Noise.InTissue() || f.Noise.Sigma == 0:
		return false
	case f.Noise.MayBeTexture() && share < 0.022:
		return true
	}
	return dims == 2 && share < 0.013
}

// autoRician is the automatic state of the switch.
func autoRician(r denoise.Recipe, f denoise.Facts) denoise.Value {
	return denoise.Bool(rician(r, f))
}

// rician says whether the switch turns itself on: in magnitude images with a background
// that shows Rician noise that is not stabilised. The facts of a stabilised volume have
// none.
func rician(r denoise.Recipe, f denoise.Facts) bool {
	return !papers(r) && f.Noise.Model == noise.Rician && f.Noise.ModelKnown && f.Noise.Sigma > 0 && !Harms(r.Dims, f)
}

// papers says whether the recipe asks for the formula of the papers, without Rician
// correction: its strength is a number, its sigma is 0, or it has the weights of lk.
func papers(r denoise.Recipe) bool {
	sigma := r.Get("sigma")
	return fixed(r) || sigma.IsNumber() && sigma.Float() == 0
}

// fixed says whether the strength of the recipe does not follow the noise as Quell does: it is a
// number or Coupe's, or the weights are lk's, which have none.
func fixed(r denoise.Recipe) bool {
	return lk(r) || r.Get("h").IsNumber() || r.Get("h").Equal(denoise.Word(Coupe.Name))
}

// correlated says whether the recipe asks for a correlation of the noise, which is of no
// use without its sigma.
func correlated(r denoise.Recipe) bool { return !r.Get(correlation.Name).Equal(denoise.List(0)) }

// autoSigma is the estimated noise with rician or a correlation, 0 without.
func autoSigma(r denoise.Recipe, _ volume.Geometry, f denoise.Facts) float64 {
	on := r.Get("rician")
	if on.On() || correlated(r) || on.IsAuto() && rician(r, f) {
		return f.AutoSigma()
	}
	return 0
}

// withoutSigma says whether autoSigma is 0 whatever the volume.
func withoutSigma(r denoise.Recipe) bool {
	on := r.Get("rician")
	return !on.On() && !correlated(r) && (!on.IsAuto() || papers(r))
}
