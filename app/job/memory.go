package job

import (
	"fmt"
	"math"
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
)

// AvailableMemory returns the bytes of memory and swap that this program can still get, by the
// system or by the limit of its container, whichever is less; 0 if they are not known.
func AvailableMemory() int64 {
	meminfo, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	group := func(name string) string {
		data, _ := os.ReadFile("/sys/fs/cgroup/" + name)
		return strings.TrimSpace(string(data))
	}
	return availableMemory(string(meminfo), group)
}

// availableMemory is AvailableMemory of the texts of the system: meminfo, and the files of the
// control group by name, "" for one that is missing.
func availableMemory(meminfo string, group func(name string) string) int64 {
	free := memLine(meminfo, "MemAvailable:")
	if free == 0 {
		return 0
	}
	free += memLine(meminfo, "SwapFree:")
	for _, version := range []struct{ limit, used, stat, cache string }{
		{"memory.max", "memory.current", "memory.stat", "inactive_file"},
		{"memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat", "total_inactive_file"},
	} {
		limit, err := strconv.ParseInt(group(version.limit), 10, 64) // "max" is no limit
		used, usedErr := strconv.ParseInt(group(version.used), 10, 64)
		if err != nil || usedErr != nil {
			continue
		}
		for line := range strings.Lines(group(version.stat)) {
			if f := strings.Fields(line); len(f) == 2 && f[0] == version.cache {
				n, _ := strconv.ParseInt(f[1], 10, 64)
				used -= n // is given back when it is needed
			}
		}
		free = min(free, max(limit-used, 1))
	}
	return free
}

// Bounds of the memory for open series, in bytes.
const (
	leastSeriesMemory = 1 << 30
	usualSeriesMemory = 4 << 30 // if the machine's memory is not known
)

// SeriesMemory returns how many bytes the series that are open in the workbench may take
// together, with their results: half of the memory of the machine or of the container.
func SeriesMemory() int64 {
	if n := machineMemory(); n > 0 {
		return max(n/2, leastSeriesMemory)
	}
	return usualSeriesMemory
}

// DefaultMemory is three quarters of the memory of the machine or of the container, in bytes;
// 8 GB if the system does not say.
func DefaultMemory() int64 {
	if n := machineMemory(); n > 0 {
		return n / 4 * 3
	}
	return 8e9
}

// ProcessMemory returns the bytes of main memory that this process takes, as the system counts
// them: its resident size. If the system does not say, it is what the Go runtime holds. It may be
// called from any goroutine.
func ProcessMemory() int64 {
	if data, err := os.ReadFile("/proc/self/statm"); err == nil {
		if f := strings.Fields(string(data)); len(f) > 1 {
			if pages, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				return pages * int64(os.Getpagesize())
			}
		}
	}
	return runtimeMemory()
}

// runtimeMemory returns the bytes that the Go runtime holds and has not given back.
func runtimeMemory() int64 {
	held := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(held)
	return int64(held[0].Value.Uint64()) - int64(held[1].Value.Uint64())
}

// machineMemory returns the bytes of memory of the machine or of the container, whichever is
// less; 0 if they are not known.
func machineMemory() (total int64) {
	least := func(n int64) {
		if n > 0 && (total == 0 || n < total) {
			total = n
		}
	}
	if data, err := os.ReadFile("/proc/meminfo"); err == nil {
		least(memTotal(string(data)))
	}
	for _, limit := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if data, err := os.ReadFile(limit); err == nil {
			n, _ := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64) // "max" is no limit
			least(n)
		}
	}
	return total
}

// memTotal reads the line "MemTotal:  16314132 kB"; 0 without one.
func memTotal(meminfo string) int64 { return memLine(meminfo, "MemTotal:") }

// memLine reads a line of /proc/meminfo, in bytes; 0 without one.
func memLine(meminfo, name string) int64 {
	for line := range strings.Lines(meminfo) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == name {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			return n << 10
		}
	}
	return 0
}

// ParseSize reads a number of bytes: "8GB", "512MB", "16GiB", "1e9". The error is an
// *UsageError.
func ParseSize(text string) (int64, error) {
	number, unit := text, 1.0
	for _, u := range []struct {
		suffix string
		bytes  float64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}} {
		if s, ok := strings.CutSuffix(text, u.suffix); ok {
			number, unit = s, u.bytes
			break
		}
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(x*unit >= 1) || x*unit > 1<<60 {
		return 0, Usagef("%q is no size; write 8GB, 512MB or 16GiB", text)
	}
	return int64(x * unit), nil
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
