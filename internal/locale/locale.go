// Package locale makes English the language of Fyne until the program chooses one.
//
// Fyne looks the language up while its packages are initialised. If the environment names
// one that Fyne translates, its own texts ("Cancel") would be in that language from then on,
// in tests too, and for a locale with a name that begins with "C." or "POSIX.", such as
// C.UTF-8, the usual one of containers, it would print an error. A program or a test imports
// this package for its effect; it is initialised before Fyne, as it needs less.
//
// It imports the standard library only.
package locale

import (
	"os"
	"strings"
)

// variable comes before the locale when languages are looked up.
const variable = "LANGUAGE"

var system, restore = environment()

func environment() (languages []string, restore func()) {
	languages = named(os.Getenv)
	return languages, Set(variable, "en")
}

// System returns the languages of the user, the preferred one first, as in "de" and "en";
// none if the environment names none. It reads what Linux and BSD use.
func System() []string { return system }

// Restore gives the environment the languages back that it had when the program started, for
// the programs that this one starts.
func Restore() { restore() }

// Set sets a variable of the environment, and returns how it is set back.
func Set(name, value string) (restore func()) {
	was, set := os.LookupEnv(name)
	_ = os.Setenv(name, value)
	return func() {
		if set {
			_ = os.Setenv(name, was)
		} else {
			_ = os.Unsetenv(name)
		}
	}
}

// named returns the languages that an environment names.
func named(env func(string) string) (languages []string) {
	locale := ""
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if locale = env(name); locale != "" {
			break
		}
	}
	all := locale
	if plain, _, _ := strings.Cut(locale, "."); plain == "C" || plain == "POSIX" {
		return nil // it asks for untranslated texts, whatever LANGUAGE says
	}
	if list := env(variable); list != "" {
		all = list
	}
	for _, l := range strings.Split(all, ":") {
		if l, _, _ = strings.Cut(l, "."); l != "" {
			l, _, _ = strings.Cut(l, "_")
			languages = append(languages, strings.ToLower(l))
		}
	}
	return languages
}
