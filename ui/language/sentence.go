package language

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed sentences
var sentenceFiles embed.FS

// sentences are the sentences of the language in use; nil in English.
var sentences *book

// Sentence returns what a package below the workbench says, such as the reason of a verdict or
// the text of an error, in the language in use. Those packages write English, with figures and
// names in it: a text is recognised by the format that it was made with, and the translation
// gets the same values. Several sentences and "path: problem; advice" are translated part by
// part. A text with a part that is not known stays English as a whole.
func Sentence(text string) string {
	if sentences == nil {
		return text
	}
	if out, ok := sentences.text(text); ok {
		return out
	}
	return text
}

// book holds the sentences of a language, by their formats in English. Capitals at the start
// and the full stop at the end follow the text that is translated.
type book struct {
	shown   map[string]string // what the workbench itself translates, such as the labels of parameters
	whole   map[string]phrase // without values, by what canonical returns
	formats []format          // with values, the longest first
}

// phrase is a translation.
type phrase struct {
	text  string
	upper bool // the English begins with a capital
}

// format recognises the texts that a format of package fmt makes.
type format struct {
	phrase
	between []string // what stands before, between and after its values
	verbs   string   // a letter for each value
	free    []bool   // of each value: it stays as it is if it is not known
}

// verb is one of package fmt. A translation may number its verbs: %[2]s is the second value. What
// it writes as %v may be an unknown text or several, such as labels of volumes.
var verb = regexp.MustCompile(`%(?:\[(\d)\])?[-+#0]*[\d.]*([a-zA-Z%])`)

// name matches a value that is the same in every language: a word, a number with its unit, what is
// in quotation marks or brackets, a path, the name of a file.
var name = regexp.MustCompile(`^(?:\S+|[-+]?[\d.]+ (?:[kMGT]?B|[KMGT]iB|mm|ms|s|min|HU|%)|"[^"]*"|\[.*\]|[^:;]*[/\\][^:;]*|[^:;]*\.\w{1,4})$`)

// measured matches a number alone or with its unit, or in a unit of noise or of the range.
var measured = regexp.MustCompile(`^[-+]?\d+\.\d+(?:e[-+]\d+)?(?: ?(?:[kMGT]?B|[KMGT]iB|mm|ms|s|min|HU|dB|%|σ|sigma))?$`)

// What %q and the verbs for numbers write.
var (
	quoted = regexp.MustCompile(`^"(?:[^"\\]|\\.)*"$`)
	number = regexp.MustCompile(`^[-+]?(?:[\dA-F][\d.A-F]*(?:e[-+]\d+)?|Inf|NaN)$`)
)

// counted matches a number with what is counted.
var counted = regexp.MustCompile(`^(\d+ )(.+)$`)

// readBook reads the sentences of a language; nil for English.
func readBook(code string) (*book, error) {
	if code == English {
		return nil, nil //nolint:nilnil // English needs none
	}
	var pairs, shown map[string]string
	for _, f := range []struct {
		files embed.FS
		name  string
		to    *map[string]string
	}{{sentenceFiles, "sentences/", &pairs}, {translations, "translations/", &shown}} {
		data, err := f.files.ReadFile(f.name + code + ".json")
		if err == nil {
			err = json.Unmarshal(data, f.to)
		}
		if err != nil {
			return nil, fmt.Errorf("the sentences of the language %s: %w", code, err)
		}
	}
	return newBook(pairs, shown), nil
}

func newBook(pairs, shown map[string]string) *book {
	b := &book{shown: shown, whole: map[string]phrase{}}
	for english, translation := range pairs {
		p := phrase{text: strings.TrimSuffix(translation, "."), upper: capital(english)}
		if f := newFormat(strings.TrimSuffix(english, "."), p); f.verbs != "" {
			b.formats = append(b.formats, f)
		} else {
			p.text = f.each(nil)
			b.whole[canonical(f.between[0])] = p
		}
	}
	slices.SortFunc(b.formats, func(a, b format) int {
		x, y := strings.Join(a.between, ""), strings.Join(b.between, "")
		return cmp.Or(len(y)-len(x), strings.Compare(x, y))
	})
	return b
}

func newFormat(english string, p phrase) format {
	f := format{phrase: p, between: []string{""}}
	end := 0
	for _, m := range verb.FindAllStringSubmatchIndex(english, -1) {
		last := &f.between[len(f.between)-1]
		*last += english[end:m[0]]
		if letter := english[m[4]:m[5]]; letter == "%" {
			*last += "%"
		} else {
			f.verbs += letter
			f.between = append(f.between, "")
		}
		end = m[1]
	}
	f.between[len(f.between)-1] += english[end:]
	f.free = make([]bool, len(f.verbs))
	f.each(func(value int, verb string) string {
		f.free[value] = verb == "v"
		return ""
	})
	return f
}

