package dimsetest

import (
	"os/exec"
	"testing"
)

// Dcmtk starts a program of dcmtk until the test ends, or skips the test if it is missing.
func Dcmtk(t testing.TB, name string, arguments ...string) {
	t.Helper()
	program, err := exec.LookPath(name)
	if err != nil {
		t.Skip(name + " of dcmtk is missing; scripts/setup.sh pacs installs it")
	}
	command := exec.Command(program, arguments...)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
}
