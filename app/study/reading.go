package study

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"quell/app/files"
	"quell/internal/message"
	"quell/measure/readers"
)

// Reading is one reader at a study. Every answer is in the reader's file before the next pair is shown, so that the
// reading goes on where it ended. Its methods are for one goroutine.
type Reading struct {
	Page   Page
	Reader string

	page, path string
	all        []readers.Answer // of the file
	left       map[int]bool     // of this reader, by trial
}

// Open begins the reading of a page, or continues the one of that reader. Errors: those of CheckReader and ReadPage; a
// *job.InputError if the file of the answers is of another study.
func Open(page, reader string) (*Reading, error) {
	if err := CheckReader(reader); err != nil {
		return nil, err
	}
	p, err := ReadPage(page)
	if err != nil {
		return nil, err
	}
	r := &Reading{Page: p, Reader: reader, page: page, path: answersPath(page, reader), left: map[int]bool{}}
	if !files.Exists(r.path) {
		return r, nil
	}
	data, err := read(r.path)
	if err != nil {
		return nil, err
	}
	if r.all, err = ReadAnswers(strings.NewReader(string(data))); err != nil {
		return nil, wrong(r.path, err, message.Text("move the file away, or give another name"))
	}
	for _, a := range r.all {
		if a.Study != p.Study || a.Trial < 0 || a.Trial >= len(p.Pairs) {
			return nil, wrong(r.path, message.Errorf("", "it contains answers to another study"), message.Text("move the file away, or give another name"))
		}
		if a.Reader == reader {
			r.left[a.Trial] = a.Left
		}
	}
	return r, nil
}

// answersPath returns the path of the answers of a reader to a study, beside its page.
func answersPath(page, reader string) string {
	name := strings.Map(func(r rune) rune {
		if r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, reader)
	return strings.TrimSuffix(page, filepath.Ext(page)) + ".answers-" + name + ".csv"
}

// Path returns the path of the file of answers.
func (r *Reading) Path() string { return r.path }

// Answered returns how many pairs are answered.
func (r *Reading) Answered() int { return len(r.left) }

// Next returns the first pair without an answer, PNGs left and right; false if all are answered.
func (r *Reading) Next() (pair [2][]byte, ok bool) {
	if k, ok := r.next(); ok {
		return r.Page.Pairs[k], true
	}
	return pair, false
}

func (r *Reading) next() (trial int, ok bool) {
	for k := range r.Page.Pairs {
		if _, answered := r.left[k]; !answered {
			return k, true
		}
	}
	return 0, false
}

// Answer writes the choice in the pair that Next returns. If it fails the pair is still without an answer.
func (r *Reading) Answer(left bool) error {
	k, ok := r.next()
	if !ok {
		return nil
	}
	all := append(r.all[:len(r.all):len(r.all)], readers.Answer{Study: r.Page.Study, Reader: r.Reader, Trial: k, Left: left})
	if err := writeAnswers(r.path, all); err != nil {
		return err
	}
	r.all, r.left[k] = all, left
	return nil
}

// Results returns all cases and readers in the folder of the page. Errors: those of Read.
func (r *Reading) Results() (Results, error) {
	paths, err := beside(r.page)
	if err != nil {
		return Results{}, err
	}
	return Read(paths)
}

// Score returns what this reader saw in this study; false without an answer or without the key.
func (r *Reading) Score(of Results) (readers.Score, bool) {
	plan := of.Plans[r.Page.Study]
	for _, s := range readers.Scores(map[string][]readers.Trial{r.Page.Study: plan}, r.all) {
		if s.Reader == r.Reader {
			return s, true
		}
	}
	return readers.Score{}, false
}

// mostName bounds the name of a reader, as the page does.
const mostName = 40

// CheckReader returns why a name is none for a reader: it stands in a table and in the name of a file.
func CheckReader(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return message.Errorf("", "give the reader a number or a name")
	case len([]rune(name)) > mostName:
		return message.Errorf("", "the name of a reader has at most %d letters", mostName)
	case strings.ContainsAny(name, ",\"") || strings.ContainsFunc(name, unicode.IsControl):
		return message.Errorf("", "the name of a reader has no comma and no quotation mark")
	}
	return nil
}

// head is the first line of a file of answers. No field has a comma.
const head = files.AnswersHead

// writeAnswers replaces a file of answers at once: after a crash it holds all of them, or all but the last. It replaces no
// other file.
func writeAnswers(path string, all []readers.Answer) error {
	var b strings.Builder
	b.WriteString(head + "\n")
	for _, a := range all {
		choice := "right"
		if a.Left {
			choice = "left"
		}
		fmt.Fprintf(&b, "%s,%s,%d,%s\n", a.Study, a.Reader, a.Trial+1, choice)
	}
	return files.Write(files.AnswersOutput, path, []byte(b.String()), false)
}

// ReadAnswers reads a file that a page saved: lines of study, reader, trial counted from 1, and left or right. The error is
// one sentence with the line.
func ReadAnswers(r io.Reader) (all []readers.Answer, err error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSuffix(lines.Text(), "\r")
		if n == 1 {
			if line != head {
				return nil, message.Errorf("", "the first line is not %q; a page of a study saves answers", head)
			}
			continue
		}
		field := strings.Split(line, ",")
		if len(field) != 4 || field[1] == "" || field[3] != "left" && field[3] != "right" {
			return nil, noAnswer(n)
		}
		trial, err := strconv.Atoi(field[2])
		if err != nil {
			return nil, noAnswer(n)
		}
		all = append(all, readers.Answer{Study: field[0], Reader: field[1], Trial: trial - 1, Left: field[3] == "left"})
	}
	if err := lines.Err(); err != nil {
		return nil, message.Errorf("", "a line is too long for an answer of a study: %w", err)
	}
	return all, nil
}

func noAnswer(line int) error {
	return message.Errorf("", "line %d is not an answer of a study: %s", line, head)
}
