package batch

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"quell/app"
)

// A series needs so many times its float32 volume while it is in work: the input, the result,
// what the filter keeps in between, and what is read back to compare. Of a 4-D series the next
// volume is read meanwhile.
const (
	volumesInWork = 5
	groupInWork   = 8
)

// needs estimates the bytes of memory that a series takes from reading to writing, given the
// bytes of its files.
func needs(e app.Entry, files int64) int64 {
	if e.Group != nil {
		return groupInWork*4*int64(e.Geometry.Voxels()) + files/int64(e.Group.Len())
	}
	return volumesInWork*4*int64(e.Geometry.Voxels()) + files
}

// DefaultMemory is three quarters of the memory of the machine or of the container, in bytes;
// 8 GB where the system does not say.
func DefaultMemory() int64 {
	total := int64(0)
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
	if total == 0 {
		return 8e9
	}
	return total / 4 * 3
}

// memTotal reads the line "MemTotal:  16314132 kB"; 0 without one.
func memTotal(meminfo string) int64 {
	for line := range strings.Lines(meminfo) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "MemTotal:" {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			return n << 10
		}
	}
	return 0
}

// ParseSize reads a number of bytes: "8GB", "512MB", "16GiB", "1e9". The error is an
// *app.UsageError.
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
		return 0, app.Usagef("%q is no size; write 8GB, 512MB or 16GiB", text)
	}
	return int64(x * unit), nil
}

// sizeText words a number of bytes.
func sizeText(n int64) string {
	if n >= 1e9 {
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	}
	return fmt.Sprintf("%.0f MB", max(float64(n)/1e6, 1))
}
