package measure

import (
	"math"
	"testing"

	"quell/volume"
)

func TestROIStats(t *testing.T) {
	v := ramp(10, 8, 3)
	box := ROI{Region: volume.Region{Min: [3]int{2, 1, 1}, Max: [3]int{5, 3, 2}}}
	// 10102 10103 10104 10202 10203 10204
	s, err := ROIStats(t.Context(), v, box)
	if err != nil {
		t.Fatal(err)
	}
	if s.N != 6 || s.Mean != 10153 || s.Min != 10102 || s.Max != 10204 || !near(float64(s.SD), math.Sqrt(3000.8), 1e-12) {
		t.Errorf("%+v", s)
	}
	v.Mask = make([]bool, len(v.Data))
	if s, err = ROIStats(t.Context(), v, box); err != nil || s.N != 0 || s.Mean.Finite() {
		t.Errorf("of padding: %+v, %v", s, err)
	}
	v.Mask[v.Index(3, 2, 1)] = true
	if s, err = ROIStats(t.Context(), v, box); err != nil || s.N != 1 || s.Mean != 10203 || s.SD.Finite() {
		t.Errorf("of one voxel: %+v, %v", s, err)
	}
	for _, r := range []volume.Region{{}, {Max: [3]int{11, 1, 1}}, {Min: [3]int{-1, 0, 0}, Max: [3]int{1, 1, 1}}} {
		if _, err := ROIStats(t.Context(), v, ROI{Region: r}); err == nil {
			t.Errorf("region %v was measured", r)
		}
	}
}

// An ROI inside a volume is measured like a volume of its own: no neighbour beside it
// counts, and every axis has its own ends.
func TestROIInsideAVolume(t *testing.T) {
	before := ramp(14, 15, 16)
	for i := range before.Data {
		before.Data[i] = float32(i * 7919 % 1013)
	}
	roi := ROI{Region: volume.Region{Min: [3]int{1, 2, 3}, Max: [3]int{9, 8, 13}}}
	for _, shape := range []Shape{Box, Ellipse} {
		roi.Shape = shape
		part := before.Crop(roi.Region)
		own := ROI{Region: part.Bounds(), Shape: shape}
		stats, err := ROIStats(t.Context(), before, roi)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := ROIStats(t.Context(), part, own); err != nil || stats != want {
			t.Errorf("shape %d: %+v, of the part alone %+v, %v", shape, stats, want, err)
		}
		n, sum := 0, 0.0
		for z := range before.Dims[2] {
			for y := range before.Dims[1] {
				for x := range before.Dims[0] {
					if roi.Contains(x, y, z) {
						n++
						sum += float64(before.At(x, y, z))
					}
				}
			}
		}
		if stats.N != n || !near(float64(stats.Mean), sum/float64(n), 1e-12) {
			t.Errorf("shape %d: %+v; want %d voxels with the mean %g", shape, stats, n, sum/float64(n))
		}
	}
	roi.Region.Max[2] = 17
	if s, err := ROIStats(t.Context(), before, roi); err == nil || s.N != 0 {
		t.Errorf("a region that reaches outside: %+v", s)
	}
}

// An ellipse has the area of its formula, in any plane, and is symmetric.
func TestEllipse(t *testing.T) {
	for _, r := range []volume.Region{
		{Min: [3]int{5, 7, 3}, Max: [3]int{105, 67, 4}},
		{Min: [3]int{5, 3, 7}, Max: [3]int{105, 4, 67}},
		{Min: [3]int{3, 5, 7}, Max: [3]int{4, 105, 67}},
	} {
		roi := ROI{Region: r, Shape: Ellipse}
		n := 0
		for z := r.Min[2]; z < r.Max[2]; z++ {
			for y := r.Min[1]; y < r.Max[1]; y++ {
				for x := r.Min[0]; x < r.Max[0]; x++ {
					in := roi.Contains(x, y, z)
					mirrored := roi.Contains(r.Min[0]+r.Max[0]-1-x, r.Min[1]+r.Max[1]-1-y, r.Min[2]+r.Max[2]-1-z)
					if in != mirrored {
						t.Fatalf("%v: %d %d %d is not as its mirror", r, x, y, z)
					}
					if in {
						n++
					}
				}
			}
		}
		if want := math.Pi * 50 * 30; math.Abs(float64(n)-want) > 0.01*want {
			t.Errorf("%v: %d voxels, want about %.0f", r, n, want)
		}
	}
	roi := ROI{Region: volume.Region{Max: [3]int{4, 4, 1}}, Shape: Ellipse}
	if roi.Contains(0, 0, 0) || !roi.Contains(1, 0, 0) || roi.Contains(4, 1, 0) || roi.Contains(1, 1, 1) {
		t.Error("the corners of 4 x 4 are outside the circle, the rest inside")
	}
}

