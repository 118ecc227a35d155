package ui_test

import (
	"cmp"
	"flag"
	"os"
	"strings"
	"testing"

	"quell/ui/command"
)

var update = flag.Bool("update", false, "write the tables of commands into docs/reference/keys.md")

// The reference lists every command with its menu and keys, as the table of commands has them.
func TestCommandsAreDocumented(t *testing.T) {
	const path, mark = "../docs/reference/keys.md", "<!-- by go test ./ui -run Documented -update -->\n"
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(string(file), mark)
	if !found {
		t.Fatalf("%s has no line %q", path, mark)
	}
	want := before + mark + commandTables(newBench(t, large).workbench.Commands())
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

// commandTables describes commands, a table for each menu and one for the keys that are in none.
func commandTables(table []command.Command) string {
	var b strings.Builder
	for _, menu := range append(command.Menus[:len(command.Menus):len(command.Menus)], "") {
		b.WriteString("\n## " + cmp.Or(menu, "Slices and volumes") + "\n\n| command | keys |\n| --- | --- |\n")
		for _, c := range table {
			if cmp.Or(c.Menu, c.Section) == menu {
				b.WriteString("| " + c.Title + " | " + c.Keys() + " |\n")
			}
		}
	}
	return b.String()
}
