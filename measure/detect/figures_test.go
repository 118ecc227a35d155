package detect_test

import (
	"math"
	"testing"

	"quell/measure/detect"
)

func TestAUC(t *testing.T) {
	for _, c := range []struct {
		absent, present []float64
		want            float64
	}{
		{[]float64{1, 2}, []float64{3, 4}, 1},
		{[]float64{3, 4}, []float64{1, 2}, 0},
		{[]float64{1, 1}, []float64{1, 1, 1}, 0.5},
		{[]float64{1, 2, 3}, []float64{2, 3}, (1.5 + 2.5) / 6},
	} {
		if got := detect.AUC(c.absent, c.present); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("AUC(%v, %v) = %g, want %g", c.absent, c.present, got, c.want)
		}
	}
}

func TestSNR(t *testing.T) {
	absent, present := []float64{0, 2}, []float64{3, 5} // variances of 2
	if got, want := detect.SNR(absent, present, 0), 3/math.Sqrt2; math.Abs(got-want) > 1e-12 {
		t.Errorf("d' %g, want %g", got, want)
	}
	if got := detect.SNR(absent, present, math.Sqrt(7)); math.Abs(got-1) > 1e-12 {
		t.Errorf("d' %g with internal noise, want 1", got)
	}
}

func TestQuantiles(t *testing.T) {
	var draws []float64
	for i := range 1001 {
		draws = append(draws, float64((i*5)%1001))
	}
	if lo, hi := detect.Quantiles(draws); lo != 25 || hi != 975 {
		t.Errorf("the middle 95 %% of 0 to 1000 ends at %g and %g", lo, hi)
	}
}

func TestCut(t *testing.T) {
	slice := make([]float32, 5*4)
	for i := range slice {
		slice[i] = float32(i)
	}
	got, err := detect.Cut(slice, 5, 1, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{-6, -5, -4, -1, 0, 1, 4, 5, 6} {
		if got[i] != want {
			t.Errorf("value %d is %g, want %g", i, got[i], want)
		}
	}
	for _, at := range [][2]int{{0, 1}, {4, 1}, {1, 0}, {1, 3}} {
		if _, err := detect.Cut(slice, 5, at[0], at[1], 3); err == nil {
			t.Errorf("a region about %v is taken", at)
		}
	}
}

func TestStudyRepeats(t *testing.T) {
	var absent, present [][]float64
	for i := range 12 {
		absent = append(absent, []float64{float64(i % 5), float64(i % 3), 0, 0})
		present = append(present, []float64{float64(i%5) + 1, float64(i % 3), 0, 0})
	}
	opt := detect.Options{Seed: 3, Splits: 3, Resamples: 20, Paired: true}
	a1, s1, err := detect.Study(detect.NonPrewhitening{}, absent, present, opt)
	if err != nil {
		t.Fatal(err)
	}
	a2, s2, _ := detect.Study(detect.NonPrewhitening{}, absent, present, opt)
	if a1 != a2 || s1 != s2 {
		t.Errorf("one seed gives %v %v and %v %v", a1, s1, a2, s2)
	}
	if _, _, err := detect.Study(detect.NonPrewhitening{}, absent[:3], present[:3], opt); err == nil {
		t.Error("three regions of each kind are split")
	}
	if _, snr, err := detect.Study(detect.NonPrewhitening{}, absent[:4], present[:4], opt); err != nil || snr.Lo-snr.Lo != 0 {
		t.Errorf("d' of four regions is %v: %v", snr, err)
	}
	if _, _, err := detect.Study(detect.NonPrewhitening{}, absent[:5], present[:6], opt); err == nil {
		t.Error("pairs of 5 and 6 regions are studied")
	}
}
