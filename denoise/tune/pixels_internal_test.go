package tune

import (
	"math/rand/v2"
	"testing"
)

// Rows of bits are the pixels that a look at each pixel finds.
func TestPixels(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		var p pixels
		has := map[[2]int]bool{}
		for range 1 + rng.IntN(400) {
			x, y := rng.IntN(33)-16, rng.IntN(33)-16
			p.set(x, y)
			has[[2]int{x, y}] = true
		}
		x, y := rng.IntN(33)-16, rng.IntN(33)-16
		p.unset(x, y)
		delete(has, [2]int{x, y})

		samePixels(t, "all", p, func(x, y int) bool { return has[[2]int{x, y}] })
		samePixels(t, "inner", p.inner(), func(x, y int) bool {
			return has[[2]int{x, y}] && has[[2]int{x - 1, y}] && has[[2]int{x + 1, y}] && has[[2]int{x, y - 1}] && has[[2]int{x, y + 1}]
		})
		for distance := range ringTo + 1 {
			near := func(x, y int) bool {
				for q := range has {
					if dx, dy := q[0]-x, q[1]-y; dx*dx+dy*dy <= distance*distance {
						return true
					}
				}
				return false
			}
			samePixels(t, "near", p.near(distance), near)
			if distance == ringTo {
				ring := p.near(distance)
				ring.remove(p.near(ringFrom))
				nx, ny := 8+rng.IntN(40), 8+rng.IntN(40)
				x0, y0 := rng.IntN(nx), rng.IntN(ny)
				ring.clip(x0, y0, nx, ny)
				inner := p.near(ringFrom)
				within := map[[2]int]bool{}
				for x, y := range inner.each {
					within[[2]int{x, y}] = true
				}
				samePixels(t, "ring", ring, func(x, y int) bool {
					return near(x, y) && !within[[2]int{x, y}] && x0+x >= 0 && x0+x < nx && y0+y >= 0 && y0+y < ny
				})
			}
		}
	}
}

// samePixels compares pixels with what in says of each.
func samePixels(t *testing.T, what string, p pixels, in func(x, y int) bool) {
	t.Helper()
	got := map[[2]int]bool{}
	for x, y := range p.each {
		got[[2]int{x, y}] = true
	}
	for y := -22; y <= 22; y++ {
		for x := -22; x <= 22; x++ {
			if got[[2]int{x, y}] != in(x, y) {
				t.Fatalf("%s: %d, %d: %v", what, x, y, got[[2]int{x, y}])
			}
			delete(got, [2]int{x, y})
		}
	}
	if len(got) > 0 {
		t.Fatalf("%s: %v are far away", what, got)
	}
}
