package ui_test

import (
	"cmp"
	"flag"
	"os"
	"strings"
	"testing"

	"quell/internal/clean"
	"quell/ui/command"
)

var update = flag.Bool("update", false, "write docs/reference/keys.csv")

// The reference lists every command with its menu and keys, as the table of commands has them.
func TestCommandsAreDocumented(t *testing.T) {
	const path = "../docs/reference/keys.csv"
	file, err := os.ReadFile(path)
	if err != nil && !*update {
		t.Fatal(err)
	}
	want := commandTable(newBench(t, large).workbench.Commands())
	if string(file) == want {
		return
	}
	if !*update {
		t.Fatalf("%s does not have the commands of the program; go test ./ui -run Documented -update writes\n%s", path, want)
	}
	if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
}

// commandTable lists commands menu by menu, at the end those that have keys alone.
func commandTable(table []command.Command) string {
	var b strings.Builder
	rows := clean.NewCSV(&b)
	rows.Row("menu", "command", "keys")
	for _, menu := range append(command.Menus[:len(command.Menus):len(command.Menus)], "") {
		for _, c := range table {
			if cmp.Or(c.Menu, c.Section) == menu {
				rows.Row(menu, c.Title, c.Keys())
			}
		}
	}
	_ = rows.Flush() // of a string
	return b.String()
}
