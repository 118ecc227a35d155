package study

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"quell/app/files"
	"quell/app/job"
	"quell/internal/message"
	"quell/measure/readers"
)

// KeyPath returns the path of the key beside a page.
func KeyPath(page string) string {
	return strings.TrimSuffix(page, filepath.Ext(page)) + ".key.json"
}

// Results is what readers answered to studies.
type Results struct {
	Plans   map[string][]readers.Trial // by study
	Keys    map[string]Key             // likewise
	Answers []readers.Answer
	title   string
}

// mostBytes bounds a key and a file of answers: a million answers.
const mostBytes = 64 << 20

// Read reads keys (.json) and answers (.csv). Errors: a *job.InputError with the file; answers to a study without a key.
func Read(paths []string) (Results, error) {
	r := Results{Plans: map[string][]readers.Trial{}, Keys: map[string]Key{}}
	for _, path := range paths {
		if filepath.Ext(path) == ".csv" {
			continue
		}
		var k Key
		data, err := read(path)
		if err != nil {
			return r, err
		}
		if err := json.Unmarshal(data, &k); err != nil || k.Study == "" || len(k.Trials) == 0 {
			return r, wrong(path, message.Errorf("", "it is no key of a study"), message.Text("give a key that quell study make wrote beside its page"))
		}
		if !k.sound() {
			return r, wrong(path, message.Errorf(message.InputDamaged, "it is damaged: its trials do not follow from its seed"), message.Text("get a complete copy, or make the study again by the same command"))
		}
		r.Plans[k.Study], r.Keys[k.Study] = k.Trials, k
		r.title = fmt.Sprintf("%s of %.3g mm, contrast %.3g %s; %s", k.Lesion.Shape, k.Lesion.Size, k.Lesion.Contrast, k.Unit, k.Recipe)
	}
	if len(r.Plans) == 0 {
		return r, job.Usagef("no key is given; it ends in .key.json and lies beside the page")
	}
	for _, path := range paths {
		if filepath.Ext(path) != ".csv" {
			continue
		}
		data, err := read(path)
		if err != nil {
			return r, err
		}
		answers, err := ReadAnswers(strings.NewReader(string(data)))
		if err != nil {
			return r, wrong(path, err, message.Text("save the answers again"))
		}
		for _, a := range answers {
			if a.Trial < 0 || a.Trial >= len(r.Plans[a.Study]) {
				return r, wrong(path, message.Errorf("", "no key given has trial %d of study %s", a.Trial+1, a.Study), message.Text("give the key of that study too"))
			}
		}
		r.Answers = append(r.Answers, answers...)
	}
	if len(r.Answers) == 0 {
		return r, job.Usagef("no answers are given; a page of a study saves them as .csv")
	}
	return r, nil
}

// sound reports whether the trials are those that were drawn, of an even number of cases or with one left over.
func (k Key) sound() bool {
	n := len(k.Trials)
	return slices.Equal(k.Trials, readers.Plan(n, k.Seed)) || slices.Equal(k.Trials, readers.Plan(n+1, k.Seed))
}

// read reads a file of at most mostBytes.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, job.Unreadable(err, path, nil)
	}
	if info.Size() > mostBytes || !info.Mode().IsRegular() { // a pipe may never end
		return nil, wrong(path, message.Errorf("", "it is no file of the size that keys and answers have"), message.Text("give the file that quell study make or a page wrote"))
	}
	data, err := os.ReadFile(path)
	return data, job.Unreadable(err, path, nil)
}

func wrong(path string, err error, advice message.Message) error {
	return &job.InputError{Path: path, Problem: message.Of(err), Advice: advice}
}

// beside returns the keys and the answers in the folder of a page, all cases and readers of a study with several: keys
// that are no key of a study and tables that hold no answers are left out.
func beside(page string) (paths []string, err error) {
	dir := filepath.Dir(page)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, job.Unreadable(err, dir, nil)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case strings.HasSuffix(path, ".key.json") && files.StudyKeyOutput.Ours(path), filepath.Ext(path) == ".csv" && files.AnswersOutput.Ours(path):
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// WriteIMRMC writes the answers in the form of iMRMC.
func (r Results) WriteIMRMC(path string, overwrite bool) error {
	var b bytes.Buffer
	if err := readers.WriteIMRMC(&b, "Two-alternative forced choice with Quell: "+r.title, r.Plans, r.Answers); err != nil {
		return err
	}
	return files.Write(files.IMRMCOutput, path, b.Bytes(), overwrite)
}
