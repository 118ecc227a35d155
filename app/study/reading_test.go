package study_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/study"
)

func TestAReadingGoesOnWhereItEnded(t *testing.T) {
	page := filepath.Join(t.TempDir(), "s.html")
	k, err := study.Write(context.Background(), request(t, 1), page, false)
	if err != nil {
		t.Fatal(err)
	}
	r, err := study.Open(page, "reader 1")
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(r.Path()) != "s.answers-reader_1.csv" || r.Answered() != 0 {
		t.Errorf("%s, %d answered", r.Path(), r.Answered())
	}
	for i := range len(k.Trials) {
		if i%5 == 0 { // as after a crash
			if r, err = study.Open(page, "reader 1"); err != nil {
				t.Fatal(err)
			}
		}
		pair, ok := r.Next()
		if !ok || r.Answered() != i || string(pair[0]) != string(r.Page.Pairs[i][0]) {
			t.Fatalf("pair %d, %d are answered", i, r.Answered())
		}
		if err := r.Answer(k.Trials[i].Left); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := r.Next(); ok {
		t.Error("a pair is shown after the last one")
	}
	// A name that gives the same file shares it.
	other, err := study.Open(page, "reader_1")
	if err != nil || other.Answered() != 0 || other.Path() != r.Path() {
		t.Fatalf("%d answered, %v", other.Answered(), err)
	}
	if err := other.Answer(!k.Trials[0].Left); err != nil {
		t.Fatal(err)
	}
	if r, err = study.Open(page, "reader 1"); err != nil || r.Answered() != len(k.Trials) {
		t.Fatalf("%d answered, %v", r.Answered(), err)
	}
	results, err := r.Results()
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := r.Score(results); !ok || s.AsItIs.Right != 12 || s.Filtered.Right != 12 || len(results.Answers) != len(k.Trials)+1 {
		t.Errorf("%+v of %d answers", s, len(results.Answers))
	}
	for _, name := range []string{"", " ", "a,b", `a"b`, "a\nb", strings.Repeat("a", 41)} {
		if _, err := study.Open(page, name); err == nil {
			t.Errorf("a reader is called %q", name)
		}
	}
}

func TestWhatIsNoReading(t *testing.T) {
	dir := t.TempDir()
	page, answers := filepath.Join(dir, "s.html"), filepath.Join(dir, "s.answers-a.csv")
	if _, err := study.Write(context.Background(), request(t, 1), page, false); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"study,reader,trial,choice\nother,a,1,left\n": "it contains answers to another study",
		"mine\n": "the first line is not",
	} {
		if err := os.WriteFile(answers, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := study.Open(page, "a"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"nothing": "", "cut": string(data[:len(data)/2]), "no picture": strings.Replace(string(data), "iVBOR", "iVBOX", 1),
	} {
		path := filepath.Join(dir, "damaged.html")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := study.ReadPage(path); err == nil || !strings.Contains(err.Error(), "no page of a reader study") {
			t.Errorf("%s: %v", what, err)
		}
	}
	// Without its key a study cannot be scored.
	r, err := study.Open(page, "b")
	if err == nil {
		err = r.Answer(true)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(study.KeyPath(page)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Results(); err == nil {
		t.Error("a study is scored without its key")
	}
	if err := os.WriteFile(r.Path(), []byte("a table of mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.Answer(true); err == nil {
		t.Error("a file that is no answers is replaced")
	}
}
