// Package locale names a language where the environment has none that Fyne can read.
//
// Fyne looks the language up while its packages are initialised, and prints an error
// for every locale whose name begins with "C." or "POSIX.", such as C.UTF-8, the usual one
// of containers. A program imports this package for its effect; it is initialised
// before Fyne, as it needs less.
//
// It imports the standard library only.
package locale

import (
	"os"
	"strings"
)

func init() {
	if language := named(os.Getenv); language != "" {
		_ = os.Setenv("LANGUAGE", language) // which comes before the locale
	}
}

// named returns the language to name in LANGUAGE, "" to leave it as it is.
func named(env func(string) string) string {
	if env("LANGUAGE") != "" {
		return ""
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if locale := env(name); locale != "" {
			if plain, _, _ := strings.Cut(locale, "."); plain == "C" || plain == "POSIX" {
				return "en"
			}
			return ""
		}
	}
	return ""
}
