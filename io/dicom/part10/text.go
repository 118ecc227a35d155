package part10

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Count returns a number with its noun: "1 file is", "3 files are".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Summary joins the first few of many phrases and counts the rest.
func Summary(s []string) string {
	const most = 3
	out := strings.Join(s[:min(len(s), most)], ", ")
	if len(s) > most {
		out += fmt.Sprintf(" and %d more", len(s)-most)
	}
	return out
}

// Shorten truncates a text to the length of a UID, for messages.
func Shorten(s string) string {
	const most = 64 // as many characters as a UID has
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// Printable replaces control characters.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
