// Package message holds texts for a person as a kind, a format and values, so that a program can
// act on the kind and the workbench can show the text in another language.
//
// A text is English. A package that says something makes a Message in place of a string, and an
// error by Errorf; a part of a text that is a text itself, such as a noun or a reason, is a Message
// among the values. Names, paths and what other packages say are plain values. Messages may be
// shared by goroutines if their values do not change.
package message

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Message is a text for a person. The zero value is the empty text.
type Message struct {
	kind   Kind
	text   string // in English
	format string // that made it: the key of its translations; "" if it has none
	values []any
}

// New returns a message of a kind with a format and values of package fmt.
func New(kind Kind, format string, values ...any) Message {
	return Message{kind: kind, text: fmt.Sprintf(format, values...), format: format, values: values}
}

// Text is New without a kind: a part of another message, or one that needs no code.
func Text(format string, values ...any) Message {
	return Message{text: fmt.Sprintf(format, values...), format: format, values: values}
}

// Verbatim returns a message that is the same in every language, such as a name.
func Verbatim(text string) Message { return Message{text: text} }

// String returns the text in English.
func (m Message) String() string { return m.text }

// Kind returns the kind, which is that of its first value with a kind if it has none itself.
func (m Message) Kind() Kind {
	for i := 0; m.kind == "" && i < len(m.values); i++ {
		switch v := m.values[i].(type) {
		case Message:
			m.kind = v.Kind()
		case error:
			m.kind = KindOf(v)
		}
	}
	return m.kind
}

// Format returns the format, "" for a text that has no translation, and the values.
func (m Message) Format() (format string, values []any) { return m.format, m.values }

// IsZero reports whether the text is empty; such a member is left out of JSON by omitzero.
func (m Message) IsZero() bool { return m.text == "" }

// MarshalText writes the English text.
func (m Message) MarshalText() ([]byte, error) { return []byte(m.text), nil }

// UnmarshalText reads a text, which has neither kind nor translation.
func (m *Message) UnmarshalText(text []byte) error {
	*m = Verbatim(string(text))
	return nil
}

// Same reports whether two messages have the same text.
func (m Message) Same(other Message) bool { return m.text == other.text }

// AsMessage returns the message itself: what holds a message is one.
func (m Message) AsMessage() Message { return m }

// Sentence returns the message with a capital at its start and a full stop at its end.
func (m Message) Sentence() Message {
	if first, size := utf8.DecodeRuneInString(m.text); size > 0 {
		m.text = string(unicode.ToUpper(first)) + strings.TrimSuffix(m.text[size:], ".") + "."
	}
	return m
}

// Or returns the message with a kind if it has none.
func (m Message) Or(kind Kind) Message {
	if m.Kind() == "" {
		m.kind = kind
	}
	return m
}

// Clause returns the message without a full stop at its end.
func (m Message) Clause() Message {
	m.text = strings.TrimSuffix(m.text, ".")
	return m
}

// About returns "name: problem; advice" without the parts that are empty.
func About(name any, problem, advice Message) Message {
	switch {
	case name != "" && !advice.IsZero():
		return Text("%s: %s; %s", name, problem, advice)
	case name != "":
		return Text("%s: %s", name, problem)
	case !advice.IsZero():
		return Text("%s; %s", problem, advice)
	}
	return problem
}

// Word returns a message whose text is not a constant, such as a label out of a table.
func Word(text string) Message {
	return Message{text: text, format: strings.ReplaceAll(text, "%", "%%")}
}

// Figure is a value with a number and its unit, such as "1.5 GB"; languages write decimals differently.
type Figure string

// Count returns a number with its noun: "1 file is", "3 files are".
func Count(n int, one, many string) Message {
	if n == 1 {
		many = one
	}
	return Text("%d %s", n, Word(many))
}

// Join returns messages with a separator that has no words.
func Join(separator string, all ...Message) Message {
	values := make([]any, len(all))
	for i, m := range all {
		values[i] = m
	}
	format := strings.TrimSuffix(strings.Repeat("%s"+separator, len(all)), separator)
	return Text(format, values...)
}

// And returns sentences one after the other.
func (m Message) And(next Message) Message { return Join(" ", m, next) }

// Some returns the first three messages, and counts the others.
func Some(separator string, all ...Message) Message {
	const most = 3
	if len(all) <= most {
		return Join(separator, all...)
	}
	return Text("%s and %d more", Join(separator, all[:most]...), len(all)-most)
}

// Names returns names as messages.
func Names(names []string) []Message {
	all := make([]Message, len(names))
	for i, name := range names {
		all[i] = Verbatim(name)
	}
	return all
}

// Or returns names as a choice: "a, b or c".
func Or[Name ~string](names []Name) Message {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = string(name)
	}
	if last := len(all) - 1; last > 0 {
		return Text("%s or %s", strings.Join(all[:last], ", "), all[last])
	}
	return Verbatim(strings.Join(all, ""))
}
