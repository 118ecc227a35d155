package pacs

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"strings"

	"quell/app/job"
	"quell/internal/message"
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
			return nil, &job.InputError{Path: p.Certificate, Problem: message.New(message.NetworkTrust, "it does not hold a certificate and its key in PEM form"), Advice: message.Text("put both into one file")}
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
		return nil, &job.InputError{Path: path, Problem: message.New(message.NetworkTrust, "it holds no certificate in PEM form"), Advice: advice}
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
