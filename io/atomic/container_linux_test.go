package atomic

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// parentVariable names the folder that a process in another container writes to.
const parentVariable = "QUELL_TEST_ATOMIC_PARENT"

// TestOtherContainersKeepAStage runs a writer with process ids of its own and the
// same host name, as a container next to ours on shared storage has.
func TestOtherContainersKeepAStage(t *testing.T) {
	if parent := os.Getenv(parentVariable); parent != "" {
		if err := WriteFile(filepath.Join(parent, "theirs"), []byte("theirs"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	parent := t.TempDir()
	s := beginOn(t, filepath.Join(parent, "ours"), disk{})
	defer s.Close()
	put(t, s.Path("ours"), "ours")

	cmd := exec.Command(os.Args[0], "-test.run=^TestOtherContainersKeepAStage$")
	cmd.Env = append(os.Environ(), parentVariable+"="+parent)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}}
	if err := cmd.Start(); err != nil {
		t.Skipf("processes cannot be put into a namespace here: %v", err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Error(err)
	}
	s.Close()
	if got := tree(t, parent); len(got) != 2 || got[0] != "ours=ours" || got[1] != "theirs=theirs" {
		t.Errorf("files %q", got)
	}
}
