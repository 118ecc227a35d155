package kernels

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
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
	const ladders = 3
	if len(m.Modules) != len(Modules())+ladders+1 {
		t.Errorf("%d modules built, %d embedded here, %d of rungs and one in kerneltest", len(m.Modules), len(Modules()), ladders)
	}
}
