package message

import (
	"errors"
	"fmt"
)

// Errorf returns an error with a message; a %w keeps its cause.
func Errorf(kind Kind, format string, values ...any) error {
	err := fmt.Errorf(format, values...)
	return &failure{Message: Message{kind: kind, text: err.Error(), format: format, values: values}, err: err}
}

const named = "%s: %w"

// Named puts the name of what an error is about before it.
func Named(name string, err error) error { return Errorf("", named, name, err) }

// Unnamed returns what an error says without a name that Named put before it, if is reports true of the name.
func Unnamed(err error, is func(name string) bool) Message {
	m := Of(err)
	if m.format == named && is(m.values[0].(string)) {
		return Of(m.values[1].(error))
	}
	return m
}

// Error returns a message as an error.
func Error(m Message) error { return &failure{Message: m} }

// failure is a message that is an error.
type failure struct {
	Message
	err error // with the causes
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.err }

// Of returns what an error says: its message, those of joined errors, or its text for an error of
// another package.
func Of(err error) Message {
	switch e := err.(type) { //nolint:errorlint // what it wraps says less than the error itself
	case nil:
		return Message{}
	case interface{ AsMessage() Message }:
		return e.AsMessage()
	}
	return Word(err.Error())
}

// KindOf returns the kind of the first error in the chain that has one.
func KindOf(err error) Kind {
	var known interface {
		error
		AsMessage() Message
	}
	for errors.As(err, &known) {
		if kind := known.AsMessage().Kind(); kind != "" {
			return kind
		}
		err = errors.Unwrap(known)
	}
	return ""
}
