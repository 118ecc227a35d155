package language

import (
	"embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"quell/internal/message"
)

//go:embed sentences
var sentenceFiles embed.FS

// sentences are the formats of the language in use, by what canonical returns for the English ones; nil
// in English.
var sentences map[string]sentence

// sentence is the translation of a format, without a full stop at its end.
type sentence struct {
	format string
	upper  bool // the English begins with a capital
}

// Of returns a message in the language in use, with values that are messages or errors in that language
// too. A message whose format has no translation is English as a whole.
func Of(m message.Message) string {
	text := m.String()
	format, values := m.Format()
	if sentences == nil || format == "" {
		return text
	}
	s, ok := sentences[canonical(format)]
	if !ok {
		if words.MatchString(verbs.ReplaceAllString(format, "")) {
			return text
		}
		s.format = strings.TrimSuffix(format, ".") // punctuation alone
	}
	out := fill(s.format, values)
	if first, size := utf8.DecodeRuneInString(out); capital(text) && !s.upper {
		out = string(unicode.ToUpper(first)) + out[size:]
	} else if !capital(text) && s.upper {
		out = string(unicode.ToLower(first)) + out[size:]
	}
	if strings.HasSuffix(text, ".") && !strings.HasSuffix(out, ".") {
		out += "."
	}
	return out
}

// Error returns what an error says, as Of does.
func Error(err error) string { return Of(message.Of(err)) }

var (
	verbs = regexp.MustCompile(`%[-+#0]*[\d.]*(?:\[\d\])?[a-zA-Z%]`) // of package fmt
	words = regexp.MustCompile(`\pL`)
)

// fill formats values in the language in use.
func fill(format string, values []any) string {
	said := make([]any, len(values)) // errors among them are texts: %w is for English
	for i, v := range values {
		switch v := v.(type) {
		case interface{ AsMessage() message.Message }:
			said[i] = Of(v.AsMessage())
		case error:
			said[i] = Error(v)
		case message.Figure:
			said[i] = Number(string(v))
		default:
			said[i] = v
		}
	}
	return Sprintf(strings.ReplaceAll(format, "%w", "%v"), said...)
}

// readSentences reads the formats of a language; nil for English. What the workbench translates itself,
// such as the labels of parameters, may be in messages too.
func readSentences(code string) (map[string]sentence, error) {
	if code == English {
		return nil, nil //nolint:nilnil // English needs none
	}
	all := map[string]sentence{}
	for _, f := range []struct {
		files embed.FS
		name  string
	}{{translations, "translations/"}, {sentenceFiles, "sentences/"}} {
		var pairs map[string]string
		data, err := f.files.ReadFile(f.name + code + ".json")
		if err == nil {
			err = json.Unmarshal(data, &pairs)
		}
		if err != nil {
			return nil, fmt.Errorf("the sentences of the language %s: %w", code, err)
		}
		for english, translation := range pairs {
			all[canonical(english)] = sentence{strings.TrimSuffix(translation, "."), capital(english)}
		}
	}
	return all, nil
}

// canonical returns a format without what depends on its place: a capital at the start, a full
// stop at the end, and whether a text is written as %s, %v or %w.
func canonical(format string) string {
	first, size := utf8.DecodeRuneInString(format)
	return string(unicode.ToLower(first)) + anyText.Replace(strings.TrimSuffix(format[size:], "."))
}

var anyText = strings.NewReplacer("%v", "%s", "%w", "%s")

// capital says whether a text begins with a capital.
func capital(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(first)
}
