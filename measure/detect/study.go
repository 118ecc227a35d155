package detect

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Figures are how well an observer tells regions with the signal from regions without.
type Figures struct {
	AUC float64 `json:"auc"`
	SNR float64 `json:"snr"` // d'
}

// Test trains an observer on what it sees of some regions and returns its figures on others.
// Its own noise is part of the SNR, and not of the AUC.
func Test(o Observer, trainAbsent, trainPresent, absent, present [][]float64) (Figures, error) {
	w, err := o.Learn(trainAbsent, trainPresent)
	if err != nil {
		return Figures{}, err
	}
	a, p := w.Scores(absent), w.Scores(present)
	return Figures{AUC: AUC(a, p), SNR: SNR(a, p, w.Internal)}, nil
}

// Interval is a figure with the ends of its interval of 95 %.
type Interval struct {
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
}

// Options say how figures are estimated.
type Options struct {
	Splits    int    // random halves, over which the figures are averaged; 0: 20
	Resamples int    // of images and splits, for the intervals; 0: 200
	Seed      uint64 // the same seed gives the same figures
	// Paired states that region i of both kinds has the same noise, so that both are drawn together.
	Paired bool
}

const (
	usualSplits    = 20
	usualResamples = 200
	// leastRegions is the least number of regions of each kind that can be split in halves of two.
	leastRegions = 4
)

// Study returns the figures of an observer on regions without and with the signal. Every
// figure is the mean over random splits in halves, each of which trains for the other. The
// intervals come from drawing regions anew, within the halves of a new split (bootstrap).
func Study(o Observer, absent, present [][]float64, opt Options) (auc, snr Interval, err error) {
	if len(absent) < leastRegions || len(present) < leastRegions || opt.Paired && len(absent) != len(present) {
		return auc, snr, fmt.Errorf("%d and %d regions cannot be split; at least %d of each kind are needed, and as many of both if they are pairs", len(absent), len(present), leastRegions)
	}
	if opt.Splits <= 0 {
		opt.Splits = usualSplits
	}
	if opt.Resamples <= 0 {
		opt.Resamples = usualResamples
	}
	s := study{o: o, absent: See(o, absent), present: See(o, present), paired: opt.Paired, random: rand.New(rand.NewPCG(opt.Seed, 0))}
	var aucs, snrs, aucDraws, snrDraws []float64
	for range opt.Splits {
		f, err := s.split(false)
		if err != nil {
			return auc, snr, err
		}
		aucs, snrs = append(aucs, f.AUC), append(snrs, f.SNR)
	}
	for range opt.Resamples {
		f, err := s.split(true)
		if err != nil {
			return auc, snr, err
		}
		aucDraws, snrDraws = append(aucDraws, f.AUC), append(snrDraws, f.SNR)
	}
	auc, snr = About(mean(aucs), aucDraws), About(mean(snrs), snrDraws)
	auc.Lo, auc.Hi = max(auc.Lo, 0), min(auc.Hi, 1)
	return auc, snr, nil
}

// About returns a value with the interval that the spread of draws about their own mean gives.
// Draws repeat regions, which shifts figures that rest on training: only their spread is taken.
func About(value float64, draws []float64) Interval {
	middle := mean(draws)
	lo, hi := Quantiles(draws)
	return Interval{Value: value, Lo: value + lo - middle, Hi: value + hi - middle}
}

func mean(values []float64) float64 {
	m, _ := moments(values)
	return m
}

// Quantiles returns the ends of the middle 95 % of draws, at least one, of which it sorts a copy.
func Quantiles(draws []float64) (lo, hi float64) {
	sorted := slices.Clone(draws)
	slices.Sort(sorted)
	at := func(q float64) float64 {
		p := q * float64(len(sorted)-1)
		i := int(math.Floor(p))
		j := min(i+1, len(sorted)-1)
		return sorted[i] + float64((p-float64(i))*(sorted[j]-sorted[i]))
	}
	return at(0.025), at(0.975)
}

// study is one observer with what it sees.
type study struct {
	o               Observer
	absent, present [][]float64
	paired          bool
	random          *rand.Rand
}

// split returns the mean figures of both ways round of a random split; drawn draws the regions anew within the halves.
func (s study) split(drawn bool) (Figures, error) {
	orderA := s.random.Perm(len(s.absent))
	orderP := orderA
	if !s.paired {
		orderP = s.random.Perm(len(s.present))
	}
	var absent, present [2][][]float64
	for h := range 2 {
		a := s.half(orderA, h, drawn)
		p := a
		if !s.paired {
			p = s.half(orderP, h, drawn)
		}
		absent[h], present[h] = take(s.absent, a), take(s.present, p)
	}
	var both Figures
	for h := range 2 {
		f, err := Test(s.o, absent[h], present[h], absent[1-h], present[1-h])
		if err != nil {
			return Figures{}, err
		}
		both.AUC += f.AUC / 2
		both.SNR += f.SNR / 2
	}
	return both, nil
}

// half returns one half of an order, or a draw of as many from it.
func (s study) half(order []int, h int, drawn bool) []int {
	part := order[:len(order)/2]
	if h == 1 {
		part = order[len(order)/2:]
	}
	if !drawn {
		return part
	}
	out := make([]int, len(part))
	for { // one region over and over has no variance
		for i := range out {
			out[i] = part[s.random.IntN(len(part))]
		}
		if slices.ContainsFunc(out, func(k int) bool { return k != out[0] }) {
			return out
		}
	}
}

func take(all [][]float64, which []int) [][]float64 {
	out := make([][]float64, len(which))
	for i, k := range which {
		out[i] = all[k]
	}
	return out
}
