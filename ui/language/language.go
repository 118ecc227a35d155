// Package language holds the translations of the workbench, and chooses one.
//
// A text in the code is English, and the key of its translation: lang.L("Open folder …"), of
// Fyne's package lang. A file translations/CODE.json is a language, without any code. What
// packages below the workbench say are messages, whose formats are looked up in sentences/CODE.json.
package language

import (
	"embed"
	"slices"

	"fyne.io/fyne/v2/lang"

	"quell/internal/locale"
)

//go:embed translations
var translations embed.FS

// The languages, by their codes; System is the language of the desktop.
const (
	System  = ""
	English = "en"
	German  = "de"
)

// All are the languages of the workbench. English needs no file.
var All = []string{English, German}

// Chosen returns the language for a choice: the first one of the system that the workbench
// has for System, English if there is none.
func Chosen(choice string, system []string) string {
	for _, code := range append([]string{choice}, system...) {
		if slices.Contains(All, code) {
			return code
		}
	}
	return English
}

// Use makes the workbench speak a language, one of All or System, in the texts that are
// looked up from now on. Until it is called everything is in English. It is for the start of
// the program, and for tests; Fyne can look the language up in the environment alone, which
// is as the user set it afterwards.
func Use(choice string) (err error) {
	code := Chosen(choice, locale.System())
	comma = code == German
	if sentences, err = readSentences(code); err != nil {
		return err
	}
	defer locale.Set("LC_ALL", code)()
	defer locale.Restore()
	locale.Set("LANGUAGE", code)
	return lang.AddTranslationsFS(translations, "translations")
}
