package job

import (
	"strings"
	"testing"
)

// What can still be had is the least of what the system and the control group leave.
func TestAvailableMemory(t *testing.T) {
	const meminfo = "MemTotal: 9000 kB\nMemAvailable: 1000 kB\nSwapFree: 24 kB\n"
	for i, c := range []struct {
		meminfo string
		group   map[string]string
		want    int64
	}{
		{meminfo, nil, 1024 << 10},
		{"MemTotal: 9000 kB\n", nil, 0},
		{meminfo, map[string]string{"memory.max": "max", "memory.current": "5"}, 1024 << 10},
		{meminfo, map[string]string{"memory.max": "5000"}, 1024 << 10},
		{meminfo, map[string]string{"memory.max": "5000", "memory.current": "3000"}, 2000},
		{meminfo, map[string]string{"memory.max": "5000", "memory.current": "3000", "memory.stat": "active_file 7\ninactive_file 400\n"}, 2400},
		{meminfo, map[string]string{"memory.max": "5000", "memory.current": "6000"}, 1},
		{meminfo, map[string]string{"memory.max": "9000000", "memory.current": "6000"}, 1024 << 10},
		{meminfo, map[string]string{"memory/memory.limit_in_bytes": "800", "memory/memory.usage_in_bytes": "600", "memory/memory.stat": "total_inactive_file 50\ninactive_file 90"}, 250},
	} {
		if got := availableMemory(c.meminfo, func(name string) string { return strings.TrimSpace(c.group[name]) }); got != c.want {
			t.Errorf("%d: %d; want %d", i, got, c.want)
		}
	}
	if n := AvailableMemory(); n != 0 && n < 1<<20 {
		t.Errorf("this machine has %d bytes", n)
	}
}
