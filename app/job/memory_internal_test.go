package job

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestMemTotal(t *testing.T) {
	for text, want := range map[string]int64{"MemFree: 5 kB\nMemTotal:       16314132 kB\n": 16314132 << 10, "MemTotal 3": 0, "": 0} {
		if got := memTotal(text); got != want {
			t.Errorf("%q: %d; want %d", text, got, want)
		}
	}
}

// What the process takes is what the system counts, and what the runtime holds elsewhere: both grow
// by the files that are written to.
func TestProcessMemory(t *testing.T) {
	for name, memory := range map[string]func() int64{"the process": ProcessMemory, "the runtime": runtimeMemory} {
		debug.FreeOSMemory()
		before := memory()
		with := func() int64 {
			block := make([]byte, 256<<20)
			for i := 0; i < len(block); i += 1024 {
				block[i] = 1
			}
			defer runtime.KeepAlive(block)
			return memory()
		}()
		debug.FreeOSMemory()
		if after := memory(); with-before < 200<<20 || with-after < 200<<20 {
			t.Errorf("%s: %d MB before, %d with 268 MB, %d after", name, before>>20, with>>20, after>>20)
		}
	}
}
