package hosts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"quell/app"
	"quell/app/executor"
	"quell/app/files"
	"quell/app/job"
	"quell/app/judge"
	"quell/app/open"
	"quell/denoise/verdict"
	"quell/io/atomic"
)

// Result is result.json.
type Result struct {
	Program string   `json:"program"`
	Version string   `json:"version"`
	Status  string   `json:"status"` // "done" or "failed"
	Series  []Series `json:"series,omitempty"`
	Error   any      `json:"error,omitempty"` // of Forms
	// Notification is what mercure mails: requested if the status is failed, or objects fade.
	Notification Notification `json:"__mercure_notification"`
}

// Series is what was made of one series.
type Series struct {
	Files     []string `json:"files"`               // in OUT
	Judgement string   `json:"judgement,omitempty"` // of a 4-D series the worst of its volumes
	Why       string   `json:"why,omitempty"`
	Figures   []string `json:"figures,omitempty"` // of that volume, in words
	executor.Outcome
}

// Notification is mercure's.
type Notification struct {
	Text      string `json:"text"`
	Requested bool   `json:"requested"`
}

// The states of a result.
const (
	Done   = "done"
	Failed = "failed"
)

// Run filters what lies in a place. Its error is in result.json as form says, unless OUT is not the module's to write to.
func Run(ctx context.Context, p Place, s Settings, form func(error) any, events job.Events) (Result, error) {
	if err := p.prepare(); err != nil {
		return Result{}, err
	}
	result := Result{Program: "quell", Version: job.Version(), Status: Done}
	made, err := p.filter(ctx, s, events, &result)
	if err == nil {
		err = p.publish(made)
	}
	err = errors.Join(err, os.RemoveAll(p.work()))
	if err != nil {
		result.Status, result.Series, result.Error = Failed, nil, form(err)
	}
	result.Notification = notification(result, err)
	if written := p.write(result); written != nil {
		return result, errors.Join(err, written)
	}
	return result, err
}

// Refuse leaves a result.json for an error of a file that is read before Run, such as the settings.
func Refuse(p Place, err error, form func(error) any) error {
	if prepared := p.prepare(); prepared != nil {
		return err
	}
	result := Result{Program: "quell", Version: job.Version(), Status: Failed, Error: form(err), Notification: notification(Result{}, err)}
	return errors.Join(err, os.RemoveAll(p.work()), p.write(result))
}

// write writes result.json.
func (p Place) write(result Result) error {
	data, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		return err
	}
	return atomic.WriteFile(p.result(), append(data, '\n'), 0o666)
}

// failedBefore reports whether a file is the result of a module that failed, which the next one replaces.
func failedBefore(path string) bool {
	var result Result
	data, err := os.ReadFile(path)
	return err == nil && json.Unmarshal(data, &result) == nil && result.Program == "quell" && result.Status == Failed
}

// filter does every series that is selected, in the folder for work.
func (p Place) filter(ctx context.Context, s Settings, events job.Events, result *Result) (made []moved, err error) {
	j, err := s.job()
	if err != nil {
		return nil, err
	}
	catalog, err := open.Scan(ctx, p.In)
	if err != nil {
		return nil, err
	}
	defer catalog.Close()
	inputs, err := selected(catalog, s.Series)
	if err != nil {
		return nil, err
	}
	for i, in := range inputs {
		prefix := ""
		if len(inputs) > 1 {
			prefix = fmt.Sprintf("s%d-", i+1)
		}
		j.Input = in
		chosen, err := catalog.Select(in)
		if err != nil {
			return nil, err
		}
		j.Output.Path = filepath.Join(p.work(), fmt.Sprint(i+1), nameOf(catalog, chosen.Entries[0]))
		if err := os.Mkdir(filepath.Dir(j.Output.Path), 0o777); err != nil {
			return nil, err
		}
		outcome, err := app.Do(ctx, j, events)
		if err != nil {
			return nil, err
		}
		files, err := p.filesOf(j.Output.Path, prefix)
		if err != nil {
			return nil, err
		}
		made = append(made, files...)
		result.Series = append(result.Series, seriesOf(outcome, files))
	}
	return made, nil
}

// selected returns the inputs that a setting names.
func selected(c *open.Catalog, which any) (inputs []job.Input, err error) {
	switch n := which.(type) {
	case nil:
		return []job.Input{{Path: c.Path}}, nil
	case float64:
		if i := int(n) - 1; float64(i+1) == n {
			return []job.Input{{Path: c.Path, Series: &i, All: i >= 0 && i < len(c.Entries) && len(c.Members(i)) > 1}}, nil
		}
	case string:
		if n != "all" {
			break
		}
		for _, item := range c.Items() {
			inputs = append(inputs, job.Input{Path: c.Path, Series: &item[0], All: len(item) > 1})
		}
		if inputs == nil {
			return []job.Input{{Path: c.Path}}, nil // which fails, and says why
		}
		return inputs, nil
	}
	return nil, job.Usagef("series is %v; give its number, from 1, or all", which)
}

// nameOf is the name of an output: a folder for DICOM, or else that of the file, which says its format.
func nameOf(c *open.Catalog, i int) string {
	format := files.FormatNamed(c.Entries[i].Format)
	if format.Folder() || len(c.Entries[i].Files()) == 0 {
		return "dicom"
	}
	name := filepath.Base(c.Entries[i].Files()[0])
	ending, output := format.Input(name)
	return strings.TrimSuffix(name, ending) + output
}

// filesOf lists what was written to path, with the names that it gets in OUT.
func (p Place) filesOf(path, prefix string) (all []moved, err error) {
	dir := filepath.Dir(path)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		record := moved{path + files.RecordSuffix, filepath.Join(p.Out, prefix+files.InsideRecord)}
		if _, err := os.Stat(record.from); err == nil {
			all = append(all, record)
		}
		dir = path
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if !e.IsDir() {
			all = append(all, moved{filepath.Join(dir, e.Name()), filepath.Join(p.Out, prefix+e.Name())})
		}
	}
	return all, err
}

// seriesOf says what was made, by the names in OUT.
func seriesOf(outcome executor.Outcome, made []moved) Series {
	s := Series{Outcome: outcome}
	for _, f := range made {
		s.Files = append(s.Files, filepath.Base(f.to))
	}
	s.Output, s.Record = "", "" // names of the folder for work
	var worst *judge.Measures
	for _, v := range outcome.Each {
		if m := v.Measures; m != nil && (worst == nil || m.Worse(worst.Assessment)) {
			worst = m
		}
	}
	if worst != nil {
		s.Judgement, s.Why = string(worst.Judgement), worst.Why.String()
		for _, f := range judge.FiguresOf(*worst) {
			s.Figures = append(s.Figures, f.Label.String()+": "+f.Line())
		}
	}
	return s
}

// notification is the sentence about a result.
func notification(result Result, err error) Notification {
	if err != nil {
		return Notification{Text: "Quell failed: " + err.Error(), Requested: true}
	}
	n := Notification{Text: fmt.Sprintf("Quell filtered %d series.", len(result.Series))}
	for _, s := range result.Series {
		if s.Judgement == "" {
			continue
		}
		word := verdict.Word(s.Judgement)
		n.Text += fmt.Sprintf(" Verdict: %s. %s", word.Message(), s.Why)
		n.Requested = n.Requested || word == verdict.Fades
	}
	return n
}
