package part10

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// What sentences for people are made of.

// Count names a number of things.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Summary joins a few of many phrases.
func Summary(s []string) string {
	const most = 3
	out := strings.Join(s[:min(len(s), most)], ", ")
	if len(s) > most {
		out += fmt.Sprintf(" and %d more", len(s)-most)
	}
	return out
}

// Shorten returns a text that may be anything as short as a message can bear.
func Shorten(s string) string {
	const most = 64 // as many characters as a UID has
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// Printable returns a text without what would break a line or a message.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
