package language_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"quell/internal/message"
	"quell/ui/language"
)

// makers are the functions that make messages, with the places of the kind, -1 for none, and of the format
// among their arguments.
var makers = map[string][2]int{
	"message.New": {0, 1}, "message.Errorf": {0, 1}, "message.Text": {-1, 0}, "FileError": {0, 4}, "part10.FileError": {0, 4},
	"problem": {0, 2}, "Usagef": {-1, 0},
}

// made is a message that the code of a package makes: the name of its kind, "" for none, and its format.
type made struct{ at, kind, format string }

// calls returns the calls with a literal format in a package, by the name of the function.
func calls(t *testing.T, dir string, visit func(at, function string, args []ast.Expr)) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatal(dir, names, err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				visit(files.Position(call.Pos()).String(), nameOf(call.Fun), call.Args)
			}
			return true
		})
	}
}

// nameOf returns the name of a function or a constant, with that of its package.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return nameOf(e.X) + "." + e.Sel.Name
	}
	return ""
}

// messagesOf returns the messages of a package.
func messagesOf(t *testing.T, dir string) (all []made) {
	calls(t, dir, func(at, function string, args []ast.Expr) {
		place, ok := makers[function]
		if !ok || len(args) <= place[1] {
			return
		}
		format, values := join(args[place[1]])
		if len(values) > 0 {
			return
		}
		m := made{at: at, format: format.format}
		if place[0] >= 0 {
			m.kind = strings.TrimPrefix(nameOf(args[place[0]]), "message.")
		}
		all = append(all, m)
	})
	return all
}

// kindsByName returns the kinds of the table, by the names of their constants.
func kindsByName(t *testing.T) map[string]message.Kind {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "internal", "message", "kinds.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]message.Kind{}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			text, _ := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			kinds[v.Names[0].Name] = message.Kind(text)
		}
		return true
	})
	return kinds
}

// valuesFor returns a value for each verb of a format, and what the text shows of it.
func valuesFor(format string) (values []any, shown []string) {
	for _, m := range verbs.FindAllStringSubmatch(format, -1) {
		var v any
		switch m[2] {
		case "%":
			continue
		case "d", "X", "x":
			v = 7
		case "c":
			v = 'z'
		case "g", "f", "e":
			v = 2.5
		case "w":
			v = errors.New("an unknown cause")
		default:
			v = "/a/name.dcm"
		}
		values = append(values, v)
		shown = append(shown, strings.ReplaceAll(fmt.Sprintf(strings.Replace(m[0], "w", "v", 1), v), ".5", ",5"))
	}
	return values, shown
}

// Every kind is said by a package whose texts the workbench shows, and each of its messages is German with
// all its values.
func TestEveryKindIsSaidInGerman(t *testing.T) {
	german := readTexts(t, filepath.Join("sentences", language.German+".json"))
	known := map[string]bool{}
	for english := range german {
		known[key(english)] = true
	}
	speakGerman(t)
	kinds, said := kindsByName(t), map[string]bool{}
	for dir := range speakers {
		for _, m := range messagesOf(t, dir) {
			if !known[key(m.format)] {
				continue // TestEverySentenceHasATranslation names it, or its reason
			}
			if _, ok := kinds[m.kind]; m.kind != "" && !ok {
				t.Errorf("%s: the kind %s is not in the table", m.at, m.kind)
			}
			said[m.kind] = true
			values, shown := valuesFor(m.format)
			english := message.New(kinds[m.kind], m.format, values...)
			got := language.Of(english)
			if got == english.String() || strings.Contains(got, "%!") {
				t.Errorf("%s: %q is %q", m.at, english, got)
			}
			for _, value := range shown {
				if !strings.Contains(got, value) {
					t.Errorf("%s: %q has no %q", m.at, got, value)
				}
			}
		}
	}
	for name, kind := range kinds {
		if !said[name] {
			t.Errorf("no message of the kind %s is German", kind)
		}
	}
}

// key makes formats equal that language.Of translates alike.
func key(format string) string {
	format = strings.TrimSuffix(strings.NewReplacer("%v", "%s", "%w", "%s").Replace(format), ".")
	return strings.ToLower(format[:min(1, len(format))]) + format[min(1, len(format)):]
}

// What has a translation is a message: a plain string or error would stay English.
func TestEveryTranslatedTextIsAMessage(t *testing.T) {
	german := readTexts(t, filepath.Join("sentences", language.German+".json"))
	plain := map[string]bool{"fmt.Errorf": true, "fmt.Sprintf": true, "errors.New": true}
	for dir, unseen := range speakers {
		left := map[string]bool{}
		for _, text := range unseen {
			left[text] = true
		}
		calls(t, dir, func(at, function string, args []ast.Expr) {
			if !plain[function] {
				return
			}
			if text, values := join(args[0]); len(values) == 0 && german[text.format] != "" && !left[text.format] {
				t.Errorf("%s: %s(%q) has a translation and is no message", at, function, text.format)
			}
		})
	}
}