// Statistics and histogram of an ellipse have its voxels alone: of 4 x 4 those that are
// not corners.
func TestStatsOfAnEllipse(t *testing.T) {
	v := ramp(4, 4, 1)
	v.Data[0] = 1e6 // a corner
	roi := ROI{Region: v.Bounds(), Shape: Ellipse}
	s, err := ROIStats(t.Context(), v, roi)
	if err != nil || s.N != 12 || s.Min != 1 || s.Max != 302 {
		t.Errorf("%+v, %v; want 12 voxels from 1 to 302", s, err)
	}
	if h, err := HistogramOf(t.Context(), v, roi, 0, 0, 1); err != nil || h.Counts[0] != 12 || h.Lo != 1 || h.Hi != 302 {
		t.Errorf("%+v, %v", h, err)
	}
}

func TestHistogram(t *testing.T) {
	v := ramp(10, 1, 1) // 0 to 9
	h, err := HistogramOf(t.Context(), v, Whole(v), 2, 8, 3)
	if err != nil {
		t.Fatal(err)
	}
	// [2,4) [4,6) [6,8]
	if h.Below != 2 || h.Above != 1 || h.Counts[0] != 2 || h.Counts[1] != 2 || h.Counts[2] != 3 {
		t.Errorf("%+v", h)
	}
	if h, err = HistogramOf(t.Context(), v, Whole(v), 0, 0, 3); err != nil || h.Lo != 0 || h.Hi != 9 || h.Below+h.Above != 0 {
		t.Errorf("own range: %+v, %v", h, err)
	}
	for i := range v.Data {
		v.Data[i] = 5
	}
	if h, err = HistogramOf(t.Context(), v, Whole(v), 0, 0, 4); err != nil || h.Counts[0] != 10 {
		t.Errorf("constant: %+v, %v", h, err)
	}
	if h, err = HistogramOf(t.Context(), v, ROI{Region: volume.Region{Max: [3]int{1, 1, 1}}}, 0, 0, 2); err != nil || h.Lo != 5 || h.Hi != 6 || h.Counts[0] != 1 {
		t.Errorf("one voxel: %+v, %v", h, err)
	}
	for _, c := range []struct {
		lo, hi float64
		bins   int
	}{{0, 1, 0}, {1, 0, 4}, {math.NaN(), 1, 4}, {0, math.Inf(1), 4}, {math.Inf(-1), 1, 4}} {
		if _, err := HistogramOf(t.Context(), v, Whole(v), c.lo, c.hi, c.bins); err == nil {
			t.Errorf("%+v was counted", c)
		}
	}
}

