package session

import (
	"strings"
	"testing"
)

type (
	first  struct{ linked *third }
	second struct{ of *first }
	third  struct{ of *second }
)

// Makers are called whatever their order, and a part that nothing makes is refused by its name.
func TestAssemble(t *testing.T) {
	calls := 0
	one := func() *first { calls++; return &first{} }
	two := func(f *first) *second { calls++; return &second{f} }
	three := func(s *second) *third { calls++; return &third{s} }
	link := func(f *first, x *third) { calls++; f.linked = x }
	type whole struct {
		First  *first
		Third  *third
		hidden int
	}
	for _, order := range [][]any{{one, two, three, link}, {link, three, two, one}, {three, link, one, two}} {
		var w whole
		calls = 0
		assemble(&w, order...)
		if calls != 4 || w.First == nil || w.Third == nil || w.Third.of.of != w.First || w.First.linked != w.Third || w.hidden != 0 {
			t.Errorf("%d calls, %+v", calls, w)
		}
	}
	for want, makers := range map[string][]any{
		"nothing makes *session.first":  {two, three},
		"nothing makes *session.second": {one, three},
		"nothing makes *session.third":  {one, two},
		"take each other":               {func(*second) *first { return nil }, two},
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, want) {
					t.Errorf("%q; want %q", text, want)
				}
			}()
			assemble(&whole{}, makers...)
			t.Errorf("%s: assembled", want)
		}()
	}
}
