package median

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The vector code gives the bits of the Go loops for every operation, signs of zeros
// included, and touches no value beyond the ends of its rows.
func TestSameBitsWithoutVectorCode(t *testing.T) {
	if !useVector {
		t.Skip("this processor runs the Go loops only")
	}
	for _, c := range [][2]int{{3, 3}, {5, 5}, {4, 5}, {9, 3}} {
		for _, n := range []int{0, lanes, 2 * lanes} {
			p := newNetwork(c[0], c[1], true).compile(testPitch)
			plain := laid(rand.New(rand.NewPCG(3, 9)), p, c[0], testPitch)
			vector := slices.Clone(plain)
			runGo(p.operations, plain, n)
			run(p.operations, vector, n)
			for i := range plain {
				if math.Float32bits(plain[i]) != math.Float32bits(vector[i]) {
					t.Fatalf("%v, %d values: %v at %d of row %d; the Go loops give %v", c, n, vector[i], i%testPitch, i/testPitch, plain[i])
				}
			}
		}
	}
	// Without vector code run is the Go loops.
	p := newNetwork(3, 3, true).compile(testPitch)
	plain := laid(rand.New(rand.NewPCG(3, 9)), p, 3, testPitch)
	loops := slices.Clone(plain)
	runGo(p.operations, plain, lanes)
	useVector = false
	run(p.operations, loops, lanes)
	useVector = true
	if !slices.EqualFunc(plain, loops, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
		t.Error("without vector code the operations are not run")
	}
	// Single operations, one for each code.
	for code := lower; code <= upperLower; code++ {
		memory := laid(rand.New(rand.NewPCG(5, 1)), &program{size: 5 * testPitch}, 5, testPitch)
		o := []operation{{code: code, dst: 4 * testPitch, a: 3, b: testPitch + 5, c: 2*testPitch + 1}}
		plain := slices.Clone(memory)
		runGo(o, plain, 2*lanes)
		run(o, memory, 2*lanes)
		for i := range plain {
			if math.Float32bits(plain[i]) != math.Float32bits(memory[i]) {
				t.Fatalf("operation %d: %v at %d; the Go loops give %v", code, memory[i], i, plain[i])
			}
		}
	}
}
