//go:build !amd64

package median

// useVector: processors without a vector form of run use the Go loops.
const useVector = false

func run(operations []operation, memory []float32, n int) { runGo(operations, memory, n) }
