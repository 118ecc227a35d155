package session

import (
	"context"
	"runtime"

	"quell/app"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/internal/parallel"
)

// SliceFigure is what is known of a slice along the third axis of the series.
type SliceFigure struct {
	Noise   noise.Figure // its own
	Verdict tune.Verdict // on its result; "" while it is not judged, Unknown where there is no ground to
	Why     string       // the reason of the verdict, a sentence
}

// strip holds the verdicts on single slices.
type strip struct {
	of    app.PreviewRequest          // whose recipe, maps and noise they hold for
	found map[int]tune.SliceJudgement // by slice
}

// judging is the slice that is judged in the background.
type judging struct {
	of     app.PreviewRequest
	cancel context.CancelFunc
}

// JudgeSlices switches the verdicts on all slices on or off. They are found one after
// another on one core, while nothing else is in progress: first on slices far apart, then
// on those between them.
func (s *Session) JudgeSlices(on bool) {
	s.judges = on
	s.listener.Changed()
}

// JudgesSlices says whether verdicts on all slices are found in the background.
func (s *Session) JudgesSlices() bool { return s.judges }

// SliceFigures returns what is known of every slice along the third axis of the series; nil
// before the noise is.
func (s *Session) SliceFigures() []SliceFigure {
	if s.doc == nil {
		return nil
	}
	facts, known := s.doc.Estimated()
	if !known {
		return nil
	}
	out := make([]SliceFigure, s.doc.Series().Volume.Dims[2])
	q := s.ofStrip()
	whole := s.VolumeMeasures()
	for z := range out {
		f := &out[z]
		if z < len(facts.Noise.PerSlice) {
			f.Noise = facts.Noise.PerSlice[z]
		}
		if whole.Known && whole.Current && z < len(whole.Slices) {
			f.Verdict, f.Why = whole.Slices[z].Verdict, whole.Slices[z].Why
		} else if j, ok := s.strip.found[z]; ok && sameRequest(q, s.strip.of) {
			f.Verdict, f.Why = j.Verdict, j.Why
		}
	}
	return out
}

// ofStrip is the present request for the first slice along the third axis.
func (s *Session) ofStrip() app.PreviewRequest {
	q := s.request()
	q.Plane, q.Index = s.doc.Series().Volume.Acquired(), 0
	return q
}

// mayJudge says whether nothing is in progress, or asked for, that the verdicts on other
// slices would slow down, and whether they are wanted at all.
func (s *Session) mayJudge() bool {
	if !s.judges || s.doc == nil || s.Busy() || s.asked != nil || s.ahead.running != nil || !s.autoPreview {
		return false
	}
	if _, known := s.doc.Facts(); !known {
		return false
	}
	// The numbers of the slice on the screen come first; those of a run hold all verdicts.
	_, _, status := s.shown()
	return status == Slice && s.slice.end != nil && s.slice.answered
}

// followStrip judges the next slice, or ends the work on one that is not wanted now.
func (s *Session) followStrip() {
	may := s.mayJudge()
	if j := s.judging; j != nil && (!may || !sameRequest(j.of, s.ofStrip())) {
		j.cancel()
		s.judging = nil
	}
	if !may || s.judging != nil {
		return
	}
	q := s.ofStrip()
	if !sameRequest(q, s.strip.of) {
		s.strip = strip{of: q, found: map[int]tune.SliceJudgement{}}
	}
	view := q.Series.Volume.View(q.Plane)
	if n := s.sliceNumbers; n.ok && n.err == nil && n.job.preview.Request.Plane == q.Plane {
		shown := n.job.preview.Request
		index := shown.Index
		if shown.Index = 0; sameRequest(shown, q) {
			s.strip.found[view.Voxel(0, 0, index)[2]] = verdictOf(n.measures.Assessment)
		}
	}
	z := s.strip.next(q.Series.Volume.Dims[2])
	if z < 0 {
		return
	}
	j := &judging{of: q}
	var ctx context.Context
	ctx, j.cancel = context.WithCancel(parallel.Sparing(s.voxels, runtime.NumCPU()-1))
	s.judging = j
	_, _, q.Index = view.Locate([3]int{0, 0, z})
	engine := s.deps.Engine
	var a app.Assessment
	s.background(func() (err error) {
		a, err = app.JudgeSlice(ctx, engine, q)
		return err
	}, func(err error) {
		if s.judging != j {
			return // it was ended
		}
		j.cancel()
		s.judging = nil
		if err != nil { // shown when the slice itself is filtered
			a.Verdict, a.Why = tune.Unknown, sentence(err)
		}
		s.strip.found[z] = verdictOf(a)
		s.listener.Changed()
	})
}

// verdictOf returns what is kept of an assessment, which holds a map of the slice.
func verdictOf(a app.Assessment) tune.SliceJudgement {
	return tune.SliceJudgement{Verdict: a.Verdict, Why: a.Why}
}

// next returns the slice to judge next of n, -1 for none: every 2^k-th, then those between
// them.
func (st *strip) next(n int) int {
	stride := 1
	for 8*stride < n {
		stride *= 2
	}
	for ; stride > 0; stride /= 2 {
		for z := 0; z < n; z += stride {
			if _, ok := st.found[z]; !ok {
				return z
			}
		}
	}
	return -1
}
