package study

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"quell/app/files"
	"quell/internal/message"
	"quell/measure/readers"
)

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
