package pacs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"os"
	"strings"

	"quell/app/job"
	"quell/internal/message"
	"quell/io/attributes"
)

// DefaultAETitle is the AE title of this side if none is given.
const DefaultAETitle = "QUELL"

// Place is an archive, and how it is reached. It holds no secret.
type Place struct {
	Name string `json:"name,omitempty"` // by which a person calls it; "" for one that is not kept
	To   string `json:"to"`             // AETITLE@HOST:PORT, or the address of a DICOMweb service
	From string `json:"from,omitempty"` // AE title of this side; "" is DefaultAETitle
	TLS  bool   `json:"tls,omitempty"`  // on the DICOM network; an address says it by https
	// Authority names a file with the certificates (PEM) that TLS trusts; "" trusts the
	// certificates of the system.
	Authority string `json:"authority,omitempty"`
	// Certificate names a file (PEM) with the certificate of this side and its key, for archives
	// that ask for one.
	Certificate string `json:"certificate,omitempty"`
	SignIn      SignIn `json:"sign_in,omitzero"` // to DICOMweb
}

// protocols are the kinds of archives, the first that knows an address opens it.
var protocols = []struct {
	name  string
	knows func(to string) bool
	check func(Place) error // without a connection, and without reading a secret
	open  func(Place) (protocol, error)
}{
	{"DICOMweb", isWeb, checkWeb, openWeb},
	{"DICOM network", func(string) bool { return true }, checkNetwork, openNetwork},
}

func isWeb(to string) bool { return strings.Contains(to, "://") }

// Web reports whether a place speaks DICOMweb, for which AE titles have no meaning.
func (p Place) Web() bool { return isWeb(p.To) }

// Check returns a *job.UsageError for what can be no place, or a *job.InputError for a file of
// certificates. It makes no connection.
func (p Place) Check() error {
	for _, k := range protocols {
		if k.knows(p.To) {
			return k.check(p)
		}
	}
	return nil // the last knows every address
}

// Protocol returns the name of the protocol of a place.
func (p Place) Protocol() string {
	for _, k := range protocols {
		if k.knows(p.To) {
			return k.name
		}
	}
	return ""
}

// String returns the name of a place, or its address if it has none.
func (p Place) String() string {
	if p.Name != "" {
		return p.Name
	}
	return p.To
}

// tlsConfig returns what TLS trusts and shows.
func (p Place) tlsConfig() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if p.Authority != "" {
		var err error
		if c.RootCAs, err = Authorities(p.Authority, message.Text("give the certificate of the authority of the PACS")); err != nil {
			return nil, err
		}
	}
	if p.Certificate != "" {
		pem, err := readFile(p.Certificate)
		if err != nil {
			return nil, err
		}
		pair, err := tls.X509KeyPair(pem, pem)
		if err != nil {
			return nil, &job.InputError{Path: p.Certificate, Problem: message.New(message.NetworkTrust, "it does not contain a certificate and its key in PEM form"), Advice: message.Text("put both into one file")}
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// Authorities reads the certificates of a file. advice is for a file that holds none.
func Authorities(path string, advice message.Message) (*x509.CertPool, error) {
	pem, err := readFile(path)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, &job.InputError{Path: path, Problem: message.New(message.NetworkTrust, "it has no certificate in PEM form"), Advice: advice}
	}
	return pool, nil
}

func readFile(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, job.Unreadable(err, path, func(name string) string { return name })
	}
	return b, nil
}

// protocol is what an archive is spoken to by. It words failures; counting and verifying is the
// matter of Archive.
type protocol interface {
	echo(ctx context.Context) error
	// search looks on one level. A result has the UID of its level.
	search(ctx context.Context, q Query, include []string) (attributes.Results, error)
	// retrieve hands over the bytes of DICOM files. It may hand over too many or too few.
	retrieve(ctx context.Context, s selection, each func(io.Reader) error) error
	// store sends the files of a plan that a report says are not stored, and fills in what becomes of them.
	store(ctx context.Context, p Plan, r *Report, progress func(done, total int)) error
	close()
}

// selection is a series, or one instance of it if that is not "". Want is how many instances there are, 0 if
// that is not known.
type selection struct {
	study, series, instance string
	want                    int
}

// Archive is a place that is spoken to. One goroutine at a time uses it.
type Archive struct {
	place Place
	speak protocol
}

// Open returns the archive of a place. It reads the secret and makes no connection.
func (p Place) Open() (*Archive, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	for _, k := range protocols {
		if k.knows(p.To) {
			speak, err := k.open(p)
			if err != nil {
				return nil, err
			}
			return &Archive{p, speak}, nil
		}
	}
	return nil, nil // the last knows every address
}

// Close ends connections that wait for further use.
func (a *Archive) Close() { a.speak.close() }

// Place returns the address of the archive.
func (a *Archive) Place() Place { return a.place }

// Echo asks a place whether it is there and lets this side in: C-ECHO, or a search of DICOMweb whose
// result is not looked at.
func Echo(ctx context.Context, p Place) error {
	a, err := p.Open()
	if err != nil {
		return err
	}
	defer a.Close()
	err = a.speak.echo(ctx)
	job.Log("echo", job.Outcome(err))
	return err
}
