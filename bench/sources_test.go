package bench

import (
	"os"
	"strings"
	"testing"
)

// The published page is of a run of the present measurements. If this fails, write it again on a machine with a GPU:
// quell bench --quick --engine auto --volume T1 --write docs/benchmarks.
func TestThePublishedPageIsOfTheseSources(t *testing.T) {
	page, err := os.ReadFile("../docs/benchmarks/papers.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "**Sources**: `"+Sources()+"`") {
		t.Errorf("docs/benchmarks/papers.md is older than the experiments, the phantoms or the kernels, which are %s now", Sources())
	}
}
