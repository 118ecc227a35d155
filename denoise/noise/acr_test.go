package noise_test

import (
	"testing"

	"quell/denoise/noise"
)

// TestTableOfPhantoms measures series of three vendors' scanners on the ACR phantom, and single acquisitions of two pairs,
// whose noise is known from even fluid and from the difference of the pair.
func TestTableOfPhantoms(t *testing.T) {
	if !full() {
		t.Skip("a minute: QUELL_NOISE_TABLE=1 measures it")
	}
	near, held, all := 0, 0, 0
	for _, c := range []struct {
		name   string
		series int // -1: the default
		sigma  float64
	}{
		{"GE", -1, 44.3}, {"GE_Artist_1.5T_T1", -1, 10.3}, {"GE_MR450W_1.5T_T2", -1, 8.5}, {"GE_Signa_3T_T2", -1, 9},
		{"Philips3TdStream", -1, 5.6}, {"PhilipsAchieva", -1, 4}, {"PhilipsSliceThicknessLineProfileLocalMinimaIssue", -1, 3.9},
		{"Siemens", -1, 3.2}, {"SiemensLargeSliceLocationDelta", -1, 4.5}, {"SiemensMTF", -1, 5.1},
		{"Siemens_Aera_1.5T_T1", -1, 7.5}, {"Siemens_MagnetomSkyra_3T_T2", -1, 3.1},
		{"pairs/GE", 0, 8.9}, {"pairs/GE", 1, 8.9}, {"pairs/Philips", 0, 17.9}, {"pairs/Philips", 1, 17.9},
	} {
		e, err := noise.Of(t.Context(), series(t, "mr-acr/"+c.name, c.series))
		if err != nil {
			t.Fatal(err)
		}
		f := e.Figure
		off := f.Sigma / c.sigma
		all++
		if off >= 0.8 && off <= 1.2 {
			near++
		}
		if f.Low <= c.sigma && f.High >= c.sigma {
			held++
		}
		t.Logf("%-50s %5.1f: %.2f (%.2f to %.2f) %s, acts at %.2f, by %s", c.name, c.sigma, off, f.Low/c.sigma, f.High/c.sigma, f.Confidence, f.Acting()/c.sigma, e.Method)
		if f.Acting() > 1.2*c.sigma || f.Acting() < 0.3*c.sigma {
			t.Errorf("%s: acts at %.3g, the noise is %.3g", c.name, f.Acting(), c.sigma)
		}
	}
	t.Logf("within 20 %%: %d of %d, held by the interval: %d", near, all, held)
	if near < 14 || held < 15 {
		t.Errorf("%d are within 20 %%, of 14 at least; %d held, of 15 at least", near, held)
	}
}
