package pairwise

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"quell/denoise/tile"
)

// rowLengths are at the ends of groups of lanes.
var rowLengths = []int{0, lanes, 2 * lanes, 4 * lanes, 31 * lanes}

// guardRow returns n random values between two bands of NaN, which a kernel must
// neither read nor write, and a check of the bands.
func guardRow(rng *rand.Rand, n int) (row []float32, check func(t *testing.T, name string)) {
	const guard = 2 * lanes
	memory := make([]float32, n+2*guard)
	tile.Fill(memory, float32(math.NaN()))
	row = memory[guard : guard+n]
	for i := range row {
		row[i] = 300*rng.Float32() - 50
	}
	return row, func(t *testing.T, name string) {
		t.Helper()
		for i := range guard {
			if memory[i] == memory[i] || memory[guard+n+i] == memory[guard+n+i] {
				t.Errorf("%s, %d values: the band beside the row was written", name, n)
			}
		}
		for i, v := range row {
			if v != v {
				t.Errorf("%s, %d values: value %d is NaN: the band beside a row was read", name, n, i)
			}
		}
	}
}

// Every vector kernel gives the bits of its Go loop. Without vector code the
// dispatchers are the loops, and only the bands are tested.
func TestRowKernels(t *testing.T) {
	leasts := []float32{0, 1, 5, 200, -7, 0.5, 80, 3}
	set := make([]byte, 31) // bits
	for i := range set {
		set[i] = byte(i*i*37 + 3)
	}
	kernels := map[string]struct {
		outs       int // number of rows that are written
		loop, fast func(r [][]float32, n int)
	}{
		"squareDiff": {1,
			func(r [][]float32, n int) { squareDiffGo(r[0], r[1], r[2], n) },
			func(r [][]float32, n int) { squareDiff(r[0], r[1], r[2], n) }},
		"addPair": {1,
			func(r [][]float32, n int) { addPairGo(r[0], r[1], r[2], r[3], 0.6065, n) },
			func(r [][]float32, n int) { addPair(r[0], r[1], r[2], r[3], 0.6065, n) }},
		"addPair in place": {1,
			func(r [][]float32, n int) { addPairGo(r[0], r[0], r[2], r[3], 0.6065, n) },
			func(r [][]float32, n int) { addPair(r[0], r[0], r[2], r[3], 0.6065, n) }},
		"weigh": {1,
			func(r [][]float32, n int) { weighGo(r[0], r[1], 0.37, 1.5, n) },
			func(r [][]float32, n int) { weigh(r[0], r[1], 0.37, 1.5, n) }},
		"weigh far": {1,
			func(r [][]float32, n int) { weighGo(r[0], r[1], 1e30, -3, n) },
			func(r [][]float32, n int) { weigh(r[0], r[1], 1e30, -3, n) }},
		"weighSum": {3,
			func(r [][]float32, n int) {
				if n > 0 {
					weighSumGo(r[0], r[1], r[2], r[3], r[4], r[5], leasts, 0.37, set, n)
				}
			},
			func(r [][]float32, n int) {
				if n > 0 {
					weighSum(r[0], r[1], r[2], r[3], r[4], r[5], leasts, 0.37, set, n)
				}
			}},
		"addPairs": {4,
			func(r [][]float32, n int) { addPairsGo(r[0], r[1], r[2], r[3], r[4], r[5], 0.0037, -1.5, max(n-3, 0)) },
			func(r [][]float32, n int) { addPairs(r[0], r[1], r[2], r[3], r[4], r[5], 0.0037, -1.5, max(n-3, 0)) }},
		"addPairs, whole lanes": {4,
			func(r [][]float32, n int) { addPairsGo(r[0], r[1], r[2], r[3], r[4], r[5], 0.0037, -1.5, n) },
			func(r [][]float32, n int) { addPairs(r[0], r[1], r[2], r[3], r[4], r[5], 0.0037, -1.5, n) }},
		"accumulateBoth": {4,
			func(r [][]float32, n int) { accumulateBothGo(r[0], r[1], r[2], r[3], r[4], r[5], r[6], n) },
			func(r [][]float32, n int) { accumulateBoth(r[0], r[1], r[2], r[3], r[4], r[5], r[6], n) }},
		"accumulate": {2,
			func(r [][]float32, n int) { accumulateGo(r[0], r[1], r[2], r[3], r[4], n) },
			func(r [][]float32, n int) { accumulate(r[0], r[1], r[2], r[3], r[4], n) }},
		"maximum": {1,
			func(r [][]float32, n int) { maximumGo(r[0], r[1], n) },
			func(r [][]float32, n int) { maximum(r[0], r[1], n) }},
		"alike and keep": {6,
			func(r [][]float32, n int) {
				bits := make([]byte, n/lanes)
				set := alikeGo(bits, r[1], r[2], r[3], r[4], 0.5, 0.3, n)
				keepGo(r[0], bits, n)
				tile.Fill(r[5][:min(n, 1)], float32(set))
			},
			func(r [][]float32, n int) {
				bits := make([]byte, n/lanes)
				set := alike(bits, r[1], r[2], r[3], r[4], 0.5, 0.3, n)
				keep(r[0], bits, n)
				tile.Fill(r[5][:min(n, 1)], float32(set))
			}},
		"gradient": {1,
			func(r [][]float32, n int) { gradientGo(r[0], r[1], r[2], r[3], 0.7, n) },
			func(r [][]float32, n int) { gradient(r[0], r[1], r[2], r[3], 0.7, n) }},
		"nearest": {2,
			func(r [][]float32, n int) { nearestGo(r[0], r[1], r[2], r[3], n) },
			func(r [][]float32, n int) { nearest(r[0], r[1], r[2], r[3], n) }},
		"accumulateStein": {4,
			func(r [][]float32, n int) { accumulateSteinGo(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], n) },
			func(r [][]float32, n int) { accumulateStein(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], n) }},
	}
	for name, k := range kernels {
		for _, n := range rowLengths {
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			var fast, loop [][]float32
			var checks []func(*testing.T, string)
			for range 9 {
				row, check := guardRow(rng, n)
				fast, loop, checks = append(fast, row), append(loop, slices.Clone(row)), append(checks, check)
			}
			k.fast(fast, n)
			k.loop(loop, n)
			for _, check := range checks {
				check(t, name)
			}
			for i := range fast {
				for x := range n {
					if math.Float32bits(fast[i][x]) != math.Float32bits(loop[i][x]) {
						t.Fatalf("%s, %d values: row %d differs at %d: %v; the Go loop gives %v", name, n, i, x, fast[i][x], loop[i][x])
					}
				}
			}
		}
	}
}

// The weights are 2^-t within 2e-7, from 1 exactly to 2^-MaxExponent.
func TestWeighIsAccurate(t *testing.T) {
	const n = 1 << 16
	d, w := make([]float32, n), make([]float32, n)
	for i := range d {
		d[i] = MaxExponent * float32(i) / n
	}
	weigh(w, d, 1, 0, n)
	worst := 0.0
	for i := range w {
		exact := math.Exp2(-float64(d[i]))
		worst = max(worst, math.Abs(float64(w[i])/exact-1))
	}
	if !(worst <= 2e-7) {
		t.Errorf("relative error %.3g; 2e-7 is allowed", worst)
	}
	if w[0] != 1 {
		t.Errorf("2^0 is %v", w[0])
	}
	inf := float32(math.Inf(1))
	edge := []float32{MaxExponent, MaxExponent + 1, 1e30, inf, -1, -inf, 0, 0.5}
	weigh(w, edge, 1, 0, lanes)
	least := float32(math.Ldexp(1, -MaxExponent))
	if want := []float32{least, least, least, least, 1, 1, 1, w[7]}; !slices.Equal(w[:lanes], want) {
		t.Errorf("at the ends weights are %v; want %v", w[:lanes], want)
	}
}
