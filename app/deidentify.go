package app

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"quell/internal/message"
	"quell/io/atomic"
	"quell/io/dicom"
	"quell/series"
)

// CheckDeidentify returns a UsageError where an export of s to out cannot be
// de-identified: that takes DICOM input and DICOM output.
func CheckDeidentify(s *series.Series, out string) error {
	switch {
	case !FormatOf(out).Identity:
		return Usagef("%s: only DICOM output can be de-identified; name a folder", out)
	case !dicom.Derivable(s) && FormatNamed(s.Format).Identity:
		return Usagef("the input's files have no instance UIDs, so the output is a new series without patient data; leave de-identification out")
	case !dicom.Derivable(s):
		return Usagef("the input is not DICOM and has no patient data; leave de-identification out")
	}
	return nil
}

// pseudonymKeySize is the length of the key in bytes.
const pseudonymKeySize = 32

// pseudonymKeyPath returns the path of the pseudonym key, beside the settings.
func pseudonymKeyPath() (string, error) {
	settings, err := SettingsPath()
	if err != nil {
		return "", err
	}
	return filepath.Join(filepath.Dir(settings), "pseudonyms.key"), nil
}

// pseudonymKey returns the secret that pseudonyms are derived from on this
// account, and creates it the first time. A stored key gives a patient the same
// pseudonym in every export; anyone who has it can link pseudonyms to patients.
// Where it cannot be stored, err says why and the key serves this export alone.
func pseudonymKey() (key []byte, err error) {
	key = make([]byte, pseudonymKeySize)
	rand.Read(key) // never fails
	path, err := pseudonymKeyPath()
	if err != nil {
		return key, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return key, err
	}
	stored, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		// Another export may create it at the same time.
		if err = atomic.CreateFile(path, key, 0o600); err == nil {
			return key, nil
		}
		if errors.Is(err, fs.ErrExist) {
			stored, err = os.ReadFile(path)
		}
	}
	if err == nil && len(stored) != pseudonymKeySize {
		err = message.Errorf(message.InputDamaged, "%s is damaged", filepath.Base(path))
	}
	if err != nil {
		return key, err
	}
	return stored, nil
}
