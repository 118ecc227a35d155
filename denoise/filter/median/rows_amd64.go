package median

import "golang.org/x/sys/cpu"

// useVector selects the AVX2 form of run; tests turn it off to compare.
var useVector = cpu.X86.HasAVX2

// runAVX2 is the assembly form of runGo, rows_amd64.s; count and n are positive.
//
//go:noescape
func runAVX2(operations *operation, count int, memory *float32, n int)

// run runs the operations of a program on its memory: on the first n values of rows, n a
// multiple of lanes. The positions of operations are the positions of compile, which
// keeps them within the program's size.
func run(operations []operation, memory []float32, n int) {
	if !useVector || n == 0 || len(operations) == 0 {
		runGo(operations, memory, n)
		return
	}
	runAVX2(&operations[0], len(operations), &memory[0], n)
}
