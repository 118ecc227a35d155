package app_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// writers are the files outside of io and internal that write, each with what passes the gate
// before, or why it is none of its business.
var writers = map[string]string{
	"app/files/write.go":               "Write: the gate",
	"app/output/pictures.go":           "writePictures: the gate",
	"app/files/log.go":                 "LogTo: the gate",
	"app/output/series.go":             "Sinks: executor.GateOf; save: Check",
	"app/output/maps.go":               "in a stage",
	"app/output/measured.go":           "in a stage",
	"app/executor/together.go":         "a temporary file of its own",
	"app/output/staged.go":             "executor.GateOf: the gate",
	"app/output/record.go":             "in a stage",
	"app/workbench/autosave.go":        "the program's own folder",
	"app/workbench/settings.go":        "the program's own folder",
	"app/open/pseudonyms.go":           "the program's own folder: the key of the pseudonyms, which is never replaced",
	"app/engines/shapes.go":            "the program's own folder",
	"app/pacs/places.go":               "the program's own folder",
	"app/pacs/pacstest/":               "files for tests",
	"app/pacs/spool.go":                "in a temporary folder of its own",
	"app/pacs/fetch.go":                "in a folder that the caller made for it",
	"bench/checkpoint.go":              "the program's own folder",
	"cmd/commands/laboratory/bench.go": "makes the folder of the charts: the gate of the command line",
	"cmd/commands/cohorts/bids.go":     "makes the folder derivatives of a dataset: the gate of the command line",
	"cmd/command/man.go":               "manual pages, when a package is built",
	"cmd/command/pipes.go":             "in a temporary folder of its own",
	"cmd/command/archives.go":          "in that folder",
	"cmd/commands/network/pacs.go":     "in a stage: the gate of the command line",
	"app/hosts/":                       "in the folder that a host names: prepare",
	"app/serve/":                       "the folder of a node, which is its own",
	"app/batch/":                       "in the folder of a batch: checkPlace",
	"app/journal/":                     "in the folders of batch and serve",
	"gpu/":                             "shared memory",
	"tools/":                           "programs of the makers",
	"app/apptest/":                     "files for tests",
}

// writing are the functions that write, by package and name.
var writing = map[string][]string{
	"os":     {"WriteFile", "Create", "OpenFile", "Mkdir", "MkdirAll", "Rename", "Link", "Symlink", "CopyFS", "CreateTemp"},
	"atomic": {"WriteFile", "CreateFile", "Begin"},
}

// TestWhatWritesIsKnown: a new place that writes has to say what passes the gate before.
func TestWhatWritesIsKnown(t *testing.T) {
	met := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(filepath.ToSlash(path), "../")
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "io" || name == "internal" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".."):
			return fs.SkipDir
		case d.IsDir(), !strings.HasSuffix(name, ".go"), strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, _ := n.(*ast.CallExpr)
			if call == nil {
				return true
			}
			fun, _ := call.Fun.(*ast.SelectorExpr)
			if fun == nil {
				return true
			}
			pkg, _ := fun.X.(*ast.Ident)
			if pkg == nil {
				return true
			}
			for _, function := range writing[pkg.Name] {
				if function != fun.Sel.Name {
					continue
				}
				known := ""
				for place := range writers {
					if place == name || strings.HasSuffix(place, "/") && strings.HasPrefix(name, place) {
						known = place
					}
				}
				met[known] = true
				if known == "" {
					t.Errorf("%s calls %s.%s: let what a person names pass the gate, see files.Write", name, pkg.Name, function)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for place := range writers {
		if !met[place] {
			t.Errorf("%s does not write", place)
		}
	}
}
