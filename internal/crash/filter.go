package crash

import (
	"bytes"
	"path"
	"regexp"
	"strings"
)

// The lines of Go's report that are kept. Arguments of functions and the folders
// of source files are removed.
var (
	goroutineLine = regexp.MustCompile(`^goroutine \d+ .*\[[a-zA-Z0-9 ,().]+\]:$`)
	functionLine  = regexp.MustCompile(`^([a-zA-Z0-9_./·*()\[\]\-…]+)\([^()]*\)$`)
	createdLine   = regexp.MustCompile(`^created by ([a-zA-Z0-9_./·*()\[\]\-…]+)( in goroutine \d+)?$`)
	sourceLine    = regexp.MustCompile(`^\t(.+\.(?:go|s|c)):(\d+)( \+0x[0-9a-f]+)?( fp=\S+ sp=\S+ pc=\S+)?$`)
	elidedLine    = regexp.MustCompile(`^\.\.\.(additional|\d+) frames? ?elided\.\.\.$`)
	signalLine    = regexp.MustCompile(`^(\[signal [A-Za-z0-9:= ]+\]|SIG[A-Z]+: [a-z ]+|signal arrived during cgo execution)$`)
	// The type of a panic's value, as Panicked and the runtime write it.
	typeLine = regexp.MustCompile(`^panic: \([a-zA-Z0-9_./*\[\]]+\)`)
	// The runtime's own messages hold numbers and types alone.
	messageLine = regexp.MustCompile(`^(fatal error: |panic: runtime error: |panic: interface conversion: )`)
)

// filter keeps the parts of a report that cannot hold names or paths of data.
func filter(report []byte) []byte {
	var out bytes.Buffer
	trace := false // after the first goroutine's headline
	for line := range strings.Lines(string(report)) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case goroutineLine.MatchString(line):
			trace = true
			i := strings.IndexByte(line, '[')
			number := strings.Fields(line)[1]
			out.WriteString("\ngoroutine " + number + " " + line[i:] + "\n")
		case !trace && messageLine.MatchString(line), !trace && signalLine.MatchString(line):
			out.WriteString(line + "\n")
		case !trace && typeLine.MatchString(line): // the type alone
			out.WriteString(typeLine.FindString(line) + "\n")
		case !trace && strings.HasPrefix(line, "panic: "):
			out.WriteString("panic: (text left out)\n")
		case !trace:
		case createdLine.MatchString(line), elidedLine.MatchString(line):
			out.WriteString(line + "\n")
		case sourceLine.MatchString(line):
			m := sourceLine.FindStringSubmatch(line)
			out.WriteString("\t" + path.Join(path.Base(path.Dir(m[1])), path.Base(m[1])) + ":" + m[2] + "\n")
		case functionLine.MatchString(line):
			out.WriteString(functionLine.FindStringSubmatch(line)[1] + "(...)\n")
		}
	}
	return out.Bytes()
}
