package locale

import "testing"

func TestALanguageIsNamedWhereTheLocaleHasNone(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{nil, ""},
		{map[string]string{"LANG": "C.UTF-8"}, "en"},
		{map[string]string{"LANG": "POSIX"}, "en"},
		{map[string]string{"LC_ALL": "C", "LANG": "de_DE.UTF-8"}, "en"},
		{map[string]string{"LC_MESSAGES": "C.UTF-8", "LANG": "de_DE.UTF-8"}, "en"},
		{map[string]string{"LC_ALL": "de_DE.UTF-8", "LANG": "C.UTF-8"}, ""},
		{map[string]string{"LC_MESSAGES": "de_DE.UTF-8", "LANG": "C.UTF-8"}, ""},
		{map[string]string{"LANG": "C.UTF-8", "LANGUAGE": "fr"}, ""},
		{map[string]string{"LANG": "ca_ES.UTF-8"}, ""},
	} {
		if got := named(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: %q; want %q", c.env, got, c.want)
		}
	}
}
