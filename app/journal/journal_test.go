package journal

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

type piece struct {
	Name string `json:"name"`
	Fill string `json:"fill"`
	N    int    `json:"n"` // as many bytes as Fill has
}

func journalIn(dir string) Journal[piece] {
	return Journal[piece]{Folder: dir, Sound: func(name string, p *piece) bool { return p.Name == name && len(p.Fill) == p.N }}
}

// TestJournal: entries are visited in order once they were written, and what cannot be one is named, moved and known no more.
func TestJournal(t *testing.T) {
	j := journalIn(filepath.Join(t.TempDir(), "pieces"))
	if _, err := j.Each(nil, func(*piece) { t.Error("an entry") }); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(j.Folder, 0o777))
	for _, name := range []string{"2", "1"} {
		must(j.Save(name, &piece{Name: name}))
	}
	must(os.WriteFile(j.Path("cut"), []byte(`{"name": "cu`), 0o666))
	must(j.Save("other", &piece{Name: "3"}))
	must(os.WriteFile(filepath.Join(j.Folder, "note"), nil, 0o666))
	stamps := map[string]time.Time{}
	visit := func() (names, damaged []string) {
		damaged, err := j.Each(stamps, func(p *piece) { names = append(names, p.Name) })
		must(err)
		return names, damaged
	}
	names, damaged := visit()
	if !slices.Equal(names, []string{"1", "2"}) || !slices.Equal(damaged, []string{"cut.json", "other.json"}) {
		t.Errorf("%v, damaged %v", names, damaged)
	}
	away := filepath.Join(t.TempDir(), "damaged")
	for _, file := range damaged {
		must(j.Quarantine(file, away))
	}
	must(os.Chtimes(j.Path("2"), time.Now(), time.Now().Add(time.Hour)))
	if names, damaged = visit(); !slices.Equal(names, []string{"2"}) || len(damaged) != 0 {
		t.Errorf("changed: %v, damaged %v", names, damaged)
	}
	if _, err := os.Stat(filepath.Join(away, "other.json")); err != nil {
		t.Error(err)
	}
	must(j.Remove("1"))
	must(j.Remove("1"))
	if _, ok := j.Load("1"); ok {
		t.Error("an entry that was removed is loaded")
	}
	full := errors.New("full")
	j.Write = func(string, []byte) error { return full }
	if err := j.Save("2", &piece{Name: "2", N: 9}); !errors.Is(err, full) {
		t.Error(err)
	}
	if p, ok := j.Load("2"); !ok || p.N != 0 {
		t.Errorf("%+v after a write that failed", p)
	}
}

const writerEnv = "QUELL_TEST_JOURNAL"

func TestMain(m *testing.M) {
	dir := os.Getenv(writerEnv)
	if dir == "" {
		os.Exit(m.Run())
	}
	h, err := Take(filepath.Join(dir, "hold"))
	for i := 0; err == nil; i++ {
		h.Enter()
		n := i % 200_000
		err = journalIn(dir).Save("a", &piece{Name: "a", Fill: strings.Repeat("x", n), N: n})
		if i == 0 {
			os.Stdout.Write([]byte("begun\n"))
		}
	}
	os.Exit(1)
}

// TestKilledWriter: at whatever moment a process is killed that writes an entry again and again, the entry is a whole one, and
// the end of the process is counted.
func TestKilledWriter(t *testing.T) {
	dir := t.TempDir()
	for kill := range 5 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), writerEnv+"="+dir)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err == nil {
			_, err = out.Read(make([]byte, 6))
		}
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(kill) * 3 * time.Millisecond) // any moment is good
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if damaged, err := journalIn(dir).Each(nil, func(*piece) {}); err != nil || len(damaged) > 0 {
			t.Fatalf("kill %d: %v is damaged, %v", kill, damaged, err)
		}
		if p, ok := journalIn(dir).Load("a"); !ok {
			t.Fatalf("kill %d: %+v", kill, p)
		}
		if got := Ended(filepath.Join(dir, "hold")); got != kill+1 {
			t.Errorf("kill %d: %d ends are counted", kill, got)
		}
	}
}
