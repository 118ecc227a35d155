package shm

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

func TestSegmentIsSharedByTwoProcesses(t *testing.T) {
	if arg := os.Getenv("QUELL_SHM_CHILD"); arg != "" {
		s, err := Open(arg)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		s.Bytes[len(s.Bytes)-1] = s.Bytes[0] + 1
		os.Exit(0)
	}
	const size = 3 << 20
	s, err := Create(size)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Bytes) != size || s.Bytes[0] != 0 || s.Bytes[size-1] != 0 {
		t.Fatalf("%d bytes, the first %d; want %d zeros", len(s.Bytes), s.Bytes[0], size)
	}
	s.Bytes[0] = 41
	child := exec.Command(os.Args[0], "-test.run", "TestSegmentIsSharedByTwoProcesses")
	child.Env = append(os.Environ(), "QUELL_SHM_CHILD="+s.Arg())
	child.ExtraFiles = s.Files()
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := s.Bytes[size-1]; got != 42 {
		t.Errorf("the child wrote %d; want 42", got)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

func TestOpenRefusesAMissingFile(t *testing.T) {
	if _, err := Open(t.TempDir() + "/nothing"); err == nil {
		t.Error("no error")
	}
}
