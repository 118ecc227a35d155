package denoise

import "testing"

func TestFactsWithNoise(t *testing.T) {
	f := Facts{Lo: 1, Hi: 1001, Alike: 3, AlikePatches: 2}
	f.Noise.Sigma = 8
	got := f.WithNoise(4, 900)
	if got.Noise.Sigma != 4 || got.AutoSigma() != 4 || got.Alike != 6 || got.AlikePatches != 4 || got.Lo != 1 || got.Hi != 1001 {
		t.Errorf("%+v", got)
	}
	f.Noise.Sigma = 0
	if got := f.WithNoise(4, 900); got.Alike != 3 || got.AlikePatches != 2 {
		t.Errorf("Alike without an estimate: %g, %g", got.Alike, got.AlikePatches)
	}
}
