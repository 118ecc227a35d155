package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/volume"
)

// Agreement is the agreement of an engine with the float64 reference on parts of the
// input, found before the row was timed.
type Agreement struct {
	MaxAbsDiff float64 `json:"max_abs_diff"`
	RMS        float64 `json:"rms"`
	Range      float64 `json:"range"`
	Voxels     int     `json:"voxels"`
}

// The limits of denoise.Engine, relative to the range.
const (
	maxDifference = 1e-4
	maxRMS        = 1e-5
)

// checkEdge is how many voxels each part has along an axis.
const checkEdge = 4

// check compares the engine with the reference in two small boxes: in the middle of
// the slices to be filtered, and at a corner, at which neighbourhoods are cut.
func (m *measurement) check() error {
	lo, hi, err := m.image.noisy.Range(m.ctx)
	if err != nil {
		return err
	}
	c := newCheck(lo, hi)
	in := denoise.Input{Volume: m.image.noisy}
	for _, box := range checkBoxes(m.region) {
		got, err := m.engine.Run(m.ctx, m.recipe, in, box, nil)
		if err != nil {
			return err
		}
		want, err := m.image.reference(m.ctx, m.recipe, box)
		if err != nil {
			return err
		}
		c.add(got, want)
	}
	m.result.Check = c
	if err := c.err(); err != nil {
		return fmt.Errorf("%w; it was not timed", err)
	}
	return nil
}

// reference returns the reference's result in a box. It is kept: rows of kernels and of shapes of a block have one recipe.
func (m *sample) reference(ctx context.Context, r denoise.Recipe, box volume.Region) (*volume.Volume, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%s %v", text, box)
	if want, ok := m.references[key]; ok {
		return want, nil
	}
	want, err := cpu.Reference(ctx, r, denoise.Input{Volume: m.noisy}, box)
	if err == nil {
		if m.references == nil {
			m.references = map[string]*volume.Volume{}
		}
		m.references[key] = want
	}
	return want, err
}

// newCheck begins a check on a volume with values from lo to hi.
func newCheck(lo, hi float32) *Agreement {
	return &Agreement{Range: max(float64(hi)-float64(lo), math.SmallestNonzeroFloat32)}
}

// add compares a result with the right one.
func (c *Agreement) add(got, want *volume.Volume) {
	sum := c.RMS * c.RMS * float64(c.Voxels)
	for i, x := range got.Data {
		d := math.Abs(float64(x) - float64(want.Data[i]))
		c.MaxAbsDiff = max(c.MaxAbsDiff, d)
		sum += d * d
		c.Voxels++
	}
	c.RMS = math.Sqrt(sum / float64(c.Voxels))
}

// err says by how much the results are wrong.
func (c *Agreement) err() error {
	if c.agrees() {
		return nil
	}
	return fmt.Errorf("its result differs from the reference by up to %.3g (RMS %.3g) in a range of %.3g", c.MaxAbsDiff, c.RMS, c.Range)
}

// agrees is false for NaN too.
func (c Agreement) agrees() bool {
	return c.MaxAbsDiff <= maxDifference*c.Range && c.RMS <= maxRMS*c.Range
}

func checkBoxes(region volume.Region) []volume.Region {
	corner, inside := region, region
	for c := range 3 {
		n := region.Max[c] - region.Min[c]
		corner.Max[c] = region.Min[c] + min(n, checkEdge)
		from := region.Min[c] + max(n-checkEdge, 0)/2
		inside.Min[c], inside.Max[c] = from, from+min(n, checkEdge)
	}
	if corner == inside {
		return []volume.Region{inside}
	}
	return []volume.Region{corner, inside}
}
