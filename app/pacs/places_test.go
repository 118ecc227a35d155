package pacs_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"quell/app/job"
	"quell/app/pacs"
	"quell/app/pacs/pacstest"
)

// account gives a test settings of its own.
func account(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range []string{"XDG_CONFIG_HOME", "AppData", "HOME"} {
		t.Setenv(name, dir)
	}
	return dir
}

func TestPlaces(t *testing.T) {
	account(t)
	if all, err := pacs.Places(); all != nil || err != nil {
		t.Fatal(all, err)
	}
	if _, err := pacs.FindPlace("home"); err == nil || !strings.Contains(err.Error(), "none is kept") {
		t.Error(err)
	}
	for _, p := range []pacs.Place{
		{Name: "ward", To: "PACS@h:104", From: "ME"},
		{Name: "home", To: "https://h/dicom-web", SignIn: pacs.SignIn{Way: "basic", Secret: "file:s"}},
		{Name: "ward", To: "PACS@h:105"},
	} {
		if err := pacs.KeepPlace(p); err != nil {
			t.Fatal(err)
		}
	}
	all, err := pacs.Places()
	here, _ := os.Getwd()
	if err != nil || len(all) != 2 || all[0].Name != "home" || all[1].To != "PACS@h:105" || all[0].SignIn.Secret != "file:"+filepath.Join(here, "s") {
		t.Errorf("%+v, %v", all, err)
	}
	path, err := pacs.PlacesPath()
	if info, e := os.Stat(path); err != nil || e != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v, %v", info, err, e)
	}
	if p, err := pacs.FindPlace("home"); err != nil || p.Protocol() != "DICOMweb" {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := pacs.FindPlace("A@b:1"); err != nil || p.Protocol() != "DICOM network" || p.String() != "A@b:1" {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := pacs.FindPlace("none"); err == nil || !strings.Contains(err.Error(), "there are home, ward") {
		t.Error(err)
	}
	if err := pacs.RemovePlace("home"); err != nil {
		t.Error(err)
	}
	if err := pacs.RemovePlace("home"); err == nil {
		t.Error("removed twice")
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := pacs.Places(); job.ExitCode(err) != job.ExitInput {
		t.Error(err)
	}
	if err := pacs.KeepPlace(pacs.Place{Name: "x", To: "A@b:1"}); err == nil {
		t.Error("a damaged list was replaced")
	}
}

// TestPlacesThatAreRefused before any connection.
func TestPlacesThatAreRefused(t *testing.T) {
	account(t)
	basic := pacs.SignIn{Way: "basic", Secret: "env:X"}
	for want, p := range map[string]pacs.Place{
		"the name of a PACS node":   {Name: "../x", To: "A@b:1"},
		"at most 64":                {Name: strings.Repeat("a", 65), To: "A@b:1"},
		"is no DICOM node":          {Name: "a", To: "host"},
		"a user or password":        {Name: "a", To: "https://u:p@h/"},
		"begins with https:// or":   {Name: "a", To: "ftp://h/"},
		"AE titles":                 {Name: "a", To: "https://h/", From: "ME"},
		"certificates are for TLS":  {Name: "a", To: "http://h/", Authority: "x"},
		"a sign-in is for DICOMweb": {Name: "a", To: "A@b:1", SignIn: basic},
		"basic, bearer or client":   {Name: "a", To: "https://h/", SignIn: pacs.SignIn{Way: "x", Secret: "env:X"}},
		"never given itself":        {Name: "a", To: "https://h/", SignIn: pacs.SignIn{Way: "bearer", Secret: "open sesame"}},
		"the address of tokens":     {Name: "a", To: "https://h/", SignIn: pacs.SignIn{Way: "client", Secret: "env:X"}},
		"user or password; give":    {Name: "a", To: "https://h/", SignIn: pacs.SignIn{Way: "client", Secret: "env:X", Token: "https://u:sesame@h/"}},
		"would pass without TLS":    {Name: "a", To: "https://h/", SignIn: pacs.SignIn{Way: "client", Secret: "env:X", Token: "http://h/"}},
		"scopes are for":            {Name: "a", To: "https://h/", SignIn: pacs.SignIn{Way: "basic", Secret: "env:X", Scopes: "a"}},
		"there is no such file":     {Name: "a", To: "https://h/", Certificate: "gone.pem"},
		"this side is for TLS":      {Name: "a", To: "A@b:1", Certificate: "gone.pem"},
	} {
		if err := pacs.KeepPlace(p); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%+v: %v, want %q", p, err, want)
		}
	}
	if all, _ := pacs.Places(); all != nil {
		t.Errorf("%+v", all)
	}
	if err := pacs.KeepPlace(pacs.Place{Name: strings.Repeat("a", 64), To: "A@b:1"}); err != nil {
		t.Error(err)
	}
}

// TestSecrets: a secret is read when it is needed, from a file that other accounts cannot read.
func TestSecrets(t *testing.T) {
	w := pacstest.Start(t, "")
	w.Refuses = func(r *http.Request) int {
		if user, password, _ := r.BasicAuth(); user == "user" && password == "pass:word" || r.Header.Get("Authorization") == "Bearer abc" {
			return 0
		}
		return http.StatusUnauthorized
	}
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("user:pass:word\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("QUELL_TEST_SECRET", "abc")
	echo := func(s pacs.SignIn) error { return pacs.Echo(context.Background(), pacs.Place{To: w.URL, SignIn: s}) }
	for _, s := range []pacs.SignIn{{Way: "basic", Secret: "file:" + file}, {Way: "bearer", Secret: "env:QUELL_TEST_SECRET"}} {
		if err := echo(s); err != nil {
			t.Error(err)
		}
	}
	for want, s := range map[string]pacs.SignIn{
		"does not accept the sign-in": {},
		"no variable QUELL_TEST_NONE": {Way: "bearer", Secret: "env:QUELL_TEST_NONE"},
		"no colon":                    {Way: "basic", Secret: "env:QUELL_TEST_SECRET"},
		"no such file":                {Way: "basic", Secret: "file:" + file + "x"},
		"is no file":                  {Way: "basic", Secret: "file:" + filepath.Dir(file)},
	} {
		if err := echo(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		if err := echo(pacs.SignIn{Way: "basic", Secret: "file:" + file}); err == nil || !strings.Contains(err.Error(), "other accounts") || strings.Contains(err.Error(), "pass:") {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
}

func TestReferences(t *testing.T) {
	long := strings.Repeat("1", 64)
	for text, want := range map[string]pacs.Reference{
		"pacs:home":                {Place: "home"},
		"home/1.2":                 {Place: "home", Series: "1.2"},
		"pacs:home/" + long:        {Place: "home", Series: long},
		"pacs:home/1.2/1.3":        {Place: "home", Study: "1.2", Series: "1.3"},
		"pacs:a-b.c_1?Modality=CT": {Place: "a-b.c_1", Match: map[string]string{"Modality": "CT"}},
	} {
		got, err := pacs.ParseReference(text)
		if err != nil || got.Place != want.Place || got.Study != want.Study || got.Series != want.Series || got.Match["Modality"] != want.Match["Modality"] {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"pacs:": "names no PACS node", "pacs:../x": "names no PACS node", "pacs:home/": "is no UID", "pacs:home/..": "is no UID", "pacs:home/1..2": "is no UID",
		"pacs:home/1" + long: "is no UID", "pacs:home/1/2/3": "too many parts", "pacs:home/1?a=b": "give one of them", "pacs:home?": "malformed",
		"pacs:home?a=%": "malformed", "pacs:home?a=Miller&a=b": "more than once",
	} {
		if _, err := pacs.ParseReference(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Miller") || job.ExitCode(err) != job.ExitUsage {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if pacs.IsReference("./pacs:x") || !pacs.IsReference("pacs:x") {
		t.Error("what is a reference")
	}
}
