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

// Strip finds verdicts on all slices in the background.
type Strip struct {
	s       *Session
	judges  bool
	judging *judging // nil while none is
}

// Judge switches the verdicts on all slices on or off. They are found one after
// another on one core, while nothing else is in progress: first on slices far apart, then
// on those between them.
func (sp *Strip) Judge(on bool) {
	sp.judges = on
	sp.s.listener.Changed()
}

// Judges says whether verdicts on all slices are found in the background.
func (sp *Strip) Judges() bool { return sp.judges }

// Figures returns what is known of every slice along the third axis of the series; nil
// before the noise is.
func (sp *Strip) Figures() []SliceFigure {
	if sp.s.doc == nil {
		return nil
	}
	facts, known := sp.s.doc.Estimated()
	if !known {
		return nil
	}
	out := make([]SliceFigure, sp.s.doc.Series().Volume.Dims[2])
	q := sp.request()
	whole := sp.s.Measures.Volume()
	for z := range out {
		f := &out[z]
		if z < len(facts.Noise.PerSlice) {
			f.Noise = facts.Noise.PerSlice[z]
		}
		if whole.Known && whole.Current && z < len(whole.Slices) {
			f.Verdict, f.Why = whole.Slices[z].Verdict, whole.Slices[z].Why
		} else if j, ok := sp.s.strip.found[z]; ok && sameRequest(q, sp.s.strip.of) {
			f.Verdict, f.Why = j.Verdict, j.Why
		}
	}
	return out
}

// request is the present request for the first slice along the third axis.
func (sp *Strip) request() app.PreviewRequest {
	q := sp.s.Tuning.request()
	q.Plane, q.Index = sp.s.doc.Series().Volume.Acquired(), 0
	return q
}

// mayJudge says whether nothing is in progress, or asked for, that the verdicts on other
// slices would slow down, and whether they are wanted at all.
func (sp *Strip) mayJudge() bool {
	if !sp.judges || sp.s.doc == nil || sp.s.Tasks.Busy() || sp.s.Preview.asked != nil || sp.s.Preview.ahead.running != nil || !sp.s.Preview.auto {
		return false
	}
	if _, known := sp.s.doc.Facts(); !known {
		return false
	}
	// The numbers of the slice on the screen come first; those of a run hold all verdicts.
	_, _, status := sp.s.Preview.shown()
	return status == Slice && sp.s.Measures.slice.end != nil && sp.s.Measures.slice.answered
}

// follow judges the next slice, or ends the work on one that is not wanted now.
func (sp *Strip) follow() {
	may := sp.mayJudge()
	if j := sp.judging; j != nil && (!may || !sameRequest(j.of, sp.request())) {
		j.cancel()
		sp.judging = nil
	}
	if !may || sp.judging != nil {
		return
	}
	q := sp.request()
	if !sameRequest(q, sp.s.strip.of) {
		sp.s.strip = strip{of: q, found: map[int]tune.SliceJudgement{}}
	}
	view := q.Series.Volume.View(q.Plane)
	if n := sp.s.Measures.sliceNumbers; n.ok && n.err == nil && n.job.preview.Request.Plane == q.Plane {
		shown := n.job.preview.Request
		index := shown.Index
		if shown.Index = 0; sameRequest(shown, q) {
			sp.s.strip.found[view.Voxel(0, 0, index)[2]] = verdictOf(n.measures.Assessment)
		}
	}
	z := sp.s.strip.next(q.Series.Volume.Dims[2])
	if z < 0 {
		return
	}
	j := &judging{of: q}
	var ctx context.Context
	ctx, j.cancel = context.WithCancel(parallel.Sparing(sp.s.voxels, runtime.NumCPU()-1))
	sp.judging = j
	_, _, q.Index = view.Locate([3]int{0, 0, z})
	engine := sp.s.deps.Engine
	var a app.Assessment
	sp.s.background(func() (err error) {
		a, err = app.JudgeSlice(ctx, engine, q)
		return err
	}, func(err error) {
		if sp.judging != j {
			return // it was ended
		}
		j.cancel()
		sp.judging = nil
		if err != nil { // shown when the slice itself is filtered
			a.Verdict, a.Why = tune.Unknown, sentence(err)
		}
		sp.s.strip.found[z] = verdictOf(a)
		sp.s.listener.Changed()
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
