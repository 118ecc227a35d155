package ui_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// german returns the German translations.
func german(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("language", "translations", "de.json"))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	if err := json.Unmarshal(data, &texts); err != nil {
		t.Fatal(err)
	}
	return texts
}

// shown returns the English texts that the code of ui translates: literals, and those of the
// tables.
func shown(t *testing.T) []string {
	t.Helper()
	tables := newBench(t, large).workbench.Texts()
	keys := map[string]bool{}
	used := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !translates(call) {
				return true
			}
			if text, ok := literal(call.Args[0]); ok {
				keys[text] = true
				return true
			}
			var source bytes.Buffer
			if err := printer.Fprint(&source, files, call.Args[0]); err != nil {
				t.Error(err)
			}
			texts, known := tables[source.String()]
			if !known {
				t.Errorf("%s: %s is translated, and no table says what it can be; see Workbench.Texts", files.Position(call.Pos()), &source)
			}
			used[source.String()] = true
			for _, text := range texts {
				keys[text] = true
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for expression := range tables {
		if !used[expression] {
			t.Errorf("no code translates the table %s", expression)
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// translates says whether a call is lang.L.
func translates(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "L" {
		return false
	}
	of, ok := f.X.(*ast.Ident)
	return ok && of.Name == "lang"
}

// literal returns the value of a string in the code, or of several that are joined.
func literal(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		a, ok := literal(e.X)
		b, also := literal(e.Y)
		return a + b, ok && also && e.Op == token.ADD
	}
	return "", false
}

func TestEveryTextHasATranslation(t *testing.T) {
	translated, keys := german(t), shown(t)
	for _, text := range keys {
		if translated[text] == "" {
			t.Errorf("German has no %q", text)
		}
	}
	for text := range translated {
		if !slices.Contains(keys, text) {
			t.Errorf("the code does not show %q, which German translates", text)
		}
	}
}

// verbs are those of fmt.Sprintf.
var verbs = regexp.MustCompile(`%[-+#0]*[\d.*]*[a-zA-Z%]`)

func TestTranslationsTakeTheSameValues(t *testing.T) {
	for text, german := range german(t) {
		if want, got := verbs.FindAllString(text, -1), verbs.FindAllString(german, -1); !slices.Equal(got, want) {
			t.Errorf("%q has %q; its translation %q has %q", text, want, german, got)
		}
		if ends(text) != ends(german) {
			t.Errorf("the spaces at the ends of %q and of its translation %q differ", text, german)
		}
	}
}

// ends returns the spaces at the ends of a text, which may be a part of a sentence.
func ends(text string) [2]string {
	before, after, _ := strings.Cut(text, strings.TrimSpace(text))
	return [2]string{before, after}
}

// Tests of packages that translate run in English, whatever the language of the machine.
func TestTestsAreInEnglish(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		translates, english := false, false
		files, _ := filepath.Glob(filepath.Join(entry.Name(), "*.go"))
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			english = english || bytes.Contains(source, []byte(`"quell/internal/locale"`))
			translates = translates || !strings.HasSuffix(file, "_test.go") && bytes.Contains(source, []byte("lang.L("))
		}
		if translates && !english {
			t.Errorf("no file of %s imports quell/internal/locale, which makes tests run in English", entry.Name())
		}
	}
}
