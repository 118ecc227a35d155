package crash

import "testing"

// TestFilter pins the parts of a report that are kept: before the first goroutine the runtime's own
// messages, behind it functions, files and lines.
func TestFilter(t *testing.T) {
	for _, c := range []struct{ what, report, want string }{
		{"text of a panic", "panic: cannot read DOE^JOHN\n", "panic: (text left out)\n"},
		{"text of several lines", "panic: a\nDOE^JOHN\nDOE.JOHN(1)\n", "panic: (text left out)\n"},
		{"type of a recovered panic", "panic: (*errors.errorString) DOE\n", "panic: (*errors.errorString)\n"},
		{"type without an end", "panic: (DOE\n", "panic: (text left out)\n"},
		{"text in brackets", "panic: (cannot read DOE^JOHN)\n", "panic: (text left out)\n"},
		{"runtime error", "panic: runtime error: index out of range [8] with length 1\n", "panic: runtime error: index out of range [8] with length 1\n"},
		{"conversion", "panic: interface conversion: a is nil\r\n", "panic: interface conversion: a is nil\n"},
		{"fatal error", "fatal error: out of memory\n", "fatal error: out of memory\n"},
		{"signal", "[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4]\n", "[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4]\n"},
		{
			"goroutines", `panic: DOE
text of DOE

goroutine 17 gp=0xc000 m=3 mp=0xc001 [running]:
main.(*T).f(0xc000, {0x1, 0x2})
	/home/doe/src/quell/main.go:12 +0x1d fp=0x1 sp=0x2 pc=0x3
panic: DOE
fatal error: DOE
SIGQUIT: quit
...additional frames elided...
created by main.main in goroutine 1
	/home/doe/src/quell/start.go:7 +0x2f

goroutine 1 [select, 2 minutes]:
main.main()
	/home/doe/src/quell/main.go:3
rax    0x0
`, `panic: (text left out)

goroutine 17 [running]:
main.(*T).f(...)
	quell/main.go:12
...additional frames elided...
created by main.main in goroutine 1
	quell/start.go:7

goroutine 1 [select, 2 minutes]:
main.main(...)
	quell/main.go:3
`,
		},
	} {
		if got := string(filter([]byte(c.report))); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.what, got, c.want)
		}
	}
}
