package measures

import (
	"context"
	"maps"
	"runtime"
	"slices"

	"quell/app/judge"
	"quell/app/workbench"
	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/internal/message"
	"quell/ui/session/desk"
	"quell/ui/session/preview"
)

// SliceFigure is what is known of a slice along the third axis of the series.
type SliceFigure struct {
	Noise   noise.Figure    // its own
	Verdict verdict.Word    // on its result; "" while it is not judged, Unknown if it cannot be
	Why     message.Message // the reason of the verdict, a sentence
}

// strip holds the verdicts on single slices.
type strip struct {
	of    workbench.PreviewRequest // the run with the recipe, maps and noise for which they hold
	found map[int]judge.Verdict    // by slice
}

// judging is the slice that is judged in the background.
type judging struct {
	of  workbench.PreviewRequest
	end func()
}

// Strip finds verdicts on all slices in the background.
type Strip struct {
	desk     *desk.Desk
	preview  *preview.Preview
	measures *Measures
	judged   desk.Slot[strip]
	judges   bool
	judging  *judging // nil while none is
}

// NewStrip returns the verdicts on the slices of a desk.
func NewStrip(d *desk.Desk, p *preview.Preview, ms *Measures) *Strip {
	sp := &Strip{desk: d, preview: p, measures: ms, judged: desk.Slot[strip]{OfVoxels: true}}
	ms.word = func(z int, own judge.Verdict) judge.Verdict { return sp.words()(z, own) }
	return sp
}

// Judge switches the verdicts on all slices on or off. They are found one after another on one
// core, while nothing else is in progress: first on slices far apart, then on those between them.
func (sp *Strip) Judge(on bool) {
	sp.judges = on
	sp.desk.Changed()
}

// Judges says whether verdicts on all slices are found in the background.
func (sp *Strip) Judges() bool { return sp.judges }

// Figures returns what is known of every slice along the third axis of the series; nil
// before the noise is.
func (sp *Strip) Figures() []SliceFigure {
	if sp.desk.Doc == nil {
		return nil
	}
	facts, known := sp.desk.Doc.Estimated()
	if !known {
		return nil
	}
	out := make([]SliceFigure, sp.desk.Doc.Series().Volume.Dims[2])
	whole, judged := sp.measures.Volume(), sp.judged.Of(sp.desk.Document)
	same, word := desk.SameRequest(sp.request(), judged.of), sp.words()
	for z := range out {
		f := &out[z]
		if z < len(facts.Noise.PerSlice) {
			f.Noise = facts.Noise.PerSlice[z]
		}
		if own, ok := judged.found[z]; ok && same || whole.Known && whole.Current && z < len(whole.Slices) {
			v := word(z, own)
			f.Verdict, f.Why = v.Judgement, v.Why
		}
	}
	return out
}

// words returns the function of the verdict on a slice that others judge by, given its own verdict: the slice's verdict in the
// run if there is one of the recipe, otherwise its own among all judged slices. z is negative for a slice across. The figures
// are pooled once for all slices.
func (sp *Strip) words() func(z int, own judge.Verdict) judge.Verdict {
	whole, judged := sp.measures.Volume(), sp.judged.Of(sp.desk.Document)
	if whole.Known && whole.Current {
		return func(z int, own judge.Verdict) judge.Verdict {
			if z >= 0 && z < len(whole.Slices) {
				return whole.Slices[z].Verdict
			}
			return own.In(whole.Figures)
		}
	}
	if !desk.SameRequest(sp.request(), judged.of) {
		return func(_ int, own judge.Verdict) judge.Verdict { return own }
	}
	var parts []verdict.Figures
	for _, z := range slices.Sorted(maps.Keys(judged.found)) {
		parts = append(parts, judged.found[z].Figures) // without regions if there are none
	}
	all := verdict.Pooled(parts)
	return func(_ int, own judge.Verdict) judge.Verdict { return own.In(all) }
}

// request is the present request for the first slice along the third axis.
func (sp *Strip) request() workbench.PreviewRequest {
	q := sp.desk.Request()
	q.Plane, q.Index = sp.desk.Doc.Series().Volume.Acquired(), 0
	return q
}

// mayJudge says whether nothing is in progress, or asked for, that the verdicts on other
// slices would slow down, and whether they are wanted at all.
func (sp *Strip) mayJudge() bool {
	if !sp.judges || sp.desk.Doc == nil || sp.desk.Recipe.SeriesFilter() != nil || sp.desk.Tasks.Busy() || sp.preview.Running() || !sp.preview.Auto() {
		return false
	}
	ahead, _ := sp.preview.Ahead()
	if _, known := sp.desk.Doc.Facts(); !known || ahead {
		return false
	}
	// The numbers of the slice on the screen come first; the numbers of a run hold all
	// verdicts.
	_, _, status := sp.preview.Shown()
	return status == preview.Slice && sp.measures.slice.end != nil && sp.measures.slice.answered
}

// Follow judges the next slice, or ends the work on one that is not wanted now.
func (sp *Strip) Follow() {
	may := sp.mayJudge()
	if j := sp.judging; j != nil && (!may || !desk.SameRequest(j.of, sp.request())) {
		j.end()
		sp.judging = nil
	}
	if !may || sp.judging != nil {
		return
	}
	q, judged := sp.request(), sp.judged.Of(sp.desk.Document)
	if !desk.SameRequest(q, judged.of) {
		*judged = strip{of: q, found: map[int]judge.Verdict{}}
	}
	view := q.Series.Volume.View(q.Plane)
	if n := sp.measures.sliceNumbers; n.Known && n.Err == nil && n.job.preview.Request.Plane == q.Plane {
		shown := n.job.preview.Request
		index := shown.Index
		if shown.Index = 0; desk.SameRequest(shown, q) {
			judged.found[view.Voxel(0, 0, index)[2]] = n.Measures.Verdict
		}
	}
	z := judged.next(q.Series.Volume.Dims[2])
	if z < 0 {
		return
	}
	j := &judging{of: q}
	sp.judging = j
	_, _, q.Index = view.Locate([3]int{0, 0, z})
	engine := sp.desk.Engine
	var a judge.Assessment
	j.end = sp.desk.Aside(sp.desk.Voxels, runtime.NumCPU()-1, func(ctx context.Context) (err error) {
		a, err = workbench.JudgeSlice(ctx, engine, q)
		return err
	}, func(err error) {
		sp.judging = nil
		if err != nil { // shown when the slice itself is filtered
			a.Judgement, a.Why = verdict.Unknown, message.Of(err).Sentence()
		}
		judged.found[z] = a.Verdict
		sp.desk.Changed()
	})
}

// next returns the slice to judge next of n, -1 for none: every 2^k-th, then those between them.
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