func TestProfile(t *testing.T) {
	v := ramp(10, 8, 3) // spacing 0.5, 2, 3
	p := Profile(v, [3]float64{2, 3, 1}, [3]float64{6, 3, 1})
	if len(p) != 5 {
		t.Fatalf("%d samples", len(p))
	}
	for k, s := range p {
		if s.Value != float64(10302+k) || s.Distance != 0.5*float64(k) {
			t.Errorf("sample %d: %+v", k, s)
		}
	}
	// The ramp is linear, so interpolation between voxels is exact.
	p = Profile(v, [3]float64{0.25, 6.5, 0.5}, [3]float64{8.75, 0, 1.75})
	for k, s := range p {
		f := float64(k) / float64(len(p)-1)
		want := (0.25 + 8.5*f) + 100*(6.5-6.5*f) + 10000*(0.5+1.25*f)
		if !near(s.Value, want, 1e-12) {
			t.Errorf("sample %d: %g, want %g", k, s.Value, want)
		}
	}
	if want := math.Sqrt(4.25*4.25 + 13*13 + 3.75*3.75); len(p) != 10 || !near(p[9].Distance, want, 1e-12) {
		t.Errorf("%d samples over %g mm, want 10 over %g", len(p), p[len(p)-1].Distance, want)
	}
	v.Mask = make([]bool, len(v.Data))
	for i := range v.Mask {
		v.Mask[i] = true
	}
	v.Mask[v.Index(4, 3, 1)] = false
	p = Profile(v, [3]float64{3, 3, 1}, [3]float64{11, 3, 1})
	for k, s := range p {
		if outside := k == 1 || k > 6; math.IsNaN(s.Value) != outside {
			t.Errorf("sample %d: %g", k, s.Value)
		}
	}
	if p = Profile(v, [3]float64{1, 1, 1}, [3]float64{1, 1, 1}); len(p) != 1 || p[0].Value != 10101 {
		t.Errorf("a point: %v", p)
	}
	if p = Profile(v, [3]float64{1, 1, 1}, [3]float64{1.25, 1, 1}); len(p) != 2 || p[1].Value != 10101.25 || p[1].Distance != 0.125 {
		t.Errorf("a quarter of a voxel: %v", p)
	}
	if p = Profile(v, [3]float64{0, 0, 0}, [3]float64{math.Inf(1), 0, 0}); p != nil {
		t.Errorf("an endless line gave %d samples", len(p))
	}
}

// A histogram of padding alone is empty, and so is one of a region outside the volume
// refused, with the range given or not.
func TestHistogramOfNothing(t *testing.T) {
	v := ramp(4, 4, 2)
	outside := ROI{Region: volume.Region{Max: [3]int{5, 4, 2}}}
	for _, hi := range []float64{0, 9} {
		if h, err := HistogramOf(t.Context(), v, outside, 0, hi, 4); err == nil || h.Counts != nil {
			t.Errorf("to %g: %+v, %v", hi, h, err)
		}
	}
	v.Mask = make([]bool, len(v.Data))
	h, err := HistogramOf(t.Context(), v, Whole(v), 3, 3, 2)
	if err != nil || h.Lo != 3 || h.Hi != 4 || h.Counts[0]+h.Counts[1]+h.Below+h.Above != 0 {
		t.Errorf("%+v, %v; want an empty one from 3 to 4", h, err)
	}
}

// A profile has no value beside the volume, on either side, and no sample of a line that
// is too long.
func TestProfileOutside(t *testing.T) {
	v := ramp(3, 3, 3)
	for c := range 3 {
		from, to := [3]float64{1, 1, 1}, [3]float64{1, 1, 1}
		from[c], to[c] = -0.5, 2.5
		p := Profile(v, from, to)
		if len(p) != 4 || !math.IsNaN(p[0].Value) || math.IsNaN(p[1].Value) || math.IsNaN(p[2].Value) || !math.IsNaN(p[3].Value) {
			t.Errorf("axis %d: %v", c, p)
		}
	}
	if p := Profile(v, [3]float64{}, [3]float64{0, math.MaxInt32, 0}); p != nil {
		t.Errorf("%d samples", len(p))
	}
}

// A box holds its first and last voxel and none beside them.
func TestBoxContains(t *testing.T) {
	box := ROI{Region: volume.Region{Min: [3]int{1, 2, 3}, Max: [3]int{4, 6, 8}}}
	for _, shape := range []Shape{Box, Ellipse} {
		box.Shape = shape
		for c := range 3 {
			at := [3]int{2, 4, 5}
			for at[c] = -1; at[c] < 9; at[c]++ {
				inside := at[c] >= box.Region.Min[c] && at[c] < box.Region.Max[c]
				if got := box.Contains(at[0], at[1], at[2]); got != inside {
					t.Errorf("shape %d, %v: inside %v", shape, at, got)
				}
			}
		}
	}
	if box.Shape = Box; !box.Contains(1, 2, 3) || !box.Contains(3, 5, 7) {
		t.Error("the corners of a box are outside")
	}
}
