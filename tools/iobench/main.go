// Command iobench makes the series that scripts/io-bench.sh opens, and measures how
// long Quell takes to open them. Each call takes one measurement, so that each is of
// a new process. It prints milliseconds.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"quell/app/job"
	"quell/app/open"
	"quell/internal/parallel"
	"quell/volume"
)

// The measurements that are timed as a whole, and the other tasks. Each takes a path.
var (
	timed = map[string]func(path string) error{
		"read": readReused, "readfresh": readFresh, "touch": touch, "open": opened, "list": list,
	}
	untimed = map[string]func(path string) error{
		"make": makeSets, "tree": makeTree, "cancel": cancelled, "peak": peak, "hash": hash,
	}
)

func main() {
	if len(os.Args) == 3 {
		if err := run(os.Args[1], os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, "iobench:", err)
			os.Exit(1)
		}
		return
	}
	known := slices.Concat(slices.Sorted(maps.Keys(timed)), slices.Sorted(maps.Keys(untimed)))
	fmt.Fprintf(os.Stderr, "usage: iobench %s PATH\n", strings.Join(known, "|"))
	os.Exit(2)
}

func run(what, path string) error {
	if work, ok := untimed[what]; ok {
		return work(path)
	}
	work, ok := timed[what]
	if !ok {
		return errors.New("no such measurement: " + what)
	}
	start := time.Now()
	if err := work(path); err != nil {
		return err
	}
	printMilliseconds(time.Since(start))
	return nil
}

func printMilliseconds(d time.Duration) {
	fmt.Printf("%.1f\n", float64(d.Microseconds())/1000)
}

// eachFile calls f for every file below a folder, on one goroutine per core, each with
// its own buffer.
func eachFile(dir string, f func(path string, buf *[]byte) error) error {
	var paths []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	return parallel.ForWorkers(context.Background(), len(paths), runtime.GOMAXPROCS(0), func() func(int) error {
		buf := make([]byte, 1<<20)
		return func(i int) error { return f(paths[i], &buf) }
	})
}

// readReused reads all bytes into one buffer per goroutine.
func readReused(dir string) error {
	return eachFile(dir, func(path string, buf *[]byte) error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		for {
			if _, err := f.Read(*buf); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
		}
	})
}

// readFresh reads every file into newly allocated memory.
func readFresh(dir string) error {
	return eachFile(dir, func(path string, _ *[]byte) error {
		_, err := os.ReadFile(path)
		return err
	})
}

// touch allocates a volume of float32, two bytes for each byte of the folder's files,
// and writes to every page: the minimum for any program that has such a volume in
// memory.
func touch(dir string) error {
	var size atomic.Int64
	if err := eachFile(dir, func(path string, _ *[]byte) error {
		info, err := os.Stat(path)
		if err == nil {
			size.Add(info.Size())
		}
		return err
	}); err != nil {
		return err
	}
	voxels := volume.Make[float32](int(size.Load() / 2))
	part := len(voxels) / runtime.GOMAXPROCS(0)
	return parallel.For(context.Background(), runtime.GOMAXPROCS(0), func(i int) error {
		for j := i * part; j < (i+1)*part; j += 1024 {
			voxels[j] = 1
		}
		return nil
	})
}

func opened(path string) error {
	in, err := open.Open(context.Background(), job.Input{Path: path}, job.Events{})
	if err == nil {
		runtime.KeepAlive(in.Series)
		err = in.Close()
	}
	return err
}

// cancelled cancels an opening when a third of the slices are read, and prints the
// time until it returns.
func cancelled(path string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var at time.Time
	_, err := open.Open(ctx, job.Input{Path: path}, job.Events{Progress: func(_ job.Step, done, total int64) {
		if at.IsZero() && 3*done >= total {
			at = time.Now()
			cancel()
		}
	}})
	took := time.Since(at)
	if !errors.Is(err, context.Canceled) {
		return fmt.Errorf("after a cancel, opening returned %w", err)
	}
	printMilliseconds(took)
	return nil
}

// peak prints the size of the files, the size of the volume that is read from them and
// the peak of resident memory, in MB, as cells of a table.
func peak(path string) error {
	in, err := open.Open(context.Background(), job.Input{Path: path}, job.Events{})
	if err != nil {
		return err
	}
	defer in.Close()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	_, most, _ := strings.Cut(string(status), "VmHWM:")
	var kB int
	if _, err := fmt.Sscan(most, &kB); err != nil {
		return fmt.Errorf("no peak of resident memory in /proc/self/status: %w", err)
	}
	size := 4*len(in.Volume.Data) + len(in.Volume.Mask)
	fmt.Printf("%d | %d | %d\n", in.Catalog.Entries[in.Catalog.Default].Bytes/1e6, size/1e6, kB*1024/1e6)
	return nil
}

// list does the work of the series chooser: it lists the entries of a path and makes a
// thumbnail of each.
func list(path string) error {
	c, err := open.Scan(context.Background(), path)
	if err != nil {
		return err
	}
	for i := range c.Entries {
		c.Thumbnail(context.Background(), i, 128)
	}
	return c.Close()
}

// hash prints a digest of the volume, sources, metadata and findings of every entry of
// a path.
func hash(path string) error {
	ctx := context.Background()
	c, err := open.Scan(ctx, path)
	if err != nil {
		return err
	}
	for i, e := range c.Entries {
		s, err := c.Load(ctx, i, nil)
		if err != nil {
			fmt.Println(path, i, e.Part, err)
			continue
		}
		h := sha256.New()
		fmt.Fprintln(h, s.Volume.Geometry, s.Volume.Unit)
		for _, src := range s.Sources {
			fmt.Fprintln(h, src.Name, src.Frame, src.UID, src.Position, src.Slope, src.Inter)
		}
		h.Write(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s.Volume.Data))), 4*len(s.Volume.Data)))
		if m := s.Volume.Mask; m != nil {
			h.Write(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(m))), len(m)))
		}
		text := sha256.Sum256(fmt.Append(nil, s.Meta, s.Findings))
		fmt.Printf("%s %d %s %x %x\n", path, i, e.Part, h.Sum(nil)[:12], text[:4])
	}
	return c.Close()
}
