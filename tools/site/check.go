package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
)

// longest is how many words a sentence may have, most how many all documents have together.
const (
	longest = 35
	most    = 35_000
)

// faults returns the faults of the documents, each with file and line.
func (s *docs) faults() (faults []string) {
	linked := map[string]bool{home: true}
	if n := s.words(); n > most {
		faults = append(faults, fmt.Sprintf("the documents have %d words; at most %d are allowed: take out what no reader needs", n, most))
	}
	for _, path := range s.list {
		d := s.docs[path]
		at := func(n ast.Node, format string, args ...any) {
			faults = append(faults, fmt.Sprintf("%s:%d: ", path, d.line(n))+fmt.Sprintf(format, args...))
		}
		d.each(func(n ast.Node) {
			switch n := n.(type) {
			case *ast.Link:
				to, fault := s.follow(d, string(n.Destination))
				if linked[to] = true; fault != "" {
					at(n, "%s", fault)
				}
			case *ast.Image:
				if _, fault := s.follow(d, string(n.Destination)); fault != "" {
					at(n, "%s", fault)
				}
				if len(strings.Fields(d.alt(n))) < 2 {
					at(n, "the picture %s has no text that stands in its place", n.Destination)
				}
			}
			if n.Kind() == ast.KindCodeSpan || n.Kind() == ast.KindEmphasis {
				if m := menuItem.FindStringSubmatch(d.plain(n)); m != nil && !s.hasCommand(m[1], m[2]) {
					at(n, "%s: %s has no such command", m[0], commands)
				}
			}
			d.words(n, at)
			if err := d.formulaFault(n); err != nil {
				at(n, "%v", err)
			}
			if text, ok := d.prose(n); ok {
				for _, sentence := range sentences(text) {
					if words := len(strings.Fields(sentence)); words > longest {
						at(n, "a sentence of %d words; at most %d are allowed: %.60s ...", words, longest, strings.ReplaceAll(sentence, mark, ""))
					}
				}
			}
		})
	}
	for _, path := range s.list {
		if strings.HasPrefix(path, "docs/") && !linked[path] {
			faults = append(faults, path+": no document links to it")
		}
	}
	return faults
}

// words returns how many words all documents have.
func (s *docs) words() (n int) {
	for _, d := range s.docs {
		n += len(strings.Fields(string(d.source)))
	}
	return n
}

// follow returns the target of a link, and its fault.
func (s *docs) follow(d *doc, link string) (to, fault string) {
	to, fragment, external := d.target(link)
	if external {
		if strings.HasPrefix(link, "http://") {
			return "", link + ": a link to another server begins with https"
		}
		return "", ""
	}
	info, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(to)))
	switch other := s.docs[to]; {
	case err != nil:
		return to, link + ": there is no such file"
	case info.IsDir():
		return to, link + ": this is a folder; link a file in it"
	case fragment != "" && other == nil:
		return to, link + ": only documents have anchors"
	case fragment != "" && !other.ids[fragment]:
		return to, link + ": there is no such heading"
	}
	return to, ""
}

// commands is the table of all menus: in each line a menu, a command and its keys.
const commands = "docs/reference/keys.csv"

// menuItem matches a command in a text, as in "File > Save a report".
var menuItem = regexp.MustCompile(`^(File|Edit|View|Picture|Window/Level|Compare|Measure|Tools|Help) > (.*?)(?: …)?$`)

// hasCommand says whether a command is in a menu. The end of its title may be left out.
func (s *docs) hasCommand(menu, title string) bool {
	table, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(commands)))
	lines := "\n" + strings.ReplaceAll(string(table), `,"`, ",") // a title with commas is quoted
	return err == nil && strings.Contains(lines, "\n"+menu+","+title)
}

// alt returns the text of a picture.
func (d *doc) alt(n *ast.Image) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		b.WriteString(d.plain(c))
	}
	return b.String()
}

// prose returns the text of a node that is a paragraph or the like.
func (d *doc) prose(n ast.Node) (text string, ok bool) {
	switch n.(type) {
	case *ast.Paragraph, *ast.TextBlock, *ast.Heading, *extension.TableCell:
		return d.marked(n), true
	}
	return "", false
}

// end is the end of a sentence: a full stop, or the like, behind which the next one begins.
var end = regexp.MustCompile(`[.!?]["')]?\s+`)

// symbol matches a text that begins with a symbol of a formula: those are small letters at the beginning of a sentence too.
var symbol = regexp.MustCompile(`^([a-z](_\w+)?|sigma|rho|gaussian|odct|nlm|prinlm|bnlm|lpa|sadct|slab|bilateral)[ ,]`)

// abbreviations end with a full stop that ends no sentence.
var abbreviations = []string{"fig.", "eq.", "no.", "vs.", "e.g.", "i.e.", "al.", "approx."}

// sentences divides a text. A full stop ends a sentence if a capital letter, a digit, code or a mark follows.
func sentences(text string) (all []string) {
	start := 0
	for _, at := range end.FindAllStringIndex(text, -1) {
		next := []rune(text[at[1]:])
		if len(next) == 0 || unicode.IsLower(next[0]) && !symbol.MatchString(string(next)) || abbreviated(text[start:at[0]+1]) {
			continue
		}
		all = append(all, strings.TrimSpace(text[start:at[1]]))
		start = at[1]
	}
	if rest := strings.TrimSpace(text[start:]); rest != "" {
		all = append(all, rest)
	}
	return all
}

// abbreviated says whether a text ends with an abbreviation.
func abbreviated(text string) bool {
	words := strings.Fields(strings.ToLower(text))
	last := words[len(words)-1]
	for _, a := range abbreviations {
		if strings.TrimLeft(last, "(") == a {
			return true
		}
	}
	return false
}