// text returns a text in the language; ok is false if a part of it is not known.
func (b *book) text(text string) (out string, ok bool) {
	if out, ok = b.clause(text); ok {
		return out, true
	}
	for _, joint := range []string{". ", "; ", ": "} {
		for i := range text {
			if !strings.HasPrefix(text[i:], joint) {
				continue
			}
			first, known := text[:i], joint == ": " && name.MatchString(text[:i])
			if !known {
				first, known = b.clause(first)
			}
			if !known {
				continue
			}
			if rest, ok := b.text(text[i+len(joint):]); ok {
				return first + joint + rest, true
			}
		}
	}
	return "", false
}

// clause returns a text that one format makes.
func (b *book) clause(text string) (out string, ok bool) {
	if out, ok = b.shown[text]; ok {
		return out, true
	}
	plain := strings.TrimSuffix(text, ".")
	p, ok := b.whole[canonical(plain)]
	if ok {
		out = p.text
	}
	for i := 0; i < len(b.formats) && !ok; i++ {
		p = b.formats[i].phrase
		out, ok = b.fill(b.formats[i], plain)
	}
	if !ok {
		return "", false
	}
	if first, size := utf8.DecodeRuneInString(out); capital(text) && !p.upper {
		out = string(unicode.ToUpper(first)) + out[size:]
	} else if !capital(text) && p.upper {
		out = string(unicode.ToLower(first)) + out[size:]
	}
	return out + text[len(plain):], true
}

// fill returns the translation of a format with the values of a text.
func (b *book) fill(f format, text string) (out string, ok bool) {
	if !f.fits(text) {
		return "", false
	}
	values, ok := b.values(f, 0, text[len(f.between[0]):])
	if !ok {
		return "", false
	}
	return f.each(func(value int, _ string) string { return values[value] }), true
}

// fits says whether a text has what stands between the values of a format, in order.
func (f format) fits(text string) bool {
	before, last := f.between[0], len(f.verbs)
	if len(text) < len(before) || !strings.EqualFold(text[:len(before)], before) || !strings.HasSuffix(text, f.between[last]) {
		return false
	}
	text = text[len(before):]
	for _, literal := range f.between[1:last] {
		_, rest, found := strings.Cut(text, literal)
		if !found {
			return false
		}
		text = rest
	}
	return len(text) >= len(f.between[last])
}

// values returns the translations of the values of a format from the first on, in a text that begins
// with that. If what stands between two values is in a value too, every place is tried.
func (b *book) values(f format, first int, text string) (all []string, ok bool) {
	if first == len(f.verbs) {
		return nil, text == ""
	}
	next := f.between[first+1]
	for at := 0; at+len(next) <= len(text); at++ {
		if first+1 == len(f.verbs) {
			at = len(text) - len(next)
		}
		if !strings.HasPrefix(text[at:], next) {
			continue
		}
		value, ok := b.valueOf(f, first, text[:at])
		if !ok {
			continue
		}
		if rest, ok := b.values(f, first+1, text[at+len(next):]); ok {
			return append([]string{value}, rest...), true
		}
	}
	return nil, false
}

// valueOf returns the translation of a value of a format, which is itself if it is a number.
func (b *book) valueOf(f format, i int, text string) (out string, ok bool) {
	switch f.verbs[i] {
	case 's', 'v', 'w':
		if out, ok = b.value(text); ok || !f.free[i] {
			return out, ok
		}
		items := strings.Split(text, "; ")
		for i, item := range items {
			if out, ok = b.value(item); ok {
				items[i] = out
			}
		}
		return strings.Join(items, "; "), true
	case 'q':
		return text, quoted.MatchString(text)
	case 'c':
		return text, utf8.RuneCountInString(text) == 1
	}
	return Number(text), number.MatchString(text)
}

// each replaces the verbs of the translation, each the one of a value, counted from 0.
func (f format) each(by func(value int, verb string) string) string {
	next := 0
	return verb.ReplaceAllStringFunc(f.text, func(s string) string {
		m := verb.FindStringSubmatch(s)
		value := next
		switch {
		case m[2] == "%":
			return "%"
		case m[1] != "":
			value = int(m[1][0] - '1')
		default:
			next++
		}
		return by(value, m[2])
	})
}

// value returns a value of a format: a text, a name, a count as in "3 images", or a list of them.
func (b *book) value(text string) (out string, ok bool) {
	if trimmed := strings.TrimSpace(text); trimmed != text {
		out, ok = b.value(trimmed)
		return strings.Replace(text, trimmed, out, 1), ok
	}
	if out, ok = b.text(text); ok || text == "" {
		return out, true
	}
	if m := counted.FindStringSubmatch(text); m != nil {
		if out, ok = b.clause(m[2]); ok {
			return m[1] + out, true
		}
	}
	if measured.MatchString(text) {
		return Number(text), true
	}
	if name.MatchString(text) {
		return text, true
	}
	for _, joint := range []string{", ", " and ", " or "} {
		if first, rest, cut := strings.Cut(text, joint); cut {
			first, known := b.value(first)
			rest, also := b.value(rest)
			return first + cmp.Or(b.whole[joint].text, joint) + rest, known && also
		}
	}
	return "", false
}

// canonical returns a text without what depends on its place: a capital at the start, a full
// stop at the end.
func canonical(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToLower(first)) + strings.TrimSuffix(text[size:], ".")
}

// capital says whether a text begins with a capital.
func capital(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(first)
}
