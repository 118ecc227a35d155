package message_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"quell/internal/message"
)

func TestTexts(t *testing.T) {
	a, b, c, d := message.Verbatim("a"), message.Verbatim("b"), message.Verbatim("c"), message.Verbatim("d")
	for want, m := range map[string]message.Message{
		"":                                 {},
		"3 % of 2.5":                       message.Text("%d %% of %g", 3, 2.5),
		"a is a":                           message.Text("%s is %v", a, a),
		"100 % sure":                       message.Word("100 % sure"),
		"0 files are":                      message.Count(0, "file is", "files are"),
		"1 file is":                        message.Count(1, "file is", "files are"),
		"2 files are":                      message.Count(2, "file is", "files are"),
		"a, b, c":                          message.Some(", ", a, b, c),
		"a; b; c and 1 more":               message.Some("; ", a, b, c, d),
		"a b":                              a.And(b),
		"x, y":                             message.Join(", ", message.Names([]string{"x", "y"})...),
		"x":                                message.Or([]string{"x"}),
		"x or y":                           message.Or([]string{"x", "y"}),
		"x, y or z":                        message.Or([]message.Kind{"x", "y", "z"}),
		"f: is damaged; copy it":           message.About("f", message.Text("is damaged"), message.Text("copy it")),
		"f: is damaged":                    message.About("f", message.Text("is damaged"), message.Message{}),
		"is damaged; copy it":              message.About("", message.Text("is damaged"), message.Text("copy it")),
		"is damaged":                       message.About("", message.Text("is damaged"), message.Message{}),
		"The series: is damaged; copy it.": message.About(message.Text("the series"), message.Text("is damaged"), message.Text("copy it")).Sentence(),
		"Élan.":                            message.Text("élan.").Sentence(),
		"It is done":                       message.Text("It is done.").Clause(),
	} {
		if m.String() != want || m.IsZero() != (want == "") {
			t.Errorf("%q; want %q", m, want)
		}
	}
	if !a.Same(message.Text("a")) || a.Same(b) || !(message.Message{}).Sentence().IsZero() || !message.Join(", ").IsZero() || !message.Or[string](nil).IsZero() {
		t.Error("texts are compared by what they say")
	}
}

// A kind is that of the message, or of the first message or error in it that has one.
func TestKinds(t *testing.T) {
	cause := message.Errorf(message.InputDamaged, "the header is damaged")
	for i, c := range []struct {
		message message.Message
		want    message.Kind
	}{
		{message.Message{}, ""}, {message.Text("%s", "x"), ""}, {message.New(message.NoiseWeak, "%s", cause), message.NoiseWeak},
		{message.Text("%d %s %s", 1, message.Text("x"), message.New(message.NoiseFew, "y")), message.NoiseFew},
		{message.Text("%v", fmt.Errorf("foreign: %w", cause)), message.InputDamaged},
		{message.Text("x").Or(message.NoiseWeak), message.NoiseWeak}, {message.New(message.NoiseFew, "x").Or(message.NoiseWeak), message.NoiseFew},
		{message.New(message.NoiseFew, "x").And(message.New(message.NoiseWeak, "y")).Sentence(), message.NoiseFew},
	} {
		if got := c.message.Kind(); got != c.want {
			t.Errorf("%d: %q; want %q", i, got, c.want)
		}
	}
	for want, err := range map[message.Kind]error{
		"": errors.Join(nil, os.ErrNotExist), message.InputDamaged: message.Named("a", message.Named("b", cause)),
		message.InputMissing: fmt.Errorf("foreign: %w", message.Errorf(message.InputMissing, "%w", cause)),
	} {
		if got := message.KindOf(err); got != want {
			t.Errorf("%v: %q; want %q", err, got, want)
		}
	}
	if message.KindOf(nil) != "" {
		t.Error("no error has a kind")
	}
}

func TestErrors(t *testing.T) {
	err := message.Errorf(message.InputMissing, "there is no %q: %w", "a", fs.ErrNotExist)
	if err.Error() != `there is no "a": file does not exist` || !errors.Is(err, fs.ErrNotExist) || message.Of(err).Kind() != message.InputMissing {
		t.Errorf("%v, %q", err, message.Of(err).Kind())
	}
	format, values := message.Of(err).Format()
	if format != "there is no %q: %w" || len(values) != 2 || values[0] != "a" {
		t.Errorf("%q, %v", format, values)
	}
	if m := message.Of(fs.ErrNotExist); m.String() != "file does not exist" || m.Kind() != "" || !message.Of(nil).IsZero() {
		t.Errorf("%q", m)
	}
	if e := message.Error(message.New(message.NoiseWeak, "weak")); e.Error() != "weak" || message.KindOf(e) != message.NoiseWeak || errors.Unwrap(e) != nil {
		t.Errorf("%v", e)
	}
	if two := message.Errorf("", "%w, %w", fs.ErrExist, err); !errors.Is(two, fs.ErrExist) || !errors.Is(two, fs.ErrNotExist) {
		t.Errorf("%v", two)
	}
	named := message.Named("x/a.nii", err)
	is := func(name string) bool { return name == "x/a.nii" }
	if got := message.Unnamed(named, is); named.Error() != "x/a.nii: "+err.Error() || got.String() != err.Error() || got.Kind() != message.InputMissing {
		t.Errorf("%v: %q", named, got)
	}
	if got := message.Unnamed(named, func(string) bool { return false }); got.String() != named.Error() {
		t.Errorf("another name: %q", got)
	}
	if got := message.Unnamed(err, is); got.String() != err.Error() {
		t.Errorf("without a name: %q", got)
	}
}

