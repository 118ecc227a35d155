package app

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"quell/series"
)

// CheckDeidentify says whether an export of s to out can leave the patient's
// identity out: DICOM out of DICOM. It is a UsageError where not.
func CheckDeidentify(s *series.Series, out string) error {
	switch {
	case FormatOf(out) != DICOM:
		return Usagef("%s: the patient's identity is removed from DICOM output alone; name a folder", out)
	case !hasDICOM(s) && strings.HasPrefix(s.Format, "DICOM"):
		return Usagef("the input's files have no instance UIDs, so the output is a new series that holds nothing of the patient; leave de-identification out")
	case !hasDICOM(s):
		return Usagef("the input is no DICOM series, so there is no patient to remove")
	}
	return nil
}

// pseudonymKeySize is the length of the key in bytes.
const pseudonymKeySize = 32

// pseudonymKeyPath returns where the key of pseudonyms is kept: beside the settings.
func pseudonymKeyPath() (string, error) {
	settings, err := SettingsPath()
	if err != nil {
		return "", err
	}
	return filepath.Join(filepath.Dir(settings), "pseudonyms.key"), nil
}

// pseudonymKey returns the secret that pseudonyms are made with on this account,
// and makes it the first time. Kept, it gives a patient the same pseudonym in every
// export; who has the file can find out whose they are. Where it cannot be kept, the
// key is for this export alone, and err says why.
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
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		kept, err := os.ReadFile(path)
		if err == nil && len(kept) != pseudonymKeySize {
			err = fmt.Errorf("%s is damaged", filepath.Base(path))
		}
		if err != nil {
			return key, err
		}
		return kept, nil
	}
	if err != nil {
		return key, err
	}
	_, err = f.Write(key)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(path)
	}
	return key, err
}
