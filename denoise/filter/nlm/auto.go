package nlm

import (
	"math"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/tile"
	"quell/volume"
)

// autoStrength is h:
//
//	h / sigma = 2.32 - 0.11 ln N - 0.18 ln P + 0.45 max(0, 1 - s/0.03)
//
// with N neighbours in the search region, patches that count as P voxels of equal
// weight, and the share s of sigma in the range. More neighbours and larger patches
// need less; single voxels instead of patches need 2.3 sigma. Measured, see FILTERS.md.
func autoStrength(r denoise.Recipe, _ volume.Geometry, f denoise.Facts) float64 {
	if harms(r, f) {
		return 0
	}
	p := newParams(r)
	if p.PatchRadius[0] == 0 {
		return 2.3 * f.AutoSigma()
	}
	neighbours := math.Max(tile.Count(p.SearchRadius)-1, 1)
	squares := 0.0
	for _, a := range p.Taps {
		squares += a * a
	}
	patch := math.Pow(squares, -float64(r.Dims))
	weak := max(0, 1-f.NoiseShare()/0.03)
	return max(2.32-0.11*math.Log(neighbours)-0.18*math.Log(patch)+0.45*weak, 0.3) * f.AutoSigma()
}

// harms says whether any strength would take more from the image than from the noise.
// A voxel that resembles no other one becomes the mean of itself and the best match
// (centre max), which costs texture more than weak noise does; with the fewer
// neighbours of a slice it costs more.
func harms(r denoise.Recipe, f denoise.Facts) bool {
	share := f.NoiseShare()
	switch {
	case f.Noise.InTissue() || f.Noise.Sigma == 0:
		return false
	case f.Trust() < 1:
		return true
	case f.Noise.MayBeTexture() && share < 0.022:
		return true
	}
	return r.Dims == 2 && share < 0.013
}

// autoRician is the automatic state of the switch.
func autoRician(r denoise.Recipe, f denoise.Facts) denoise.Value {
	return denoise.Bool(rician(r, f))
}

// rician says whether the switch turns itself on: in magnitude images whose background
// shows Rician noise.
func rician(r denoise.Recipe, f denoise.Facts) bool {
	return !papers(r) && f.Noise.Model == noise.Rician && f.Noise.ModelKnown && f.Noise.Sigma > 0 && !harms(r, f)
}

// papers says whether the recipe asks for the formula of the papers, without Rician
// correction: its strength is a number, its sigma is 0, or it has the weights of lk.
func papers(r denoise.Recipe) bool {
	sigma := r.Get("sigma")
	return lk(r) || r.Get("h").IsNumber() || sigma.IsNumber() && sigma.Float() == 0
}

// correlated says whether the recipe asks for a correlation of the noise, which is of no
// use without its sigma.
func correlated(r denoise.Recipe) bool { return !r.Get("correlation").Equal(denoise.List(0)) }

// autoSigma is the estimated noise with rician or a correlation, 0 without.
func autoSigma(r denoise.Recipe, _ volume.Geometry, f denoise.Facts) float64 {
	on := r.Get("rician")
	if on.On() || correlated(r) || on.IsAuto() && rician(r, f) {
		return f.Noise.Sigma
	}
	return 0
}

// withoutSigma says whether autoSigma is 0 whatever the volume.
func withoutSigma(r denoise.Recipe) bool {
	on := r.Get("rician")
	return !on.On() && !correlated(r) && (!on.IsAuto() || papers(r))
}
