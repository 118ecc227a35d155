//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// submission is a script that sbatch would run.
type submission struct {
	directives map[string]string // of #SBATCH lines
	path       string
}

// sbatch reads a script as Slurm does: its directives end with the first command.
func sbatch(t *testing.T, path string) submission {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := submission{map[string]string{}, path}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if text, ok := strings.CutPrefix(line, "#SBATCH --"); ok {
			key, value, _ := strings.Cut(text, "=")
			s.directives[key] = value
		} else if line != "" && line[0] != '#' {
			break
		}
	}
	return s
}

// TestSlurmScripts run under a stand-in of Slurm and of quell: the signal before the end, which
// B: sends to the batch shell alone, reaches quell, and the exit code of quell is the script's.
func TestSlurmScripts(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	const stub = `#!/bin/sh
trap 'exit 130' TERM
echo "$@ on $GOMAXPROCS"
while :; do sleep 0.05; done
`
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "quell"), []byte(stub), 0o777); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"slurm-shards.sh":  "batch /data/cohort /data/denoised --preset mr-brain-3d --shard 3/16 --memory 28GB on 8",
		"slurm-workers.sh": "worker --nats nats://head:4222 --drain --memory 56GB on 8",
	} {
		s := sbatch(t, filepath.Join("../../docs/cluster", name))
		if !regexp.MustCompile(`^B:TERM@\d+$`).MatchString(s.directives["signal"]) {
			t.Errorf("%s: the signal %q does not go to the batch shell", name, s.directives["signal"])
		}
		run := func(env ...string) *exec.Cmd {
			cmd := exec.Command(bash, s.path)
			cmd.Env = append([]string{"PATH=" + dir + ":/usr/bin:/bin", "SLURM_ARRAY_TASK_ID=3", "SLURM_CPUS_PER_TASK=" + s.directives["cpus-per-task"]}, env...)
			return cmd
		}
		cmd := run("QUELL_NATS_TOKEN=secret")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil || strings.TrimSpace(line) != want {
			t.Errorf("%s runs %q, %v; want %q", name, line, err, want)
		}
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil { // to this process alone
			t.Error(err)
		}
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(want, "--nats") {
			if err := run().Run(); err == nil {
				t.Errorf("%s runs without a token", name)
			}
		}
	}
}
