package open

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"quell/app/engines"
	"quell/app/files"
	"quell/app/job"
	"quell/internal/message"
	"quell/io/atomic"
	"quell/io/dicom"
	"quell/series"
)

// pseudonymKeySize is the length of the key in bytes.
const pseudonymKeySize = 32

// pseudonymKeyPath returns the path of the pseudonym key, next to the settings.
func pseudonymKeyPath() (string, error) {
	settings, err := files.SettingsPath()
	if err != nil {
		return "", err
	}
	return filepath.Join(filepath.Dir(settings), "pseudonyms.key"), nil
}

// PseudonymKey returns the secret that pseudonyms are derived from on this
// account, and creates it the first time. A stored key gives a patient the same
// pseudonym in every export; anyone who has it can link pseudonyms to patients.
// Where it cannot be stored, err says why and the key serves this export alone.
func PseudonymKey() (key []byte, err error) {
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

// Pseudonyms stand for the texts of a source in everything but its DICOM files: names of files and
// folders, findings, errors, places in a 4-D series. They follow from the key of this account, so
// that they are the same in every run. Nil leaves all texts as they are.
type Pseudonyms struct{ key []byte }

// NewPseudonyms returns the pseudonyms of this account. The error says why the key cannot be
// stored; they then serve this process alone.
func NewPseudonyms() (*Pseudonyms, error) {
	key, err := PseudonymKey()
	return &Pseudonyms{key}, err
}

// Text returns the pseudonym of a text of a kind; "" of none.
func (p *Pseudonyms) Text(kind, text string) string {
	if p == nil || text == "" {
		return text
	}
	return dicom.Pseudonyms{Secret: p.key}.Text(kind, text)
}

// Path returns the pseudonym of a path with slashes, folder by folder: what lies in one folder
// stays together.
func (p *Pseudonyms) Path(path string) string {
	if p == nil || path == "." {
		return path
	}
	parts := strings.Split(path, "/")
	for i := range parts {
		parts[i] = p.Text("path", strings.Join(strings.Split(path, "/")[:i+1], "/"))
	}
	return strings.Join(parts, "/")
}

// Seal encrypts a text for those who have the key.
func (p *Pseudonyms) Seal(text string) string {
	if p == nil {
		return text
	}
	box := p.box()
	nonce := make([]byte, box.NonceSize())
	rand.Read(nonce) // never fails
	return base64.StdEncoding.EncodeToString(box.Seal(nonce, nonce, []byte(text), nil))
}

// Unseal returns what Seal was given.
func (p *Pseudonyms) Unseal(sealed string) (string, error) {
	if p == nil {
		return sealed, nil
	}
	box := p.box()
	data, err := base64.StdEncoding.DecodeString(sealed)
	if err == nil && len(data) < box.NonceSize() {
		err = errors.New("it is too short")
	}
	if err == nil {
		data, err = box.Open(nil, data[:box.NonceSize()], data[box.NonceSize():], nil)
	}
	if err != nil {
		return "", fmt.Errorf("a text that was sealed with another key of pseudonyms: %w", err)
	}
	return string(data), nil
}

func (p *Pseudonyms) box() cipher.AEAD {
	block, err := aes.NewCipher(p.key)
	if err != nil {
		panic(err) // the key has the size of one
	}
	box, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	return box
}

// Error returns an error of the same class. If it is about the input, at path root, it has
// neither its texts, which may quote names of files and values of attributes, nor its cause.
func (p *Pseudonyms) Error(err error, root string) error {
	var usage *job.UsageError
	var input *job.InputError
	var output *atomic.Error
	var system *fs.PathError
	under := func(path string) bool {
		return path == "" || files.IsInside(path, root) || strings.HasPrefix(filepath.Clean(path), filepath.Clean(root))
	}
	switch {
	case p == nil || err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &input):
		if !under(input.Path) {
			return err // about a mask or a list of the user's
		}
		return &job.InputError{Problem: message.New(message.InputRefused, "the input is unreadable or refused"), Advice: message.Text("quell info says why, with names")}
	case errors.As(err, &usage), errors.Is(err, engines.ErrFailed), errors.As(err, &output), errors.As(err, &system) && !under(system.Path):
		return err
	}
	return errHidden
}

// errHidden stands for failures with words that may quote the source.
var errHidden = errors.New("the work failed; without --deidentify the same command says why, with names")

// findings returns findings by their kinds: their sentences may quote the source.
func (p *Pseudonyms) findings(all []series.Finding) []series.Finding {
	if p == nil {
		return all
	}
	out := slices.Clone(all)
	for i, f := range out {
		var about message.Message
		switch n := len(f.Files); n {
		case 0:
		case 1:
			about = message.Text(" about 1 file")
		default:
			about = message.Text(" about %d files", n)
		}
		out[i].Text = message.Text("The input has a finding of the kind %q%s; quell info shows it with names.", f.Kind, about)
		out[i].Files = p.paths(f.Files)
	}
	return out
}

// leftOut returns the omissions without the names of volumes, which may quote the source.
func (p *Pseudonyms) leftOut(all []series.LeftOut) []series.LeftOut {
	if p == nil {
		return all
	}
	var out []series.LeftOut
	for _, l := range all {
		out = append(out, series.LeftOut{Text: message.Text("images of the series; quell info shows it with names"), Files: p.paths(l.Files)})
	}
	return out
}

// paths returns the pseudonyms of the names of files.
func (p *Pseudonyms) paths(names []string) []string {
	var out []string
	for _, name := range names {
		out = append(out, p.Path(name))
	}
	return out
}

// DefinedModality is a defined term (PS3.3 C.7.3.1.1.1).
var DefinedModality = regexp.MustCompile(`^(CT|MR|PT|NM|US|CR|DX|MG|XA|RF|OT|SC|OP|OPT|IVUS|IVOCT|BMD|OCT|GM|SM|ES|XC)$`)

var wholeNumber = regexp.MustCompile(`^\d{1,9}$`)

// meta keeps what no person or place can be named in.
func (p *Pseudonyms) meta(m series.Meta) series.Meta {
	if p == nil {
		return m
	}
	kept := series.Meta{Format: m.Format, UID: p.Text("uid", m.UID), TransferSyntax: m.TransferSyntax}
	if DefinedModality.MatchString(m.Modality) {
		kept.Modality = m.Modality
	}
	if wholeNumber.MatchString(m.Number) {
		kept.Number = m.Number
	}
	for _, w := range m.Windows {
		w.Name = ""
		kept.Windows = append(kept.Windows, w)
	}
	return kept
}

// numbers are values of coordinates that are no names: "1000", "0\\1\\0", "2 of 3".
var numbers = regexp.MustCompile(`^[-+0-9.eE\\ ]+( of \d+)?$`)

// group keeps the numbers among the places of a 4-D series.
func (p *Pseudonyms) group(g *series.Group) *series.Group {
	if p == nil || g == nil {
		return g
	}
	out := *g
	out.Places = make([]series.Place, len(g.Places))
	for i, place := range g.Places {
		out.Places[i] = slices.Clone(place)
		for k, c := range place {
			if !numbers.MatchString(c.Value) || strings.Contains(c.Axis, "acquisition time") { // a date
				out.Places[i][k].Value = p.Text("place", c.Value)[:8]
			}
		}
	}
	return &out
}
