package option

import (
	"strings"

	"github.com/spf13/pflag"
)

// Clause returns the part of a text up to the first end of a sentence or semicolon.
func Clause(text string) string {
	text, _, _ = strings.Cut(text, "; ")
	for i := range text {
		if before, ok := strings.CutSuffix(text[:i], "."); ok && text[i] == ' ' && !strings.HasSuffix(before, ".") {
			return before
		}
	}
	if !strings.HasSuffix(text, "..") {
		text = strings.TrimSuffix(text, ".")
	}
	return text
}

// Wrapped breaks a text into lines of at most so many bytes, unless a word is longer.
func Wrapped(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// UsageText is what a flag does, without the name of its value in front.
func UsageText(f *pflag.Flag) string {
	value, text := pflag.UnquoteUsage(f)
	return strings.TrimPrefix(text, value+": ")
}
