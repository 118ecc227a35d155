package pacs

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"quell/app/files"
	"quell/app/job"
	"quell/internal/lockfile"
	"quell/internal/message"
	"quell/io/atomic"
)

// kept is the file of the places. It is apart from the settings of the workbench, as the command line
// changes it too.
type kept struct {
	Places []Place `json:"places"` // by name
}

var placeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// PlacesPath returns the path of the places: next to the settings.
func PlacesPath() (string, error) {
	settings, err := files.SettingsPath()
	if err != nil {
		return "", err
	}
	return filepath.Join(filepath.Dir(settings), "places.json"), nil
}

// Places returns the places that are kept, by name. An existing file that cannot be read is an error.
func Places() ([]Place, error) {
	path, err := PlacesPath()
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var k kept
	if err == nil {
		err = json.Unmarshal(b, &k)
	}
	if err != nil {
		return nil, &job.InputError{Path: path, Problem: message.New(message.InputDamaged, "the list of PACS nodes is damaged or cannot be read"), Advice: message.Text("mend it, or move it away"), Err: err}
	}
	return k.Places, nil
}

// FindPlace returns the place of a name, or one of an address that is kept nowhere.
func FindPlace(text string) (Place, error) {
	if isWeb(text) || strings.Contains(text, "@") {
		p := Place{To: text}
		return p, p.Check()
	}
	all, err := Places()
	if err != nil {
		return Place{}, err
	}
	var names []string
	for _, p := range all {
		if p.Name == text {
			return p, nil
		}
		names = append(names, p.Name)
	}
	if names == nil {
		return Place{}, job.Usagef("there is no PACS node %q, and none is kept; see quell pacs nodes add --help", text)
	}
	return Place{}, job.Usagef("there is no PACS node %q; there are %s", text, strings.Join(names, ", "))
}

// CheckName returns a *job.UsageError for what can be no name of a place.
func CheckName(name string) error {
	if !placeName.MatchString(name) {
		return job.Usagef("the name of a PACS node has letters, digits, dots, hyphens and underscores, at most 64, and begins with a letter or digit")
	}
	return nil
}

// KeepPlace adds a place, or replaces the one of its name.
func KeepPlace(p Place) error { return ReplacePlace("", p) }

// ReplacePlace keeps a place instead of the one of a former name, and of its own name; "" for none.
func ReplacePlace(former string, p Place) error {
	if err := CheckName(p.Name); err != nil {
		return err
	}
	for _, path := range []*string{&p.Authority, &p.Certificate, &p.SignIn.Secret} {
		if err := absolute(path); err != nil {
			return err
		}
	}
	if err := p.Check(); err != nil {
		return err
	}
	return changePlaces(func(all []Place) ([]Place, error) {
		all = append(slices.DeleteFunc(all, func(o Place) bool { return o.Name == p.Name || o.Name == former }), p)
		slices.SortFunc(all, func(a, b Place) int { return strings.Compare(a.Name, b.Name) })
		return all, nil
	})
}

// absolute lets a file be found from every folder. A secret keeps its scheme.
func absolute(path *string) error {
	name, scheme := strings.CutPrefix(*path, secretFile)
	if name == "" || strings.HasPrefix(name, secretEnvironment) {
		return nil
	}
	full, err := filepath.Abs(name)
	if err != nil {
		return message.Errorf(message.NotSaved, "PACS nodes cannot be kept: %w", err)
	}
	if *path = full; scheme {
		*path = secretFile + full
	}
	return nil
}

// RemovePlace removes the place of a name.
func RemovePlace(name string) error {
	return changePlaces(func(all []Place) ([]Place, error) {
		rest := slices.DeleteFunc(slices.Clone(all), func(o Place) bool { return o.Name == name })
		if len(rest) == len(all) {
			return nil, job.Usagef("there is no PACS node %q", name)
		}
		return rest, nil
	})
}

// changePlaces rewrites the file for this account alone, one process at a time.
func changePlaces(change func([]Place) ([]Place, error)) error {
	path, err := PlacesPath()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return message.Errorf(message.NotSaved, "PACS nodes cannot be kept: %w", err)
	}
	lock, err := lockfile.Take(path + ".lock")
	if errors.Is(err, lockfile.ErrHeld) {
		return message.Errorf(message.OutputBusy, "another process changes the PACS nodes; try again")
	}
	if err != nil {
		return message.Errorf(message.NotSaved, "PACS nodes cannot be kept: %w", err)
	}
	defer func() { _ = lock.Release() }() // it ends with the process at the latest
	all, err := Places()
	if err == nil {
		all, err = change(all)
	}
	if err != nil {
		return err
	}
	b, err := json.MarshalIndent(kept{all}, "", "  ")
	if err == nil {
		err = atomic.WriteFile(path, append(b, '\n'), 0o600)
	}
	if err != nil {
		return message.Errorf(message.NotSaved, "PACS nodes cannot be kept: %w", err)
	}
	return nil
}
