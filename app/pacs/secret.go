package pacs

import (
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"quell/app/job"
	"quell/internal/message"
	"quell/internal/regular"
	"quell/io/dicomweb"
)

// SignIn says how requests to DICOMweb are signed. The secret stays in a file that only its owner may
// read, or in a variable of the environment.
type SignIn struct {
	Way    string `json:"way,omitempty"`    // one of SignIns; "" for none
	Secret string `json:"secret,omitempty"` // file:PATH or env:NAME
	Token  string `json:"token,omitempty"`  // of client: the address that gives tokens
	Scopes string `json:"scopes,omitempty"` // of client: with spaces between them
}

// SignIns are the ways to sign in: basic, whose secret is USER:PASSWORD; bearer, a token; client, ID:SECRET
// for which a server of the archive's gives tokens (RFC 6749 section 4.4).
func SignIns() []string { return []string{"basic", "bearer", "client"} }

const (
	secretFile        = "file:"
	secretEnvironment = "env:"
	// mostSecret is in bytes.
	mostSecret = 64 << 10
)

// check refuses what no archive can be signed in by. It reads no secret.
func (s SignIn) check() error {
	switch {
	case s == SignIn{}:
		return nil
	case !slices.Contains(SignIns(), s.Way):
		return job.Usagef("a sign-in is basic, bearer or client")
	case !strings.HasPrefix(s.Secret, secretFile) && !strings.HasPrefix(s.Secret, secretEnvironment):
		return job.Usagef("the secret of a sign-in is file:PATH or env:NAME; it is never given itself")
	case (s.Way == "client") != (s.Token != ""):
		return job.Usagef("the address of tokens is for a sign-in of client, which needs one")
	case s.Way != "client" && s.Scopes != "":
		return job.Usagef("scopes are for a sign-in of client")
	}
	return nil
}

// authorization reads the secret.
func (s SignIn) authorization(p Place) (dicomweb.Authorization, error) {
	if s == (SignIn{}) {
		return nil, nil
	}
	secret, err := readSecret(s.Secret)
	if err != nil {
		return nil, err
	}
	if s.Way == "bearer" {
		return dicomweb.Bearer(secret)
	}
	user, password, ok := strings.Cut(secret, ":")
	if !ok {
		return nil, job.Usagef("the secret %s has no colon between its two parts", s.Secret)
	}
	if s.Way == "basic" {
		return dicomweb.Basic(user, password)
	}
	c, err := p.tlsConfig()
	if err != nil {
		return nil, err
	}
	return dicomweb.NewClientCredentials(dicomweb.ClientCredentials{TokenURL: s.Token, ID: user, Secret: password, Scopes: strings.Fields(s.Scopes), TLS: c})
}

// readSecret returns the secret of a reference, without the end of its line. Its errors hold no part of it.
func readSecret(reference string) (string, error) {
	if name, ok := strings.CutPrefix(reference, secretEnvironment); ok {
		value, there := os.LookupEnv(name)
		if !there || value == "" {
			return "", job.Usagef("the environment has no variable %s, which contains the secret of the sign-in", name)
		}
		return value, nil
	}
	path := strings.TrimPrefix(reference, secretFile)
	f, err := regular.Open(path)
	if err != nil {
		return "", job.Unreadable(err, path, func(name string) string { return name })
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = checkMode(path, info)
	}
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.LimitReader(f, mostSecret+1))
	if err != nil {
		return "", job.Unreadable(err, path, func(name string) string { return name })
	}
	value := strings.TrimRight(string(b), "\r\n")
	if value == "" || len(b) > mostSecret {
		return "", &job.InputError{Path: path, Problem: message.New(message.InputRefused, "is empty, or too large for a secret"), Advice: message.Text("put the secret into it as its only line")}
	}
	return value, nil
}

// checkMode refuses a file that others may read or write. Windows has no such bits.
func checkMode(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return &job.InputError{Path: path, Problem: message.New(message.InputForeign, "is no file"), Advice: message.Text("give the file that contains the secret")}
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return &job.InputError{Path: path, Problem: message.New(message.InputRefused, "other accounts may use this secret"), Advice: message.Text("set its mode to 0600")}
	}
	return nil
}
