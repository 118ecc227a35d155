package tune

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBlur compares windowed means with the sum over the window, in slices narrower and wider
// than it, after blurs of other scales. Every third row is that above it, as in a mask.
func TestBlur(t *testing.T) {
	for _, dims := range [][2]int{{1, 1}, {1, 30}, {30, 1}, {5, 3}, {33, 26}} {
		nx, ny := dims[0], dims[1]
		rng := rand.New(rand.NewPCG(7, uint64(nx)))
		src, dst := make([]float32, nx*ny), make([]float32, nx*ny)
		for i := range src {
			src[i] = float32(rng.NormFloat64())
			if i/nx%3 == 2 {
				src[i] = src[i-nx]
			}
		}
		b := newBlurrer(nx, ny)
		for _, scale := range []float64{4, 1, 2, 4} {
			b.blur(dst, src, scale)
			kx, ky := window(scale, nx), window(scale, ny)
			for y := range ny {
				for x := range nx {
					want := 0.0
					for j, wy := range ky {
						for i, wx := range kx {
							if px, py := x+i-len(kx)/2, y+j-len(ky)/2; px >= 0 && px < nx && py >= 0 && py < ny {
								want += float64(wx) * float64(wy) * float64(src[py*nx+px])
							}
						}
					}
					if got := float64(dst[y*nx+x]); math.Abs(got-want) > 1e-6 {
						t.Fatalf("%v, scale %g: pixel %d, %d is %g; want %g", dims, scale, x, y, got, want)
					}
				}
			}
		}
	}
}

// A slice that is 0 beyond some rows has the same means there, to the bit, as those rows alone,
// also after rows that are more.
func TestBlurOfRows(t *testing.T) {
	const nx, ny = 33, 60
	b := newBlurrer(nx, ny)
	for _, rows := range [][2]int{{0, ny}, {20, 41}, {59, 60}, {0, 1}, {7, 60}} {
		from, to := rows[0]*nx, rows[1]*nx
		rng := rand.New(rand.NewPCG(9, uint64(from)))
		src := make([]float32, nx*ny)
		for i := range src[from:to] {
			src[from+i] = float32(rng.NormFloat64())
		}
		for _, scale := range meanScales {
			whole, part := make([]float32, nx*ny), make([]float32, to-from)
			b.blur(whole, src, scale)
			b.blur(part, src[from:to], scale)
			if !slices.Equal(whole[from:to], part) {
				t.Errorf("rows %v, scale %g: the means differ", rows, scale)
			}
		}
	}
}

func TestUsedRows(t *testing.T) {
	for _, c := range []struct {
		use      []bool
		from, to int
	}{
		{[]bool{false, false, false, false, false, false}, 0, 0},
		{[]bool{false, false, false, true, false, false}, 2, 4},
		{[]bool{true, false, false, false, false, true}, 0, 6},
		{[]bool{false, true, true, false, false, false}, 0, 4},
		{[]bool{false, false, false, false, true, false}, 4, 6},
	} {
		if from, to := usedRows(c.use, 2); from != c.from || to != c.to {
			t.Errorf("%v: pixels %d to %d; want %d to %d", c.use, from, to, c.from, c.to)
		}
	}
}

// blur writes the windowed means of src to dst, which may be src. Both are the same rows of
// a slice, beyond which there is 0.
func (b *blurrer) blur(dst, src []float32, scale float64) {
	b.load(src)
	b.means(dst, scale)
}
