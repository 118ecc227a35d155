package median

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

const testPitch = 3 * lanes

// laid returns the memory of a program with n values in every row of random numbers,
// many of them equal, of both signs of 0 and infinite.
func laid(rng *rand.Rand, p *program, rows, n int) []float32 {
	memory := make([]float32, p.size)
	for i := range memory {
		memory[i] = float32(math.NaN())
	}
	special := []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.Inf(-1))}
	for k := range rows {
		for x := range n {
			memory[k*testPitch+x] = float32(rng.IntN(1+rows)) - 3
			if s := rng.IntN(20); s < len(special) {
				memory[k*testPitch+x] = special[s]
			}
		}
	}
	return memory
}

// Networks of any size give the middle value of every neighbourhood and, if it is asked
// for, the next larger one; they leave their inputs as they are.
func TestNetworks(t *testing.T) {
	const n = 2 * lanes
	for _, c := range [][2]int{{1, 1}, {2, 1}, {1, 2}, {1, 3}, {2, 3}, {3, 3}, {5, 5}, {4, 5}, {7, 7}, {9, 3}, {6, 3}, {1, 19}, {2, 6}, {25, 5}, {3, 15}, {40, 1}} {
		column, width := c[0], c[1]
		for _, upper := range []bool{false, true} {
			if upper && column*width == 1 {
				continue // there is no larger one
			}
			p := newNetwork(column, width, upper).compile(testPitch)
			if p.upper != upper || len(p.results) != map[bool]int{false: 1, true: 2}[upper] {
				t.Errorf("%v: %d results, upper %v", c, len(p.results), p.upper)
			}
			memory := laid(rand.New(rand.NewPCG(7, uint64(column))), p, column, n)
			inputs := slices.Clone(memory[:column*testPitch])
			run(p.operations, memory, n)
			for i, v := range inputs {
				if math.Float32bits(v) != math.Float32bits(memory[i]) {
					t.Fatalf("%v: input %d has changed", c, i)
				}
			}
			for x := range n - width + 1 {
				var all []float32
				for k := range column {
					all = append(all, inputs[k*testPitch+x:][:width]...)
				}
				slices.Sort(all)
				for r, at := range p.results {
					if got, want := memory[at+x], all[(len(all)-1)/2+r]; got != want {
						t.Fatalf("%v, upper %v: rank %d at %d is %v; want %v", c, upper, r, x, got, want)
					}
				}
			}
		}
	}
}

// The network of 3 x 3 voxels finds the middle of all 512 patterns of zeros and ones, and
// so of all values (Knuth, TAOCP 3, 5.3.4, theorem Z).
func TestNetworkOfZerosAndOnes(t *testing.T) {
	p := newNetwork(3, 3, false).compile(512 + 2*lanes)
	for from := 0; from < 512; from += 128 {
		memory := make([]float32, p.size)
		for i := range 128 { // at 4 i, beyond the reach of its neighbours
			for k := range 9 {
				memory[k%3*(512+2*lanes)+4*i+k/3] = float32((from + i) >> k & 1)
			}
		}
		run(p.operations, memory, 512)
		for i := range 128 {
			ones := 0
			for k := range 9 {
				ones += (from + i) >> k & 1
			}
			if got, want := memory[p.results[0]+4*i], map[bool]float32{true: 1}[ones >= 5]; got != want {
				t.Errorf("pattern %09b: %v; want %v", from+i, got, want)
			}
		}
	}
}

// The number of operations does not grow unnoticed: what neighbourhoods share is computed
// once, what no result needs is left out, and pairs of operations become one.
func TestNetworksAreSmall(t *testing.T) {
	for c, want := range map[[2]int]int{{3, 3}: 13, {5, 5}: 51, {9, 3}: 64, {25, 5}: 435} {
		p := newNetwork(c[0], c[1], false).compile(testPitch)
		if len(p.operations) != want {
			t.Errorf("%v: %d operations; want %d", c, len(p.operations), want)
		}
		if rows := p.size / testPitch; rows > c[0]*c[1]*3/2+4 {
			t.Errorf("%v: %d rows", c, rows)
		}
	}
}

// The estimate of the memory holds for the largest programs.
func TestScratch(t *testing.T) {
	for _, r := range [][3]int{{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {9, 9, 0}, {1, 1, 1}, {3, 3, 3}, {0, 9, 9}, {0, 16, 5}, {16, 0, 0}} {
		column, width := (2*r[1]+1)*(2*r[2]+1), 2*r[0]+1
		p := newNetwork(column, width, column*width > 1).compile(roundUp(tileSize[0] + 2*r[0]))
		if got := scratch(float64(column*width), r); got < int64(4*p.size) || got > int64(20*p.size)+50000 {
			t.Errorf("radius %v: %d bytes are estimated; a program needs %d", r, got, 4*p.size)
		}
	}
}

// The estimate of the time rises with the neighbourhood, and if networks end.
func TestNanoseconds(t *testing.T) {
	last := 0.0
	for _, n := range []float64{1, 9, 27, 125, 343, 400, 401, 729} {
		ns := nanoseconds(n)
		if ns < last || ns < nsVoxel {
			t.Errorf("%g voxels take %g ns, fewer take %g", n, ns, last)
		}
		if plain := nsVoxel + nsSelect*n; (ns == plain) != (n == 401 || n == 729 || !useVector) {
			t.Errorf("%g voxels take %g ns; by selection %g", n, ns, plain)
		}
		last = ns
	}
}

// pads are the columns next to a row of one voxel.
func TestPad(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		left, right int
		first       bool
		want        []float32
	}{
		{0, 0, true, []float32{5, 5, 5}}, {1, 0, true, []float32{-inf, 5, 5}}, {0, 2, true, []float32{5, -inf, inf}},
		{2, 1, false, []float32{-inf, inf, inf}}, {3, 0, false, []float32{inf, -inf, inf}},
	} {
		row := []float32{5, 5, 5}
		if pad(row, c.left, c.right, c.first); !slices.Equal(row, c.want) {
			t.Errorf("%+v: %v", c, fmt.Sprint(row))
		}
	}
}
