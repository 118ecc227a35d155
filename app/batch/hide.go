package batch

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"quell/app/job"
	"quell/app/open"
	"quell/io/atomic"
)

// A batch that is de-identified has pseudonyms in place of names from the moment when its units are
// known: names of outputs, results, keys, reports, messages of the queue and log follow from them.

// pseudonyms loads the pseudonyms of this account. They name results and outputs, so a key
// that is not stored would do every series again.
func (b *batch) pseudonyms() (err error) {
	if !b.o.Job.Output.Deidentify {
		return nil
	}
	if b.hide, err = open.NewPseudonyms(); err != nil {
		return job.Usagef("the key of the pseudonyms cannot be stored (%w), and a later run would not know the results of this one; set XDG_CONFIG_HOME to a folder that can be written", err)
	}
	return nil
}

// hidden gives units pseudonyms for names.
func (b *batch) hidden(units []Unit) []Unit {
	if b.hide == nil {
		return units
	}
	units = slices.Clone(units)
	for i := range units {
		u := &units[i]
		name, number := u.Name, ""
		if u.Series != nil {
			number = "#" + strconv.Itoa(*u.Series)
			name = strings.TrimSuffix(name, number)
		}
		u.Given, u.Name = u.Name, b.hide.Path(name)+number
	}
	slices.SortFunc(units, func(a, c Unit) int { return strings.Compare(a.Name, c.Name) })
	return units
}

// seal hides the path of a unit from people who do not have the key.
func (b *batch) seal(units []Unit) ([]Unit, error) {
	if b.hide == nil {
		return units, nil
	}
	units = slices.Clone(units)
	for i := range units {
		data, err := json.Marshal([]string{units[i].Given, units[i].Path})
		if err != nil {
			return nil, err
		}
		units[i].Given, units[i].Path, units[i].Sealed = "", "", b.hide.Seal(string(data))
	}
	return units, nil
}

// unseal undoes seal.
func (b *batch) unseal(u Unit) (Unit, error) {
	if u.Sealed == "" {
		return u, nil
	}
	text, err := b.hide.Unseal(u.Sealed)
	var hidden []string
	if err == nil {
		err = json.Unmarshal([]byte(text), &hidden)
	}
	if err == nil && len(hidden) != 2 {
		err = errors.New("the unit is not sealed as this program does")
	}
	if err == nil {
		u.Given, u.Path, u.Sealed = hidden[0], hidden[1], ""
	}
	return u, err
}

// selectText is the selection for the report, of a batch that is de-identified a pseudonym: the
// selection may name a patient.
func (b *batch) selectText() string { return b.hide.Text("select", b.o.Select) }

// keyName identifies the key, "" if names stay.
func (b *batch) keyName() string {
	if b.hide == nil {
		return ""
	}
	return b.hide.Text("key", "of a batch")
}

// sameKey refuses an output with pseudonyms that follow from another key: series would be done
// twice, under two names.
func (b *batch) sameKey() error {
	if b.hide == nil {
		return nil
	}
	path, mine := filepath.Join(b.store.dir(), "pseudonyms"), b.keyName()
	err := atomic.CreateFile(path, []byte(mine), 0o666)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	theirs, err := os.ReadFile(path)
	if err != nil {
		return atomic.WriteError(path, err)
	}
	if string(theirs) != mine {
		return job.Usagef("%s was begun with another key of pseudonyms: use the account that began it, or copy its pseudonyms.key beside the settings of this one", b.o.Output)
	}
	return nil
}

// Reveal returns the inputs that a pseudonym of a de-identified batch stands for: the path of a
// unit, or of all in the folder. The error is List's, or an *job.UsageError if there is none.
func Reveal(units []Unit, pseudonym string) ([]string, error) {
	hide, err := open.NewPseudonyms()
	if err != nil {
		return nil, err
	}
	b := &batch{hide: hide}
	pseudonym = strings.Trim(filepath.ToSlash(pseudonym), "/")
	var paths []string
	for _, u := range b.hidden(units) {
		if u.Name == pseudonym || strings.HasPrefix(u.Name, pseudonym+"/") || strings.HasPrefix(pseudonym, u.Name+"/") {
			paths = append(paths, u.Path)
		}
	}
	if paths == nil {
		return nil, job.Usagef("no input has the pseudonym %s; give the inputs and the account of the batch", pseudonym)
	}
	return paths, nil
}
