package bench

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/rows.txt")

// The rows of every experiment are those recorded in testdata/rows.txt, which is read
// together with the papers when it changes. Of an experiment that runs only by name,
// with thousands of rows, the first and the last are recorded.
func TestRowsAreRecorded(t *testing.T) {
	const file = "testdata/rows.txt"
	got := recorded(Experiments())
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a, b := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			t.Fatalf("line %d of %s is not what the experiments say; go test ./bench -run Recorded -update writes it. It says\n%q, recorded is\n%q",
				i+1, file, at(a, i), at(b, i))
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "nothing"
}

// recorded writes rows one a line, after a line with what they share with those before.
func recorded(experiments []Experiment) string {
	var s strings.Builder
	for _, e := range experiments {
		fmt.Fprintf(&s, "# %s: %d rows; columns %v\n", e.Name, len(e.Rows), e.Figures)
		for _, c := range e.Charts {
			fmt.Fprintf(&s, "chart %+v\n", c)
		}
		rows := e.Rows
		if e.ByName {
			rows = []Row{rows[0], rows[len(rows)-1]}
		}
		shared := ""
		for _, r := range rows {
			head := fmt.Sprintf("input %+v, %s %d-D", r.Input, r.Filter, r.Dims)
			if head != shared {
				shared = head
				fmt.Fprintln(&s, head)
			}
			fmt.Fprintln(&s, " ", rowLine(r))
		}
	}
	return s.String()
}

func rowLine(r Row) string {
	parts := []string{r.Engine + " " + r.Name()}
	add := func(name string, value any, given bool) {
		if given {
			parts = append(parts, fmt.Sprintf("%s %v", name, value))
		}
	}
	add("kernel", fmt.Sprint(r.Rung.Name, " ", r.Rung.Block), r.Rung.Name != "")
	add("threads", r.Threads, r.Threads > 0)
	if len(r.Settings) > 2 {
		add("settings", fmt.Sprintf("%d from %s to %s", len(r.Settings), r.Settings[0], r.Settings[len(r.Settings)-1]), true)
	} else {
		add("settings", strings.Join(r.Settings, ", "), true)
	}
	add("at", fmt.Sprint(r.X, " ", r.Y), r.X != 0 || r.Y != 0)
	for _, key := range slices.Sorted(maps.Keys(r.Paper)) {
		add("paper's "+key, fmt.Sprintf("%.4g", r.Paper[key]), true)
	}
	add("voxels", r.PaperVoxels, r.PaperVoxels > 0)
	add("base", r.Base, r.Base != "")
	add("automatic", r.Automatic, r.Automatic != "")
	add("whole", r.Whole, r.Whole)
	add("step", r.Step, r.Step != "")
	add("after every pass", true, r.EveryPass)
	add("pictures", r.Pictures, r.Pictures)
	add("profile", r.Profile, r.Profile)
	add("own measurement", true, r.measure != nil)
	return strings.Join(parts, "; ")
}
