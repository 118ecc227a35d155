package app

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
