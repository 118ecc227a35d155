package dicomweb

import (
	"crypto/tls"
	"net/http"
	"net/url"
	"strings"
	"time"

	"quell/internal/connection"
	"quell/internal/message"
)

// Config says how a server is reached. Zero values stand for the defaults.
type Config struct {
	Base          string        // address of the service, such as https://pacs.example/dicom-web
	Authorization Authorization // nil for none
	// AllowPlain lets Authorization pass without TLS to a host other than this machine.
	AllowPlain bool
	TLS        *tls.Config // authorities, and the client's certificate for mTLS; TLS 1.2 is the least

	AnswerWait time.Duration // for the head of an answer; 30 s
	StoreWait  time.Duration // the same after instances were sent; 5 min
	IdleWait   time.Duration // for a request to be taken, and for the next 256 kB of an answer or its end; 60 s
	Attempts   int           // of one request; 4
	RetryWait  time.Duration // the longest time to wait because a server asks for it; 60 s
	PageSize   int           // results of one request of a search; 200
	StoreBytes int64         // bytes of one request that stores; 100 MB, and at least one instance
}

// Client exchanges instances with one server. It is safe for concurrent use.
type Client struct {
	config    Config
	base      *url.URL
	host      string
	transport *http.Transport
	http      *http.Client
	held      budget // of the results of one search
}

// New checks a configuration. It does not connect.
func New(c Config) (*Client, error) {
	base, err := parseAddress(c.Base)
	if err != nil {
		return nil, err
	}
	if c.Authorization != nil && !c.AllowPlain && !confidential(base) {
		return nil, &Error{
			Host: base.Host, Problem: message.New(message.NetworkTrust, "a sign-in would pass without TLS"),
			Advice: message.Text("give an address that begins with https://"),
		}
	}
	c.defaults()
	transport := newTransport(c.TLS)
	client := &Client{config: c, base: base, host: base.Host, transport: transport}
	client.held = budget{pagesHeld * maxJSON, pagesHeld * maxNodes}
	client.http = &http.Client{Transport: transport, CheckRedirect: client.checkRedirect}
	return client, nil
}

// Close closes the connections that no request uses.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

func (c *Config) defaults() {
	orDuration := func(d *time.Duration, otherwise time.Duration) {
		if *d <= 0 {
			*d = otherwise
		}
	}
	orDuration(&c.AnswerWait, 30*time.Second)
	orDuration(&c.StoreWait, 5*time.Minute)
	orDuration(&c.IdleWait, time.Minute)
	orDuration(&c.RetryWait, time.Minute)
	if c.Attempts <= 0 {
		c.Attempts = 4
	}
	if c.PageSize <= 0 {
		c.PageSize = 200
	}
	if c.StoreBytes <= 0 {
		c.StoreBytes = 100e6
	}
}

// newTransport returns connections that take no more of an answer than is asked for: nothing is
// decompressed.
func newTransport(c *tls.Config) *http.Transport {
	if c == nil {
		c = &tls.Config{}
	}
	c = c.Clone()
	c.MinVersion = max(c.MinVersion, tls.VersionTLS12)
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: c, DisableCompression: true,
		MaxResponseHeaderBytes: 256 << 10, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second,
	}
}

// parseAddress reads an address of http or https without credentials, which would pass into logs.
// The text is in no error: it may hold them.
func parseAddress(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, message.Errorf(message.NetworkAddress, "the address of a DICOMweb service begins with https:// or http:// and a host")
	case u.User != nil:
		return nil, message.Errorf(message.NetworkAddress, "the address of %s contains a user or password; give them apart from it", u.Host)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, message.Errorf(message.NetworkAddress, "the address of %s has a question mark or a number sign; give the address of the service alone", u.Host)
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	return u, nil
}

// confidential reports whether nobody on the network reads the requests.
func confidential(u *url.URL) bool {
	return u.Scheme == "https" || connection.Loopback(u.Hostname())
}

// address returns the address of a resource with search terms.
func (c *Client) address(path []string, terms url.Values) string {
	u := c.base.JoinPath(path...)
	u.RawQuery = terms.Encode()
	return u.String()
}

// checkRedirect follows redirects on the same host alone, and none of a request that stores.
func (c *Client) checkRedirect(next *http.Request, via []*http.Request) error {
	switch {
	case via[0].Method != http.MethodGet:
		return http.ErrUseLastResponse
	case next.URL.Host != c.base.Host || next.URL.Scheme != c.base.Scheme:
		return &redirectError{
			message.New(message.NetworkTrust, "it redirects to another host or port, %s://%s", next.URL.Scheme, next.URL.Host),
			message.Text("give that address if you trust it"),
		}
	case len(via) > 5:
		return &redirectError{message.New(message.NetworkProtocol, "it redirects again and again"), message.Text("check the address of the service")}
	}
	return nil
}
