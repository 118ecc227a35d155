package atomic

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// stagingVariable names the target for which another process begins a stage.
const stagingVariable = "QUELL_TEST_ATOMIC_STAGING"

// TestStageOfADeadProcess kills a process that has a stage. While it lives the stage stays; then the
// next writer removes it, without waiting for its lease.
func TestStageOfADeadProcess(t *testing.T) {
	if target := os.Getenv(stagingVariable); target != "" {
		s, err := Begin(target)
		if err != nil {
			t.Fatal(err)
		}
		put(t, s.Path("half"), "half written")
		os.Stdout.WriteString("staged\n")
		time.Sleep(time.Hour) // until it is killed
	}
	parent := t.TempDir()
	owner := exec.Command(os.Args[0], "-test.run=^TestStageOfADeadProcess$")
	owner.Env = append(os.Environ(), stagingVariable+"="+filepath.Join(parent, "theirs"))
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "staged\n" {
		t.Fatalf("%q, %v", line, err)
	}
	write := func() (left int) {
		t.Helper()
		if err := WriteFile(filepath.Join(parent, "ours"), []byte("ours"), 0o644); err != nil {
			t.Fatal(err)
		}
		return len(stages(t, parent))
	}
	if n := write(); n != 1 {
		t.Errorf("%d stages beside a process that lives", n)
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait() // it was killed
	if n := write(); n != 0 {
		t.Errorf("%d stages of a process that was killed", n)
	}
}

// TestStagesOfOtherMachinesWait: without the lock of a process of this kernel the age counts alone.
func TestStagesOfOtherMachinesWait(t *testing.T) {
	if boot() == "" {
		t.Skip("the boot of this machine is not known")
	}
	parent := t.TempDir()
	for _, x := range []struct {
		lease string
		goes  bool
	}{
		{string(leaseOf(true)), true},
		{string(leaseOf(false)), false},
		{strings.Replace(string(leaseOf(true)), boot(), "another-"+boot(), 1), false},
		{strings.Replace(string(leaseOf(true)), boot(), boot()+"-another", 1), false},
		{"", false},
	} {
		stage := newStageName(parent)
		put(t, filepath.Join(stage, leaseName), x.lease)
		clearExpired(unsynced(), parent, fileTime(t, parent))
		if _, err := os.Stat(stage); (err != nil) != x.goes {
			t.Errorf("lease %q: %v", x.lease, err)
		}
	}
}
