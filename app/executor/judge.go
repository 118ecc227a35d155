package executor

import (
	"context"
	"math"
	"slices"

	"quell/app/job"
	"quell/app/judge"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/internal/message"
	"quell/measure"
	"quell/series"
)

// Judge is the sink that judges results, slab by slab and no more slices at a time than the memory
// of the job allows. The verdict on a volume is the worst on its parts. A result that was filtered in
// evenly spaced parts is not judged, as that would filter across them.
type Judge struct {
	// Compare adds the comparisons with the input, and with the series before noise was added.
	Compare bool
	// AtATime is how many slices are judged at a time; 0: all of a slab.
	AtATime int
	// Group is the 4-D series of the volumes; nil for one that is in none.
	Group *series.Group

	parts []judged        // of the volume
	over  *judge.OverTime // nil if too few volumes repeat each other
}

// SplitWhy is why there is no verdict on a series whose evenly spaced slices were filtered by themselves.
const SplitWhy = "What was filtered in evenly spaced parts is not judged, as that would filter across them."

// judged is the judgement of some slices.
type judged struct {
	from, to int // slices of the volume
	m        judge.Measures
}

// Begin forgets what was judged before.
func (j *Judge) Begin(context.Context, *Made) error {
	j.Abort()
	j.over = judge.NewOverTime(j.Group)
	return nil
}

// Slab judges the result in some slices.
func (j *Judge) Slab(ctx context.Context, s *Slab) error {
	run := s.Part.Run
	if run == nil || run.Parts != nil {
		return nil
	}
	return timed(&s.Outcome.Seconds.Measure, func() error {
		if s.First {
			j.Abort()
		}
		p, err := judge.NewPiece(ctx, s.Part.Engine, run, s.Part.Clean, j.Compare)
		if err != nil {
			return err
		}
		if ends := s.Whole.cleanEnds; ends != nil {
			p.TruthMax = float64(ends[1]) - float64(ends[0])
		}
		n := run.Region.Dims()[2]
		if j.AtATime > 0 {
			n = min(n, j.AtATime)
		}
		first := s.From - run.Region.Min[2] // of the source of the slab in the volume
		for z := run.Region.Min[2]; z < run.Region.Max[2]; z += n {
			region := run.Region
			region.Min[2], region.Max[2] = z, min(z+n, run.Region.Max[2])
			m, err := p.Measure(ctx, region)
			if err != nil {
				return err
			}
			if m.Place != nil {
				m.Place.Slice += first
			}
			for i := range m.Places {
				m.Places[i].Place.Slice += first
			}
			if !s.First || !s.Last || n < run.Region.Dims()[2] {
				m.Map = nil // as large as the slices
			}
			j.parts = append(j.parts, judged{first + z, first + region.Max[2], m})
		}
		if s.Last {
			m := together(j.parts)
			s.Outcome.Measures = &m
			j.Abort()
			if j.over != nil && s.First && j.Group.Contrast(s.Volume) == j.over.Contrast {
				return j.over.Add(ctx, s.Part.Section().Volume, s.Part.Result)
			}
		}
		return nil
	})
}

// Finish adds what is known over time; the verdicts are in the reports on the volumes.
func (j *Judge) Finish(_ context.Context, r *Outcome) error {
	if j.over != nil {
		r.TSNR = j.over.Figures()
	}
	return nil
}

// Abort forgets what was judged.
func (j *Judge) Abort() { j.parts = nil }

// confidences are the confidences of a figure, best first.
var confidences = []noise.Confidence{noise.High, noise.Fair, noise.Low, noise.None}

// together returns the measures of a volume that was judged in parts: the verdict of the worst part,
// and figures over all.
func together(parts []judged) judge.Measures {
	if len(parts) == 1 {
		return parts[0].m
	}
	worst, same := 0, 0
	for i, p := range parts {
		switch {
		case p.m.Worse(parts[worst].m.Assessment):
			worst, same = i, 1
		case p.m.Judgement == parts[worst].m.Judgement:
			same++
		}
	}
	m := parts[worst].m
	m.Why = message.Text("%d of %d parts; slices %s: %s", same, len(parts), job.SliceRange{From: parts[worst].from, To: parts[worst].to}, m.Why)
	m.Assessment.Slices = nil
	var sigma, mean, square, n float64
	least := 0
	m.Places = []tune.Finding{}
	for _, p := range parts {
		k := float64(p.to - p.from)
		m.Places = append(m.Places, p.m.Places...)
		n += k
		sigma += k * p.m.Sigma * p.m.Sigma
		mean += k * float64(p.m.ResidualMean)
		square += k * float64(p.m.ResidualSD*p.m.ResidualSD+p.m.ResidualMean*p.m.ResidualMean)
		least = max(least, slices.Index(confidences, p.m.SigmaConfidence))
		m.Assessment.Slices = append(m.Assessment.Slices, sliceVerdicts(p.m.Assessment, p.to-p.from)...)
	}
	m.Sigma, m.SigmaConfidence = math.Sqrt(sigma/n), confidences[least]
	mean /= n
	m.ResidualMean, m.ResidualSD = measure.Float(mean), measure.Float(math.Sqrt(max(square/n-mean*mean, 0)))
	m.Change = pooled(parts, func(m judge.Measures) *measure.Comparison { return &m.Change })
	if m.Truth != nil {
		m.Truth = new(pooled(parts, func(m judge.Measures) *measure.Comparison { return m.Truth }))
		m.Start = new(pooled(parts, func(m judge.Measures) *measure.Comparison { return m.Start }))
	}
	return m
}

// sliceVerdicts returns the judgement of each of n slices, which may have been judged as one.
func sliceVerdicts(a judge.Assessment, n int) []judge.SliceAssessment {
	if len(a.Slices) == n {
		return a.Slices
	}
	one := judge.SliceAssessment{Verdict: a.Verdict, Sigma: a.Sigma, SigmaConfidence: a.SigmaConfidence, ResidualSD: a.ResidualSD, Structure: a.Structure}
	return slices.Repeat([]judge.SliceAssessment{one}, n)
}

// pooled returns a comparison over all parts: squares over the voxels, SSIM over the slices.
func pooled(parts []judged, of func(judge.Measures) *measure.Comparison) (c measure.Comparison) {
	var square, similar, n float64
	for _, p := range parts {
		one := of(p.m)
		c.Max, c.Voxels = one.Max, c.Voxels+one.Voxels
		c.MaxAbsDiff = max(c.MaxAbsDiff, one.MaxAbsDiff)
		if one.Voxels > 0 {
			square += float64(one.MSE) * float64(one.Voxels)
		}
		similar += float64(one.SSIM) * float64(p.to-p.from)
		n += float64(p.to - p.from)
	}
	c.MSE = measure.Float(square / float64(c.Voxels))
	c.PSNR = measure.Float(10 * math.Log10(float64(c.Max*c.Max/c.MSE)))
	c.SSIM, c.SSIM3D = measure.Float(similar/n), measure.Float(math.NaN())
	return c
}
