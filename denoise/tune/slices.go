package tune

import (
	"math"

	"quell/internal/message"
)

// A slice stands elsewhere on the curve of its volume if its own noise is stronger
// or weaker, or if it holds more structure: its residual, in its own sigmas, is the
// residual of another strength.

// share is what the voxels of a slice, or of all, add up to.
type share struct {
	voxels   int
	residual float64 // sum of squares, in sigmas
	found    float64 // sum of squares of the structure, in sigmas
	peak     float32 // the strongest structure of a slice, in sigmas
	at       int     // its pixel, the first of equal ones
}

func (s share) structure() float64 { return s.found / math.Max(float64(s.voxels), 1) }
func (s share) power() float64     { return s.residual / math.Max(float64(s.voxels), 1) }

// total adds up shares.
func total(per []share) (t share) {
	for _, s := range per {
		t.voxels, t.residual, t.found = t.voxels+s.voxels, t.residual+s.residual, t.found+s.found
	}
	return t
}

// judgeSlices judges slices by the curve of all, which was judged at strength x.
func (c Curve) judgeSlices(x float64, per []share) []SliceJudgement {
	whole := total(per).power()
	judged := make([]SliceJudgement, len(per))
	for z, s := range per {
		j := SliceJudgement{Structure: s.structure()}
		switch {
		case s.voxels < fewest:
			j.Verdict = Unknown
			j.Why = message.New(message.VerdictNone, "Only %d voxels of its foreground can be judged.", s.voxels)
		case whole == 0:
			j.Verdict = c.verdict(c.excess(c.at(x).MSE), x)
			j.Why = message.New(message.VerdictNothing, "Nothing was removed.")
		default:
			p := c.like(c.at(x).Residual * s.power() / whole)
			j.Verdict = c.verdict(c.excess(p.MSE), p.Strength)
			j.Why = sliceWhy[j.Verdict]
		}
		judged[z] = j
	}
	return judged
}

var sliceWhy = map[Verdict]message.Message{
	Matched: message.New(message.VerdictLeast, "Its residual is as strong, for its noise, as near the best strength."),
	Under:   message.New(message.VerdictNoise, "Its residual is weaker, for its noise, than at the best strength: noise is left."),
	Over:    message.New(message.VerdictStructure, "Its residual is stronger, for its noise, than at the best strength: structure is removed."),
}

// at returns the point of the curve at a strength, between its points on a straight
// line over the logarithm of the strength.
func (c Curve) at(x float64) Point {
	return c.between(func(p Point) float64 { return math.Log(math.Max(p.Strength, 1e-9)) }, math.Log(math.Max(x, 1e-9)))
}

// like returns the point of the curve with that power of the residual.
func (c Curve) like(residual float64) Point {
	return c.between(func(p Point) float64 { return math.Log(math.Max(p.Residual, 1e-9)) }, math.Log(math.Max(residual, 1e-9)))
}

// between returns the first point at which a coordinate reaches a value: it rises
// along the curve. Before the first point and beyond the last these are returned.
func (c Curve) between(coordinate func(Point) float64, value float64) Point {
	for i, p := range c.Points {
		to := coordinate(p)
		if to < value {
			continue
		}
		if i == 0 {
			return p
		}
		q := c.Points[i-1]
		t := 1.0
		if from := coordinate(q); from < to {
			t = (value - from) / (to - from)
		}
		mix := func(a, b float64) float64 { return a + t*(b-a) }
		p.Strength = mix(q.Strength, p.Strength)
		p.MSE, p.Residual, p.Kept = mix(q.MSE, p.MSE), mix(q.Residual, p.Residual), mix(q.Kept, p.Kept)
		return p
	}
	return c.Points[len(c.Points)-1]
}
