package noise

import (
	"cmp"
	"context"
	"slices"

	"quell/internal/message"
	"quell/volume"
)

// Sequence measures the noise of a 4-D series by the differences of volumes that follow each other and
// should be alike. It is used by one goroutine.
type Sequence struct {
	last  [2]*volume.Volume // the latest first
	most  [2]float64        // the noise that each has at most
	pairs [2][]Repeat       // of volumes one and two apart
}

// By how much volumes one apart differ more than volumes two apart if they alternate, as
// label and control do.
const (
	alternating = 1.1
	pairsDiffer = 1.25 // the median over the lowest sixth
	pairsFar    = 1.5  // the same
)

// Add takes the next volume. Volumes that are no repeats of each other are left out. The error is the context's.
func (s *Sequence) Add(ctx context.Context, v *volume.Volume) error {
	own, err := Of(ctx, v)
	if err != nil {
		return err
	}
	for k, before := range s.last {
		if before == nil || before.Dims != v.Dims {
			continue
		}
		r, err := repeated(ctx, before, v, min(own.most(), s.most[k]))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && r.Confidence != None && r.Sigma > 0 {
			s.pairs[k] = append(s.pairs[k], r)
		}
	}
	s.last, s.most = [2]*volume.Volume{v, s.last[0]}, [2]float64{own.most(), s.most[0]}
	return nil
}

// Repeats is what a sequence shows.
type Repeats struct {
	Repeat     // of the pair in the lowest sixth: what moves and changes adds to the noise
	Pairs  int `json:"pairs"`
	Apart  int `json:"apart"` // of the volumes of a pair: 1, or 2 if volumes alternate
}

// Repeats returns what the volumes so far show; ok is false if no two of them are repeats.
func (s *Sequence) Repeats() (r Repeats, ok bool) {
	var least [2]Repeat
	for k, all := range s.pairs {
		if len(all) > 0 {
			sorted := slices.SortedFunc(slices.Values(all), func(a, b Repeat) int { return cmp.Compare(a.Sigma, b.Sigma) })
			low, middle := sorted[(len(sorted)-1)/6], sorted[len(sorted)/2]
			if far := middle.Sigma / low.Sigma; far > pairsDiffer {
				limit := Figure{Confidence: Fair, Why: message.New(message.NoiseTexture, "pairs differ, from %.3g to %.3g: something moved or changed between some of them", sorted[0].Sigma, sorted[len(sorted)-1].Sigma)}
				if far > pairsFar {
					limit.Confidence = Low
				}
				low.limit(limit)
			}
			least[k] = low
		}
	}
	at := 0
	if len(s.pairs[0]) == 0 || len(s.pairs[1]) > 0 && least[0].Sigma > alternating*least[1].Sigma {
		at = 1
	}
	return Repeats{least[at], len(s.pairs[at]), at + 1}, len(s.pairs[at]) > 0
}

// IsOverTime reports whether the volumes of a 4-D series show the noise.
func (e Estimate) IsOverTime() bool { return e.Method == methodOverTime }

// OverTime returns the estimate of a volume of the sequence: what its volumes show, unless r is nil, takes the place of what one
// of them does, if that allows as much.
func (e Estimate) OverTime(r *Repeats) Estimate {
	if r == nil || r.Confidence == None || r.Sigma == 0 || r.Sigma > e.most() {
		return e
	}
	e.Figure = r.Figure
	e.Method, e.Negligible, e.Acquired = methodOverTime, false, nil
	e.spanByWord()
	own := slices.DeleteFunc(slices.Clone(e.Evidence), func(x Evidence) bool { return x.Kind == OverTime })
	e.Evidence = append([]Evidence{{OverTime, e.Sigma, e.Low, e.High, e.Windows}}, own...)
	e.PerSlice = slices.Clone(r.PerSlice)
	for z := range e.PerSlice {
		e.PerSlice[z].spanByWord()
	}
	return e
}
