package job

import (
	"slices"
	"strings"
)

// CheckEngine returns the error of a name that is none of an engine's; nil for the others.
func CheckEngine(name string) error {
	names := []string{"auto", "cuda", "cpu"}
	if name == "" || slices.Contains(names, name) {
		return nil
	}
	return Usagef("no engine is called %q; there are %s", name, strings.Join(names, ", "))
}

// EnginePolicy says which engine filters.
type EnginePolicy struct {
	// Name is "cpu", "cuda", or "auto" or "": the first that can be used, and the
	// CPU after a failure of the GPU.
	Name    string `json:"name,omitempty"`
	Threads int    `json:"threads,omitempty"` // of the CPU engine, at most; 0: one per processor
}
