package tune

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestBlur compares windowed means with the sum over the window, in slices narrower and wider
// than it, after blurs of other scales.
func TestBlur(t *testing.T) {
	for _, dims := range [][2]int{{1, 1}, {1, 30}, {30, 1}, {5, 3}, {33, 26}} {
		nx, ny := dims[0], dims[1]
		rng := rand.New(rand.NewPCG(7, uint64(nx)))
		src, dst := make([]float32, nx*ny), make([]float32, nx*ny)
		for i := range src {
			src[i] = float32(rng.NormFloat64())
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
