package dicom

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// What sentences for people are made of.

// count names a number of things.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// summary joins a few of many phrases.
func summary(s []string) string {
	const most = 3
	out := strings.Join(s[:min(len(s), most)], ", ")
	if len(s) > most {
		out += fmt.Sprintf(" and %d more", len(s)-most)
	}
	return out
}

// brief returns a text that may be anything as short as a message can bear.
func brief(s string) string {
	const most = 64 // as many characters as a UID has
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// printable returns a text without what would break a line or a message.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