// In JSON a message is its text, as a string was.
func TestJSON(t *testing.T) {
	type object struct {
		Why  message.Message   `json:"why,omitzero"`
		List []message.Message `json:"list"`
	}
	for want, o := range map[string]object{
		`{"list":[]}`:                           {List: []message.Message{}},
		`{"why":"2 of <3>","list":["a","5 %"]}`: {message.Text("%d of <%d>", 2, 3), []message.Message{message.Verbatim("a"), message.Text("5 %%")}},
	} {
		var text strings.Builder
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		if err := e.Encode(o); err != nil || text.String() != want+"\n" {
			t.Errorf("%s, %v; want %s", &text, err, want)
		}
		var back object
		if err := json.Unmarshal([]byte(want), &back); err != nil || !back.Why.Same(o.Why) || len(back.List) != len(o.List) {
			t.Errorf("%+v, %v", back, err)
		}
	}
}

// stable are the kinds that scripts may rely on: a new one is added, and none is taken away.
var stable = strings.Fields(`
	engine.absent engine.driver engine.fallback engine.lost engine.memory engine.unsupported engine.version
	grid.differs input.changed input.choice input.damaged input.empty input.foreign input.missing input.refused
	input.too-large input.truncated input.unreadable input.unsupported internal.fault measure.edge measure.few
	measure.many measure.noise measure.padding measure.shape measure.uneven memory.short network.address
	network.protocol network.refused network.rejected network.trust network.unreachable noise.correlated
	noise.disagrees noise.few noise.measured noise.strong noise.texture noise.unknown noise.varies noise.weak
	output.busy output.differs output.full output.identity output.name output.reduced output.refused output.rounded
	output.unsupported output.unwritable recipe.filter recipe.ineffective recipe.input recipe.parameter
	recipe.unreadable recipe.value settings.not-saved slices.uneven tune.end tune.gain tune.strength usage.refused
	verdict.mismatch verdict.noise verdict.none verdict.nothing verdict.recipe verdict.structure visibility.kept visibility.lost
`)

// Each kind is a word of its own in the table, and used; docs/reference/codes.csv lists them.
func TestTheTableOfKinds(t *testing.T) {
	table, err := os.ReadFile("kinds.go")
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "codes.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\t(\w+)\s+Kind = "([^"]*)"\s+// \S`).FindAllStringSubmatch(string(table), -1)
	if all := strings.Count(string(table), "Kind = "); all != len(rows) {
		t.Errorf("%d of %d kinds have a comment", len(rows), all)
	}
	var kinds []string
	for _, row := range rows {
		kinds = append(kinds, row[2])
		if !regexp.MustCompile(`^[a-z]+(\.[a-z]+(-[a-z]+)*)$`).MatchString(row[2]) {
			t.Errorf("%q is not two words with a dot", row[2])
		}
		if !strings.Contains(string(guide), "\n"+row[2]+",") {
			t.Errorf("the guide does not list %s", row[2])
		}
		if !used(t, "message."+row[1]) {
			t.Errorf("nothing is of the kind %s", row[1])
		}
	}
	slices.Sort(kinds)
	if unique := slices.Compact(slices.Clone(kinds)); len(unique) != len(kinds) {
		t.Errorf("kinds are there twice: %q", kinds)
	}
	if !slices.Equal(kinds, stable) {
		t.Errorf("the kinds are\n%s\nand were\n%s", strings.Join(kinds, " "), strings.Join(stable, " "))
	}
}

// used reports whether a file of the program other than tests has a word.
func used(t *testing.T, word string) bool {
	t.Helper()
	whole := regexp.MustCompile(regexp.QuoteMeta(word) + `\b`)
	return slices.ContainsFunc(sources(t), func(source string) bool { return whole.MatchString(source) })
}

// sources returns the files of the program without tests.
var sources = func() func(t *testing.T) []string {
	var all []string
	return func(t *testing.T) []string {
		t.Helper()
		if all != nil {
			return all
		}
		err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			data, err := os.ReadFile(path)
			all = append(all, string(data))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
}()
