package kernels

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The manifest contains the hashes of the sources from which the modules in the
// repository were built.
func TestModulesWereBuiltFromTheseSources(t *testing.T) {
	var m struct{ Sources, Modules map[string]string }
	if err := json.Unmarshal(manifest, &m); err != nil {
		t.Fatal(err)
	}
	check := func(want map[string]string, patterns ...string) {
		found := 0
		for _, p := range patterns {
			files, err := filepath.Glob(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				found++
				b, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				if sum := sha256.Sum256(b); want[f] != hex.EncodeToString(sum[:]) {
					t.Errorf("%s differs from the manifest; run make kernels", f)
				}
			}
		}
		if found != len(want) {
			t.Errorf("%d files and %d in the manifest; run make kernels", found, len(want))
		}
	}
	check(m.Sources, "*.cu", "*.cuh", "rungs/*.cu", "rungs/*.cuh", "kerneltest/*.cu")
	check(m.Modules, "*.fatbin", "rungs/*.fatbin", "kerneltest/*.fatbin")
	const ladders = 4
	if len(m.Modules) != len(Modules())+ladders+1 {
		t.Errorf("%d modules built, %d embedded here, %d of rungs and one in kerneltest", len(m.Modules), len(Modules()), ladders)
	}
}

// No main loop accesses local memory, in machine code of compute capability 8.0 and 9.0. The ones
// that do are known: general block sizes index arrays, bnlm computes in float64 there, sadct
// gathers few values, and selection in 2-D, which is no faster than without, has more to keep than
// registers: in its loops of weights for 9.0, only when it reads tiles for 8.0. bilateral_r3 keeps
// one number there while it reads a tile, and bnlm for blocks of any size up to three, of 120
// instructions, for its call in float64.
func TestSpillsAreKnown(t *testing.T) {
	var m struct{ Spills []string }
	if err := json.Unmarshal(manifest, &m); err != nil {
		t.Fatal(err)
	}
	known := map[string]int{ // accesses to local memory in a loop, at most
		"bilateral_r3": 1, "bnlm_2d": 2, "bnlm_3d": 2, "bnlm_blocks_4": 3, "bnlm_blocks_23": 3, "odct_any": 40, "sadct_gather": 2,
		"nlm_select_2d_f1": 14, "nlm_select_2d_f2": 45, "nlm_select_2d_f3": 50,
	}
	missing, codes := maps.Clone(known), map[string]bool{}
	for _, line := range m.Spills {
		var address string
		var instructions, powers, local int
		code, rest, _ := strings.Cut(line, ": ")
		kernel, rest, _ := strings.Cut(rest, " at ")
		codes[code] = true
		if _, err := fmt.Sscanf(rest, "%s %d instructions, %d powers of two, %d of local memory", &address, &instructions, &powers, &local); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		most, ok := known[kernel]
		selects := code == "sm_90" && strings.HasPrefix(kernel, "nlm_select_2d") || strings.HasPrefix(kernel, "bnlm_blocks_")
		if !ok || local > most || powers > 0 && !selects {
			t.Errorf("registers spill: %s", line)
		}
		delete(missing, kernel)
	}
	if !maps.Equal(codes, map[string]bool{"sm_80": true, "sm_90": true}) {
		t.Errorf("loops of %v are listed", codes)
	}
	if len(missing) > 0 {
		t.Errorf("no loop of %v accesses local memory any more; run make kernels or shorten the list", missing)
	}
}

// The modules have machine code for the devices of the last years and PTX for newer ones.
func TestTargets(t *testing.T) {
	var m struct{ Flags string }
	if err := json.Unmarshal(manifest, &m); err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "compute_75", "compute_90"} {
		if !strings.Contains(m.Flags+" ", "code="+code+" ") {
			t.Errorf("no code=%s in %s", code, m.Flags)
		}
	}
}
