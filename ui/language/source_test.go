package language_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"quell/ui/language"
)

// speakers are the packages below the workbench whose texts it shows, each with those of its texts
// that it does not show.
var speakers = map[string][]string{
	"denoise/noise": {"distant differences", "surface fits"}, // methods, for tests
	"denoise/tune":  {"the recipe is not resolved", "the result does not have the %v voxels that are judged"},
	"measure": { // mistakes of a caller
		"MAX is %g; it must be a positive number", "%d bins; at least 1 is needed",
		"a histogram from %g to %g is not possible; the ends must be finite and in rising order",
		"the reference has %d x %d x %d voxels and the other volume %d x %d x %d; only equal grids can be compared",
		"the mask has %d voxels and the volumes %d",
	},
}

// listeners are packages some of whose texts have a translation.
var listeners = []string{"app", "series"}

// said is a text in the code: the format that makes it, and the literals that are joined with
// values in it.
type said struct {
	format   string
	literals []string
}

// prose matches texts of two words and more.
var prose = regexp.MustCompile(`[a-z]{2,}\S* .*[a-z]{2,}`)

// texts returns what the code of a package says.
func texts(t *testing.T, dir string) (all []said) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatal(dir, names, err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		trimmed := func(text string) string {
			return strings.TrimSpace(strings.TrimPrefix(text, file.Name.Name+": "))
		}
		var visit func(n ast.Node) bool
		visit = func(n ast.Node) bool {
			if _, ok := n.(*ast.ImportSpec); ok {
				return false
			}
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			s, values := join(e)
			if len(s.literals) == 0 {
				return true
			}
			if s.format = trimmed(s.format); prose.MatchString(verbs.ReplaceAllString(s.format, "")) {
				for i, text := range s.literals {
					s.literals[i] = trimmed(text)
				}
				all = append(all, s)
			}
			for _, v := range values {
				ast.Inspect(v, visit)
			}
			return false
		}
		ast.Inspect(file, visit)
	}
	return all
}

// join returns the text of a literal, or of several that are joined with values.
func join(e ast.Expr) (s said, values []ast.Expr) {
	if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		text, _ := strconv.Unquote(lit.Value)
		return said{text, []string{text}}, nil
	}
	if sum, ok := e.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
		a, x := join(sum.X)
		b, y := join(sum.Y)
		if len(x) == 0 && len(y) == 0 {
			return said{a.format + b.format, []string{a.format + b.format}}, nil
		}
		return said{a.format + b.format, append(a.literals, b.literals...)}, append(x, y...)
	}
	return said{format: "%s"}, []ast.Expr{e}
}

// readTexts reads a file of translations.
func readTexts(t *testing.T, name string) (texts map[string]string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, &texts)
	}
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func TestEverySentenceHasATranslation(t *testing.T) {
	german := readTexts(t, filepath.Join("sentences", language.German+".json"))
	shown := readTexts(t, filepath.Join("translations", language.German+".json"))
	known := func(text string) bool {
		return german[text] != "" || shown[text] != "" || !prose.MatchString(verbs.ReplaceAllString(text, ""))
	}
	found := map[string]bool{" and ": true, " or ": true} // between the values of a list
	for _, dir := range append(slices.Clone(listeners), slices.Sorted(maps.Keys(speakers))...) {
		unseen, complete := speakers[dir]
		left := map[string]bool{}
		for _, text := range unseen {
			left[text] = true
		}
		for _, s := range texts(t, dir) {
			for _, text := range append(s.literals, s.format) {
				found[text] = true
			}
			if left[s.format] {
				delete(left, s.format)
			} else if complete && !known(s.format) && slices.ContainsFunc(s.literals, func(text string) bool { return !known(text) }) {
				t.Errorf("German has no %q of %s", s.format, dir)
			}
		}
		for text := range left {
			t.Errorf("%q of %s is left out, and %s does not say it", text, dir, dir)
		}
	}
	for text := range german {
		if !found[text] {
			t.Errorf("no package says %q, which German translates", text)
		}
	}
}
