package denoise

// WithNoise returns the facts with a sigma that a person has measured in n voxels, or if n is 0
// states, in the place of the estimated one.
func (f Facts) WithNoise(sigma float64, n int) Facts {
	if f.Noise.Sigma > 0 && sigma > 0 {
		f.Alike *= f.Noise.Sigma / sigma // which counts in sigmas
		f.AlikePatches *= f.Noise.Sigma / sigma
	}
	f.Noise = f.Noise.Given(sigma, n)
	return f
}
