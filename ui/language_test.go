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
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"quell/denoise"
	"quell/ui/control"
	"quell/ui/language"
	"quell/ui/viewer"
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

// shown returns the English texts that the code of ui translates: literals, and the texts of
// the tables.
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

// verbs are the verbs of fmt.Sprintf.
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
	packages := map[string]bool{}
	for _, pattern := range []string{"*/*.go", "panels/*/*.go"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			packages[filepath.Dir(file)] = true
		}
	}
	for dir := range packages {
		tested, translates, english := false, false, false
		files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tested = tested || strings.HasSuffix(file, "_test.go")
			english = english || bytes.Contains(source, []byte(`"quell/internal/locale"`))
			translates = translates || !strings.HasSuffix(file, "_test.go") && bytes.Contains(source, []byte("lang.L("))
		}
		if tested && translates && !english {
			t.Errorf("no file of %s imports quell/internal/locale, which makes tests run in English", dir)
		}
	}
}

// english are words that no German text of the workbench has. A word that is the same in both languages,
// such as ROI, Radius and PSNR, is so in the translations.
var english = regexp.MustCompile(`(?i)\b(the|of|and|slice|slices|with|noise|filter by|open|close|save|apply|show|strength|left|right|window|not|from|to|is|what|measures|denoised|residual|volume|cancel|apply)\b`)

// The workbench shows no English text in German: what labels, buttons, check boxes, lists of
// options, panes and menus say.
func TestTheWorkbenchInGerman(t *testing.T) {
	// The language belongs to a process: what other tests began may still look texts up.
	const own = "QUELL_TEST_GERMAN"
	if os.Getenv(own) == "" {
		c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		c.Env = append(os.Environ(), own+"=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	if err := language.Use(language.German); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, large)
	b.session().Results.Apply()
	b.until("slice and volume are measured", func() bool {
		return b.session().Results.Applied() && b.session().Measures.Slice().Current && b.session().Measures.Volume().Current
	})
	b.dragOn(viewer.Original, [2]float32{0.3, 0.5}, [2]float32{0.4, 0.6}) // the window
	b.key(fyne.KeyL)
	b.dragOn(viewer.Original, [2]float32{0.3, 0.5}, [2]float32{0.7, 0.6})
	b.drain()
	texts := map[string]bool{}
	var items func(of []*fyne.MenuItem)
	items = func(of []*fyne.MenuItem) {
		for _, item := range of {
			texts[titled(item)] = true
			if item.ChildMenu != nil {
				items(item.ChildMenu.Items)
			}
		}
	}
	for _, m := range b.workbench.Menu().Items {
		texts[m.Label] = true
		items(m.Items)
	}
	for _, s := range b.workbench.HelpSections() {
		texts[s.Title] = true
		for _, row := range s.Rows {
			texts[row[1]] = true
		}
	}
	labels := "" // a label that wraps has a text for every line
	for _, o := range test.LaidOutObjects(b.canvas().Content()) {
		if l, ok := o.(*widget.Label); ok {
			texts[l.Text] = true
			labels += l.Text + "\n"
		}
	}
	for _, o := range test.LaidOutObjects(b.canvas().Content()) {
		if t, ok := o.(*canvas.Text); ok && !strings.Contains(labels, t.Text) {
			texts[t.Text] = true
		}
	}
	for _, p := range b.workbench.Panes() {
		c := p.Caption()
		for _, text := range append(append([]string{c.Title, c.Badge, c.Detail, c.Place}, c.Corner...), c.How...) {
			texts[text] = true
		}
	}
	if len(texts) < 200 {
		t.Fatalf("only %d texts were found", len(texts))
	}
	for _, o := range test.LaidOutObjects(b.canvas().Content()) {
		if e, ok := o.(*control.Entry); ok {
			texts[e.Text] = true
		}
	}
	commas := 0
	for text := range texts {
		if regexp.MustCompile(`\d\.\d`).MatchString(text) {
			t.Errorf("%q has a decimal point", text)
		}
		if regexp.MustCompile(`\d,\d`).MatchString(text) {
			commas++
		}
	}
	if commas < 10 {
		t.Errorf("only %d numbers have a comma", commas)
	}
	for _, f := range denoise.AllFilters() {
		for _, r := range variants(f) {
			for _, p := range f.Params {
				texts[language.Of(r.Ignores(p.Name))] = true
			}
		}
	}
	translated := german(t)
	for text := range texts {
		if to, known := translated[text]; known && to != text && !slices.Contains(slices.Collect(maps.Values(translated)), text) {
			t.Errorf("%q is shown; want %q", text, to)
		}
		if found := english.FindString(text); found != "" {
			t.Errorf("%q is English by the word %q", text, found)
		}
	}
}

// variants returns recipes of a filter with every word and every least number of one or two
// parameters, which is why others have no effect.
func variants(f denoise.Filter) (out []denoise.Recipe) {
	for _, dims := range f.Dims {
		r, err := denoise.NewRecipe(f.Name, dims)
		if err != nil {
			continue
		}
		all := []denoise.Recipe{r}
		for range 2 {
			for _, r := range all {
				for _, p := range f.Params {
					values := []denoise.Value{denoise.Number(p.Min)}
					switch p.Kind {
					case denoise.Switch:
						values = []denoise.Value{denoise.Bool(false), denoise.Bool(true)}
					case denoise.Choice:
						values = nil
						for _, choice := range p.Choices {
							values = append(values, denoise.Word(choice))
						}
					case denoise.Ints:
						values = nil
					}
					for _, v := range values {
						all = append(all, r.With(p.Name, v))
					}
				}
			}
		}
		out = append(out, all...)
	}
	return out
}
