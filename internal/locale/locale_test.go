package locale

import (
	"os"
	"slices"
	"testing"
)

func TestTheLanguagesOfTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want []string
	}{
		{nil, nil},
		{map[string]string{"LANG": "C.UTF-8"}, nil},
		{map[string]string{"LANG": "POSIX"}, nil},
		{map[string]string{"LC_ALL": "C", "LANG": "de_DE.UTF-8"}, nil},
		{map[string]string{"LC_ALL": "C", "LANGUAGE": "de"}, nil},
		{map[string]string{"LC_MESSAGES": "C.UTF-8", "LANG": "de_DE.UTF-8"}, nil},
		{map[string]string{"LC_ALL": "de_DE.UTF-8", "LANG": "C.UTF-8"}, []string{"de"}},
		{map[string]string{"LANG": "en_GB.UTF-8", "LANGUAGE": "fr:de_AT:en"}, []string{"fr", "de", "en"}},
		{map[string]string{"LANGUAGE": "de"}, []string{"de"}},
		{map[string]string{"LANG": "ca_ES.UTF-8"}, []string{"ca"}},
	} {
		if got := named(func(name string) string { return c.env[name] }); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q; want %q", c.env, got, c.want)
		}
	}
}

func TestSetIsUndone(t *testing.T) {
	const name = "QUELL_LOCALE_TEST"
	t.Setenv(name, "before") // so that it is removed afterwards
	Set(name, "meanwhile")()
	if got := os.Getenv(name); got != "before" {
		t.Errorf("%q; want what it was before", got)
	}
	_ = os.Unsetenv(name)
	Set(name, "meanwhile")()
	if got, set := os.LookupEnv(name); set {
		t.Errorf("%q; want it to be unset as before", got)
	}
}
