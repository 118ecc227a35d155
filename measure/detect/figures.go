package detect

import (
	"cmp"
	"math"
	"slices"
)

// AUC returns the area under the ROC curve of scores without and with the signal: how often a
// region with the signal has the higher score. Equal scores count one half. It is NaN without
// scores.
func AUC(absent, present []float64) float64 {
	type score struct {
		value float64
		with  bool
	}
	all := make([]score, 0, len(absent)+len(present))
	for _, a := range absent {
		all = append(all, score{a, false})
	}
	for _, p := range present {
		all = append(all, score{p, true})
	}
	slices.SortFunc(all, func(a, b score) int { return cmp.Compare(a.value, b.value) })
	var below, wins float64 // scores without the signal that are less
	for i := 0; i < len(all); {
		var without, with float64
		for value := all[i].value; i < len(all) && all[i].value == value; i++ {
			if all[i].with {
				with++
			} else {
				without++
			}
		}
		wins += with * (below + without/2)
		below += without
	}
	return wins / (float64(len(absent)) * float64(len(present)))
}

// SNR returns d', the difference of the mean scores over the root of the mean of both variances
// and of the variance of the observer's own noise in a score. Scores without any spread give
// an infinite value, or NaN if their means are equal.
func SNR(absent, present []float64, internal float64) float64 {
	ma, va := moments(absent)
	mp, vp := moments(present)
	return (mp - ma) / math.Sqrt((va+vp)/2+internal*internal)
}

// moments returns the mean and the sample variance.
func moments(values []float64) (mean, variance float64) {
	for _, v := range values {
		mean += v
	}
	mean /= float64(len(values))
	for _, v := range values {
		variance += float64((v - mean) * (v - mean))
	}
	return mean, variance / float64(len(values)-1)
}
