package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// usage is the processor time of a workbench, in ms.
type usage struct {
	all    float64
	opengl float64 // in the threads of llvmpipe, which paint if no graphics card does
	ui     float64 // in the thread of the toolkit, which walks the window and gives it to OpenGL
}

// usageOf returns the usage of a process so far.
func usageOf(pid int) (u usage, err error) {
	folder := fmt.Sprintf("/proc/%d", pid)
	whole, err := os.ReadFile(filepath.Join(folder, "stat")) //nolint:gosec // a number alone
	if err != nil {
		return u, err
	}
	if _, u.all, err = parseStat(string(whole)); err != nil {
		return u, err
	}
	threads, err := filepath.Glob(filepath.Join(folder, "task", "*", "stat"))
	if err != nil {
		return u, err
	}
	for _, path := range threads {
		stat, err := os.ReadFile(path) //nolint:gosec // of the folder above
		if err != nil {
			continue // the thread has ended
		}
		name, ms, err := parseStat(string(stat))
		if err != nil {
			return u, err
		}
		switch {
		case strings.HasPrefix(name, "llvmpipe"):
			u.opengl += ms
		case filepath.Base(filepath.Dir(path)) == strconv.Itoa(pid):
			u.ui += ms
		}
	}
	return u, nil
}

// parseStat returns the name of a thread and its processor time in ms from a line of the kernel.
func parseStat(line string) (name string, ms float64, err error) {
	from, to := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if from < 0 || to < from {
		return "", 0, fmt.Errorf("a thread without a name: %q", line)
	}
	const user, system, tick = 11, 12, 10 // fields after the name, and ms of a tick
	fields := strings.Fields(line[to+1:])
	if len(fields) <= system {
		return "", 0, fmt.Errorf("a thread without times: %q", line)
	}
	for _, f := range fields[user : system+1] {
		n, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return "", 0, fmt.Errorf("the times of a thread: %w", err)
		}
		ms += n * tick
	}
	return line[from+1 : to], ms, nil
}

// since returns what was used after an earlier usage, per picture.
func (u usage) since(before usage, pictures int) usage {
	n := float64(max(pictures, 1))
	return usage{all: (u.all - before.all) / n, opengl: (u.opengl - before.opengl) / n, ui: (u.ui - before.ui) / n}
}
