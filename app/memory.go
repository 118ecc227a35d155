package app

import (
	"fmt"
	"math"
)

// Bounds of the memory for open series, in bytes.
const (
	leastSeriesMemory = 1 << 30
	usualSeriesMemory = 4 << 30 // where the machine's memory is not known
)

// SeriesMemory returns how many bytes the series that are open in the workbench may take
// together, with their results: half of the machine's memory.
func SeriesMemory() int64 {
	if n := machineMemory(); n > 0 {
		return max(n/2, leastSeriesMemory)
	}
	return usualSeriesMemory
}

// Bytes writes a number of bytes: "0.6 GB", "27 MB", "4 kB".
func Bytes(n int64) string {
	switch {
	case n < 1e6:
		return fmt.Sprintf("%.0f kB", math.Ceil(float64(n)/1e3))
	case n < 1e9:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
