package correlation

import (
	"math"
	"testing"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/volume"
)

// rho is 1 at 0, the list at whole distances, in between on straight lines, and falls
// to 0 one voxel beyond the list.
func TestRho(t *testing.T) {
	c := New([]int{60, 20, -10, -40, 50, 25})
	for _, k := range []struct {
		d    [3]int
		want float64
	}{
		{[3]int{0, 0, 0}, 1}, {[3]int{1, 0, 0}, 0.6}, {[3]int{0, -1, 0}, 0.6}, {[3]int{-2, 0, 0}, 0.2},
		{[3]int{0, 3, 0}, -0.1}, {[3]int{4, 0, 0}, -0.4}, {[3]int{3, -4, 0}, 0}, {[3]int{5, 0, 0}, 0}, {[3]int{9, 9, 0}, 0},
		{[3]int{1, 1, 0}, 0.6 - 0.4*(math.Sqrt2-1)}, {[3]int{-4, 1, 0}, -0.4 * (5 - math.Sqrt(17))},
		{[3]int{0, 0, 1}, 0.5}, {[3]int{0, 0, -2}, 0.25}, {[3]int{0, 0, 3}, 0}, {[3]int{1, 0, 3}, 0}, {[3]int{2, 0, -1}, 0.1},
	} {
		if got := c.Rho(k.d); math.Abs(got-k.want) > 1e-15 {
			t.Errorf("rho%v = %g; want %g", k.d, got, k.want)
		}
	}
}

// A correlation missing from the list is 0, and a list of zeros is white noise.
func TestShortLists(t *testing.T) {
	for _, c := range []struct {
		list []int
		none bool
		one  float64 // rho one voxel apart
		next float64 // one slice apart
	}{
		{[]int{0}, true, 0, 0}, {[]int{0, 0, 0, 0, 0, 0}, true, 0, 0}, {[]int{30}, false, 0.3, 0},
		{[]int{0, 0, 0, -1}, false, 0, 0}, {[]int{0, 0, 0, 0, 100}, false, 0, 1}, {[]int{0, 0, 0, 0, 0, 7}, false, 0, 0},
	} {
		got := New(c.list)
		if got.White() != c.none || got.Rho([3]int{1, 0, 0}) != c.one || got.Rho([3]int{0, 0, 1}) != c.next {
			t.Errorf("%v: %+v; white: %t, %g and %g", c.list, got, c.none, c.one, c.next)
		}
	}
}

// A list along y makes rho within the slice a product.
func TestRhoOfAProduct(t *testing.T) {
	c := New([]int{60, 20, -10, -40, 50, 25, 10, 0, -20})
	for _, k := range []struct {
		d    [3]int
		want float64
	}{
		{[3]int{0, 0, 0}, 1}, {[3]int{-1, 0, 0}, 0.6}, {[3]int{0, -1, 0}, 0.1}, {[3]int{1, 1, 0}, 0.06}, {[3]int{-4, 3, 0}, 0.08},
		{[3]int{1, -3, 2}, -0.03}, {[3]int{0, 4, 0}, 0}, {[3]int{5, 0, 0}, 0}, {[3]int{0, 1, 3}, 0},
	} {
		if got := c.Rho(k.d); math.Abs(got-k.want) > 1e-15 {
			t.Errorf("rho%v = %g; want %g", k.d, got, k.want)
		}
	}
	if got := c.Within(1); math.Abs(got-0.35) > 1e-15 {
		t.Errorf("the mean of both axes is %g", got)
	}
	if none := New(make([]int, 10)); !none.White() || c.White() {
		t.Error("white noise is not known")
	}
}

