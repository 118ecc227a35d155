package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"quell/volume"
)

// ramp returns a volume that holds x + 100 y + 10000 z.
func ramp(nx, ny, nz int) *volume.Volume {
	v := volume.New(volume.NewGeometry([3]int{nx, ny, nz}, [3]float64{0.5, 2, 3}))
	for i := range v.Data {
		v.Data[i] = float32(i%nx + 100*(i/nx%ny) + 10000*(i/nx/ny))
	}
	return v
}

func TestEqualVolumes(t *testing.T) {
	v := ramp(16, 15, 12)
	c, err := Compare(t.Context(), v, v.Clone(), Options{SSIM3D: true})
	if err != nil {
		t.Fatal(err)
	}
	if c.MSE != 0 || c.MaxAbsDiff != 0 || !math.IsInf(float64(c.PSNR), 1) || c.Voxels != len(v.Data) {
		t.Errorf("%+v", c)
	}
	if !near(float64(c.SSIM), 1, 1e-14) || !near(float64(c.SSIM3D), 1, 1e-14) {
		t.Errorf("SSIM %v and %v, want 1", c.SSIM, c.SSIM3D)
	}
}

func TestComparisonAsJSON(t *testing.T) {
	v := ramp(11, 11, 1)
	c, err := Compare(t.Context(), v, v, Options{Max: 255})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"mse":0,"psnr":null,"ssim":1,"ssim_3d":null,"max_abs_diff":0,"max":255,"voxels":121}`; string(b) != want {
		t.Errorf("%s, want %s", b, want)
	}
	var back Comparison
	if err := json.Unmarshal(b, &back); err != nil || back.Voxels != 121 || back.SSIM != 1 || back.PSNR.Finite() {
		t.Errorf("%+v, %v", back, err)
	}
}

// The padding of either volume counts for nothing, in value or in range.
func TestPaddingDoesNotCount(t *testing.T) {
	ref, test := ramp(12, 12, 3), ramp(12, 12, 3)
	for i := range test.Data {
		test.Data[i] += 2
	}
	ref.Mask = make([]bool, len(ref.Data))
	test.Mask = make([]bool, len(ref.Data))
	for i := range ref.Mask {
		ref.Mask[i], test.Mask[i] = i%5 != 0, i%7 != 0
	}
	ref.Data[0], test.Data[7] = -5000, 1e6
	c, err := Compare(t.Context(), ref, test, Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i := range ref.Mask {
		if ref.Mask[i] && test.Mask[i] {
			n++
		}
	}
	lo, hi, _ := ref.Range(t.Context())
	if c.Voxels != n || c.MSE != 4 || c.MaxAbsDiff != 2 || c.Max != Float(hi-lo) || lo < 0 {
		t.Errorf("%+v, want %d voxels that differ by 2", c, n)
	}
}

func TestConstantReference(t *testing.T) {
	g := volume.NewGeometry([3]int{12, 12, 1}, [3]float64{1, 1, 1})
	ref, test := volume.New(g), volume.New(g)
	test.Data[5] = 1
	c, err := Compare(t.Context(), ref, test, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Max != 0 || !math.IsNaN(float64(c.PSNR)) || !math.IsNaN(float64(c.SSIM)) || c.MSE != 1.0/144 {
		t.Errorf("%+v", c)
	}
}

func TestCompareRefuses(t *testing.T) {
	v := ramp(4, 4, 2)
	for what, c := range map[string]struct {
		test *volume.Volume
		o    Options
		want string
	}{
		"other dims":      {ramp(4, 2, 5), Options{}, "the reference has 4 x 4 x 2 voxels and the other volume 4 x 2 x 5"},
		"a short mask":    {v, Options{Mask: make([]bool, 3)}, "3 voxels"},
		"an empty mask":   {v, Options{Mask: make([]bool, 32)}, "no voxel"},
		"a negative MAX":  {v, Options{Max: -1}, "MAX"},
		"an endless MAX":  {v, Options{Max: math.Inf(1)}, "MAX"},
		"a MAX of no use": {v, Options{Max: math.NaN()}, "MAX"},
	} {
		if _, err := Compare(t.Context(), v, c.test, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", what, err, c.want)
		}
	}
}

func TestPSNR(t *testing.T) {
	for _, c := range []struct{ peak, mse, want float64 }{
		{10, 1, 20}, {1, 100, -20}, {0, 0, math.Inf(1)}, {0, 4, math.NaN()}, {1, 1, 0},
	} {
		if got := psnr(c.peak, c.mse); !near(float64(got), c.want, 1e-12) && float64(got) != c.want {
			t.Errorf("peak %g, MSE %g: %v, want %g", c.peak, c.mse, got, c.want)
		}
	}
}

// endsAfter is a context that is cancelled after its error was asked for left times.
type endsAfter struct {
	context.Context
	left atomic.Int64
}

func (c *endsAfter) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Every measure can be cancelled at every slice, and then returns the context's
// error and no numbers.
func TestCancel(t *testing.T) {
	v := ramp(20, 20, 20)
	v.Mask = make([]bool, len(v.Data))
	for i := range v.Mask {
		v.Mask[i] = true
	}
	other := v.Clone() // less like v from slice to slice, so that a mean over fewer slices is another
	for i := range other.Data {
		other.Data[i] *= float32(i % 7 * (i / v.SliceVoxels()))
	}
	for name, measure := range map[string]func(context.Context) (any, error){
		"Compare": func(ctx context.Context) (any, error) {
			c, err := Compare(ctx, v, other, Options{SSIM3D: true})
			return c, err
		},
		"Compare in two dimensions": func(ctx context.Context) (any, error) {
			c, err := Compare(ctx, v, other, Options{Max: 1})
			return c, err
		},
	} {
		cancels := int64(0)
		for ; ; cancels++ {
			ctx := &endsAfter{Context: t.Context()}
			ctx.left.Store(cancels)
			got, err := measure(ctx)
			if err == nil {
				if want, err := measure(t.Context()); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s, cancelled after %d: %+v without an error; want %+v, %v", name, cancels, got, want, err)
				}
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s, cancelled after %d: error %v", name, cancels, err)
			}
			if zero := reflect.Zero(reflect.TypeOf(got)).Interface(); !reflect.DeepEqual(got, zero) {
				t.Fatalf("%s, cancelled after %d: %+v", name, cancels, got)
			}
		}
		if cancels < 20 {
			t.Errorf("%s looks for a cancel %d times on 20 slices", name, cancels)
		}
	}
}

// SSIM that is not defined is cancelled like any other.
func TestCancelWithoutSSIM(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, v := range []*volume.Volume{ramp(5, 5, 2), ramp(20, 20, 2)} {
		if x, err := structuralSimilarity(ctx, v, v, 1, nil, 2); x > 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v, %v", v.Dims, x, err)
		}
	}
}

// Every voxel counts once, whatever number of blocks the cores share.
func TestCompareManyBlocks(t *testing.T) {
	for _, n := range []int{blockVoxels - 1, blockVoxels, blockVoxels + 1, 2*blockVoxels + 7} {
		g := volume.NewGeometry([3]int{n, 1, 1}, [3]float64{1, 1, 1})
		ref, test := volume.New(g), volume.New(g)
		ref.Mask, test.Mask = make([]bool, n), make([]bool, n)
		counted := 0
		for i := range n {
			ref.Mask[i], test.Mask[i] = i%5 != 1, i%3 != 1
			if ref.Mask[i] && test.Mask[i] {
				test.Data[i] = 2
				counted++
			}
		}
		c, err := Compare(t.Context(), ref, test, Options{Max: 1})
		if err != nil || c.Voxels != counted || c.MSE != 4 || c.MaxAbsDiff != 2 {
			t.Errorf("%d voxels: %+v, %v; want %d that differ by 2", n, c, err, counted)
		}
	}
}

// A slice with fewer than 11 voxels along one axis has no SSIM.
func TestSSIMOfNarrowSlices(t *testing.T) {
	for _, dims := range [][3]int{{10, 20, 12}, {20, 10, 12}, {1, 20, 12}} {
		v := ramp(dims[0], dims[1], dims[2])
		c, err := Compare(t.Context(), v, v, Options{SSIM3D: true})
		if err != nil || c.SSIM.Finite() || c.SSIM3D.Finite() {
			t.Errorf("%v: SSIM %v and %v, %v", dims, c.SSIM, c.SSIM3D, err)
		}
	}
	v := ramp(11, 11, 10)
	if c, err := Compare(t.Context(), v, v, Options{SSIM3D: true}); err != nil || !c.SSIM.Finite() || c.SSIM3D.Finite() {
		t.Errorf("10 slices: SSIM %v and %v, %v", c.SSIM, c.SSIM3D, err)
	}
}

// An image of 11 x 11 voxels has one SSIM value, here by the formulas of Wang et al.
// in two passes. Values far from zero must not cost its digits.
func TestSSIMFarFromZero(t *testing.T) {
	const span, offset = 100.0, 1 << 20
	g := volume.NewGeometry([3]int{11, 11, 1}, [3]float64{1, 1, 1})
	ref, test := volume.New(g), volume.New(g)
	for i, x := range draw(1, 121) {
		ref.Data[i] = float32(offset + x/8)
	}
	for i, x := range draw(2, 121) {
		test.Data[i] = ref.Data[i] + float32(x/16)
	}
	weight := func(i int) float64 {
		x, y := float64(i%11-5), float64(i/11-5)
		return math.Exp(-(x*x + y*y) / (2 * 1.5 * 1.5))
	}
	var sum, mx, my, vx, vy, vxy float64
	for i := range ref.Data {
		sum += weight(i)
		mx += weight(i) * float64(ref.Data[i])
		my += weight(i) * float64(test.Data[i])
	}
	mx, my = mx/sum, my/sum
	for i := range ref.Data {
		dx, dy := float64(ref.Data[i])-mx, float64(test.Data[i])-my
		vx += weight(i) / sum * dx * dx
		vy += weight(i) / sum * dy * dy
		vxy += weight(i) / sum * dx * dy
	}
	c1, c2 := 0.01*span*0.01*span, 0.03*span*0.03*span
	want := (2*mx*my + c1) * (2*vxy + c2) / ((mx*mx + my*my + c1) * (vx + vy + c2))
	c, err := Compare(t.Context(), ref, test, Options{Max: span})
	if err != nil {
		t.Fatal(err)
	}
	if !near(float64(c.SSIM), want, 1e-9) {
		t.Errorf("SSIM %.12f, want %.12f", c.SSIM, want)
	}
}

// The same numbers, to the last bit, however many cores there are.
func TestSameBitsOnAnyNumberOfCores(t *testing.T) {
	f := loadFacts(t).Comparisons[3]
	ref, test, _ := f.pair()
	run := func(cores int) Comparison {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		c, err := Compare(t.Context(), ref, test, Options{SSIM3D: true})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if one, seven := run(1), run(7); one != seven {
		t.Errorf("%+v on one core, %+v on seven", one, seven)
	}
}

func TestFloatString(t *testing.T) {
	for x, want := range map[Float]string{
		Float(math.Inf(1)): "∞", Float(math.Inf(-1)): "-∞", 12.0875: "12.0875", 0: "0", 1234567: "1.23457e+06",
	} {
		if x.String() != want {
			t.Errorf("%q, want %q", x.String(), want)
		}
	}
	var f Float
	if err := f.UnmarshalJSON([]byte(`"1"`)); err == nil {
		t.Errorf("a string became %v", f)
	}
	if got := Float(math.NaN()).String(); got != "–" {
		t.Errorf("%q", got)
	}
}

func BenchmarkCompare(b *testing.B) {
	v := volume.New(volume.NewGeometry([3]int{512, 512, 40}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(i * 7919 % 4096)
	}
	for name, o := range map[string]Options{"2-D": {}, "3-D": {SSIM3D: true}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Compare(b.Context(), v, v, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Volumes that differ by the rounding of float32 alone are identical.
func TestDecibels(t *testing.T) {
	for _, c := range []struct {
		x        float64
		decimals int
		want     string
	}{
		{math.Inf(1), 2, "identical"}, {673.2, 2, "identical"}, {Rounding, 2, "identical"}, {Rounding - 0.01, 2, "150.50 dB"},
		{math.NaN(), 2, "–"}, {31.456, 2, "31.46 dB"}, {31.456, 0, "31 dB"}, {-3.25, 2, "−3.25 dB"}, {math.Inf(-1), 1, "−Inf dB"},
	} {
		if got := Decibels(Float(c.x), c.decimals); got != c.want {
			t.Errorf("%g is %q; want %q", c.x, got, c.want)
		}
	}
}