// The automatic list is the estimate, averaged over the axes of the slice, or the lists along both if their
// product is nearer, but on CT.
func TestAutoCorrelation(t *testing.T) {
	var c noise.Correlation
	const middle = noise.MaxLag
	c.InPlane[middle][middle], c.Across[0] = 1, 1
	for d := 1; d <= noise.MaxLag; d++ {
		c.InPlane[middle][middle+d], c.InPlane[middle+d][middle] = 0.5/float64(d), 0.3/float64(d)
	}
	c.InPlane[middle][middle+4] = -9 // beyond the range of a correlation
	c.Across[1], c.Across[2] = 0.246, -0.031
	var product, round noise.Correlation
	product.Across[0], round.Across[0] = 1, 1
	for dy := -noise.MaxLag; dy <= noise.MaxLag; dy++ {
		for dx := -noise.MaxLag; dx <= noise.MaxLag; dx++ {
			x, y := float64(dx), float64(dy)
			product.InPlane[middle+dy][middle+dx] = math.Pow(0.5, math.Abs(x)) * math.Pow(0.2, math.Abs(y))
			round.InPlane[middle+dy][middle+dx] = math.Pow(0.4, math.Hypot(x, y))
		}
	}
	const tissue = "surface fits"
	for _, e := range []struct {
		c      *noise.Correlation
		method string
		want   denoise.Value
	}{
		{&c, tissue, denoise.List(40, 20, 13, -100, 25, -3)}, {nil, tissue, denoise.List(0)}, {nil, "", denoise.List(0)},
		{&product, "", denoise.List(50, 25, 13, 6, 0, 0, 20, 4, 1, 0)}, {&product, tissue, denoise.List(35, 15, 7, 3, 0, 0)},
		{&round, "", denoise.List(40, 16, 6, 3, 0, 0)},
	} {
		f := denoise.Facts{Hi: 100, Noise: noise.Known(5)}
		f.Noise.Correlation, f.Noise.Method = e.c, e.method
		if got := auto(denoise.Recipe{}, f); !got.Equal(e.want) {
			t.Errorf("%v; want %v", got, e.want)
		}
	}
}

// A recipe states its correlation, or that of the volume; that of a CT's tissue counts for
// automatic strengths unless the recipe says that the noise is white.
func TestCorrelationOfARecipe(t *testing.T) {
	f := denoise.Facts{Hi: 100, Noise: noise.Known(5)}
	f.Noise.Correlation = &noise.Correlation{Across: [3]float64{1}}
	f.Noise.Correlation.InPlane[noise.MaxLag][noise.MaxLag+1] = 0.6
	tissue := f
	tissue.Noise.Method = "surface fits"
	r := denoise.Recipe{}
	for _, c := range []struct {
		r      denoise.Recipe
		f      denoise.Facts
		want   Correlation
		tissue bool
	}{
		{r.With(Name, denoise.Auto), f, New([]int{30}), false},
		{r.With(Name, denoise.Auto), tissue, New([]int{30}), true},
		{r.With(Name, denoise.List(0)), tissue, Correlation{}, false},
		{r.With(Name, denoise.List(0, 1)), tissue, New([]int{0, 1}), true},
		{r.With(Name, denoise.Auto), denoise.Facts{}, Correlation{}, false},
	} {
		if got, tissue := InTissue(c.r, c.f); got != c.want || tissue != c.tissue {
			t.Errorf("%v: %+v, %v; want %+v, %v", c.r.Get(Name), got, tissue, c.want, c.tissue)
		}
	}
}

// White noise has a sample in every voxel; equal neighbours share one.
func TestSamples(t *testing.T) {
	for _, c := range []struct {
		list []int
		want float64
	}{{[]int{0}, 1}, {[]int{0, 0, 0, 0, 90}, 1}, {[]int{100}, 1 + 4 + 4*(2-math.Sqrt2)*(2-math.Sqrt2)}} {
		n := New(c.list)
		if got := n.Samples(); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %g; want %g", c.list, got, c.want)
		}
	}
}

// Slices are thick if they lie more than 4 mm apart.
func TestThick(t *testing.T) {
	for z, want := range map[float64]bool{1: false, 4: false, 4.01: true} {
		if got := Thick(volume.NewGeometry([3]int{2, 2, 2}, [3]float64{0.5, 0.8, z})); got != want {
			t.Errorf("%g mm: %v", z, got)
		}
	}
}
