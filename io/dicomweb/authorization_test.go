package dicomweb_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"quell/io/dicomweb"
)

func must(t *testing.T) func(a dicomweb.Authorization, err error) dicomweb.Authorization {
	return func(a dicomweb.Authorization, err error) dicomweb.Authorization {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
}

func searchOnce(c *dicomweb.Client) error {
	_, err := c.Studies(context.Background(), dicomweb.Query{Most: 1})
	return err
}

func TestFixedAuthorization(t *testing.T) {
	basic, bearer := must(t)(dicomweb.Basic("user", "pass:word")), must(t)(dicomweb.Bearer("abc.DEF-1=="))
	for want, a := range map[string]dicomweb.Authorization{"Basic dXNlcjpwYXNzOndvcmQ=": basic, "Bearer abc.DEF-1==": bearer} {
		requests := 0
		serve := func(w http.ResponseWriter, r *http.Request) {
			if requests++; r.Header.Get("Authorization") != want {
				t.Errorf("authorization %q", r.Header.Get("Authorization"))
			}
			w.WriteHeader(http.StatusUnauthorized)
		}
		inBubble(t, dicomweb.Config{Authorization: a}, serve, func(t *testing.T, c *dicomweb.Client) {
			wantError(t, searchOnce(c), "pacs.example: it does not accept the sign-in (HTTP 401); check user and password")
			if requests != 1 {
				t.Fatalf("%d requests", requests)
			}
		})
		if text := fmt.Sprintf("%v %+v %#v %s", a, a, a, a); strings.Contains(text, "dXN") || strings.Contains(text, "abc") {
			t.Errorf("printed as %s", text)
		}
	}
	if _, err := dicomweb.Basic("a:b", ""); err == nil {
		t.Error("a user with a colon is accepted")
	}
	for _, token := range []string{"", "a b", "a\r\nb", "ü"} {
		if _, err := dicomweb.Bearer(token); err == nil {
			t.Errorf("token %q is accepted", token)
		}
	}
}

// tokens is a server of tokens and of studies. It counts tokens and refuses those in revoked.
type tokens struct {
	mu      sync.Mutex
	issued  int
	life    string // JSON
	revoked map[string]bool
	answer  func(w http.ResponseWriter) bool // in place of a token
}

func (s *tokens) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path == "/token" {
		id, secret, _ := r.BasicAuth()
		if r.Method != http.MethodPost || id != "quell" || secret != "s%26cret" || r.FormValue("grant_type") != "client_credentials" || r.FormValue("scope") != "read write" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if s.answer != nil && s.answer(w) {
			return
		}
		s.issued++
		fmt.Fprintf(w, `{"access_token":"t%d","token_type":"Bearer"%s}`, s.issued, s.life)
		return
	}
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); !ok || s.revoked[token] || s.revoked["all"] {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	fmt.Fprint(w, "[]")
}

func withTokens(t *testing.T, s *tokens, test func(t *testing.T, c *dicomweb.Client)) {
	t.Helper()
	credentials := dicomweb.ClientCredentials{TokenURL: "http://localhost/token", ID: "quell", Secret: "s&cret", Scopes: []string{"read", "write"}}
	config := dicomweb.Config{Base: "http://pacs.example/dicom-web", AllowPlain: true}
	config.Authorization = must(t)(dicomweb.NewClientCredentials(credentials))
	inBubble(t, config, s.ServeHTTP, test)
}

// TestTokens: a token serves until a minute before its end, or for half of a short life.
func TestTokens(t *testing.T) {
	for life, served := range map[string]time.Duration{
		`,"expires_in":3600`: 59 * time.Minute, `,"expires_in":"600"`: 9 * time.Minute, `,"expires_in":80`: 40 * time.Second,
		"": 4 * time.Minute, `,"expires_in":-1`: 4 * time.Minute, `,"expires_in":{}`: 4 * time.Minute,
	} {
		s := &tokens{life: life}
		withTokens(t, s, func(t *testing.T, c *dicomweb.Client) {
			for _, step := range []struct {
				wait   time.Duration
				issued int
			}{{0, 1}, {served - time.Second, 1}, {time.Second, 2}} {
				time.Sleep(step.wait)
				if err := searchOnce(c); err != nil || s.issued != step.issued {
					t.Fatalf("life %s: %d tokens, %v", life, s.issued, err)
				}
			}
		})
	}
}

// A token that is refused is renewed once, by all that use it together.
func TestTokensThatAreRefused(t *testing.T) {
	s := &tokens{revoked: map[string]bool{"t1": true}}
	withTokens(t, s, func(t *testing.T, c *dicomweb.Client) {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if err := searchOnce(c); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if s.issued != 2 {
			t.Errorf("%d tokens", s.issued)
		}
		s.revoked["all"] = true
		wantError(t, searchOnce(c), "pacs.example: it does not accept the sign-in (HTTP 401)")
		if s.issued != 3 {
			t.Errorf("%d tokens", s.issued)
		}
	})
}

func TestServersOfTokensThatFail(t *testing.T) {
	write := func(status int, text string) func(http.ResponseWriter) bool {
		return func(w http.ResponseWriter) bool {
			w.Header().Set("Location", "http://evil.example/token")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text)
			return true
		}
	}
	for want, answer := range map[string]func(http.ResponseWriter) bool{
		"localhost: it gives no token (HTTP 401, invalid_client); check identity": write(401, `{"error":"invalid_client","error_description":"SECRET"}`),
		"localhost: it refuses the request (HTTP 402)":                            write(402, `{"error":"SECRET"}`),
		"check identity and secret":                                               write(401, `SECRET`),
		"localhost: it sends no bearer token; check":                              write(200, `{"access_token":"SECRET","token_type":"mac"}`),
		"it sends no bearer token":                                                write(200, `{"access_token":"SECRET SECRET","token_type":"bearer"}`),
		"localhost: it sends more than is read":                                   write(200, `{"access_token":"`+strings.Repeat("SECRET", 20000)),
		"localhost: it is at another address (HTTP 307)":                          write(307, ""),
		"localhost: no answer within 30s":                                         func(http.ResponseWriter) bool { time.Sleep(time.Minute); return true },
	} {
		withTokens(t, &tokens{answer: answer}, func(t *testing.T, c *dicomweb.Client) {
			err := searchOnce(c)
			wantError(t, err, want)
			if strings.Contains(err.Error(), "SECRET") || strings.Contains(err.Error(), "s&cret") {
				t.Errorf("a secret in %q", err)
			}
		})
	}
}

// TestOtherHosts: no request follows a redirect to another host, port or scheme.
func TestOtherHosts(t *testing.T) {
	basic := must(t)(dicomweb.Basic("user", "pass"))
	for to, want := range map[string]string{
		"/dicom-web/other":                       "",
		"http://pacs.example/dicom-web/other":    "",
		"http://evil.example/other":              "pacs.example: it redirects to another host or port, http://evil.example; give that address if you trust it",
		"http://a.pacs.example/other":            "http://a.pacs.example",
		"http://pacs.example:8080/other":         "http://pacs.example:8080",
		"https://pacs.example/other?PatientName": "https://pacs.example;",
		"/dicom-web/studies":                     "it redirects again and again",
	} {
		serve := func(w http.ResponseWriter, r *http.Request) {
			if _, _, ok := r.BasicAuth(); !ok || r.Host != "pacs.example" {
				t.Errorf("a request to %s", r.Host)
			}
			if strings.HasSuffix(r.URL.Path, "/other") {
				fmt.Fprint(w, "[]")
				return
			}
			http.Redirect(w, r, to, http.StatusFound)
		}
		inBubble(t, dicomweb.Config{Authorization: basic}, serve, func(t *testing.T, c *dicomweb.Client) {
			err := searchOnce(c)
			if want == "" && err != nil {
				t.Fatal(err)
			}
			if want != "" {
				wantError(t, err, want)
			}
		})
	}
}

func TestAddresses(t *testing.T) {
	basic := must(t)(dicomweb.Basic("user", "pass"))
	for _, c := range []struct {
		base       string
		authorized bool
		want       string
	}{
		{"https://pacs.example/dicom-web/", true, ""},
		{"http://127.0.0.1:8042/dicom-web", true, ""},
		{"http://[::1]:8042", true, ""},
		{"http://localhost", true, ""},
		{"http://pacs.example", false, ""},
		{"http://pacs.example", true, "pacs.example: a sign-in would pass without TLS"},
		{"http://localhost.example", true, "would pass without TLS"},
		{"http://user:SECRET@pacs.example", false, "the address of pacs.example contains a user or password"},
		{"https://pacs.example?x=SECRET", false, "a question mark"},
		{"https://pacs.example#x", false, "a number sign"},
		{"pacs.example", false, "begins with https://"},
		{"ftp://pacs.example", false, "begins with https://"},
		{"http://SE CRET", false, "begins with https://"},
		{"", false, "begins with https://"},
	} {
		config := dicomweb.Config{Base: c.base}
		if c.authorized {
			config.Authorization = basic
		}
		_, err := dicomweb.New(config)
		if c.want == "" && err != nil {
			t.Errorf("%s: %v", c.base, err)
		}
		if c.want != "" {
			wantError(t, err, c.want)
			if strings.Contains(err.Error(), "SECRET") {
				t.Errorf("a secret in %q", err)
			}
		}
	}
	if _, err := dicomweb.NewClientCredentials(dicomweb.ClientCredentials{TokenURL: "http://pacs.example/token"}); err == nil {
		t.Error("a secret would pass without TLS")
	}
}

// TestTLS speaks to servers on loopback: with and without the authority, with and without the
// client's certificate, and without TLS.
func TestTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "[]") }))
	server.Config.ErrorLog = quiet
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12} // by 1.3 the refusal follows the greeting
	server.StartTLS()
	defer server.Close()
	plain := httptest.NewServer(server.Config.Handler)
	defer plain.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	own := server.TLS.Certificates
	for name, c := range map[string]struct {
		base string
		tls  *tls.Config
		want string
	}{
		"both":           {server.URL, &tls.Config{RootCAs: roots, Certificates: own}, ""},
		"no certificate": {server.URL, &tls.Config{RootCAs: roots}, "it refuses the TLS connection"},
		"no authority":   {server.URL, nil, "its certificate is signed by an unknown authority"},
		"another name":   {server.URL, &tls.Config{RootCAs: roots, Certificates: own, ServerName: "pacs.other"}, "check the host name and the certificate"},
		"old":            {server.URL, &tls.Config{RootCAs: roots, Certificates: own, MinVersion: tls.VersionTLS10}, ""},
		"plain":          {strings.Replace(plain.URL, "http:", "https:", 1), nil, "it does not speak TLS on this port"},
	} {
		t.Run(name, func(t *testing.T) {
			client, err := dicomweb.New(dicomweb.Config{Base: c.base, TLS: c.tls})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			err = searchOnce(client)
			if c.want == "" && err != nil {
				t.Fatal(err)
			}
			if c.want != "" {
				wantError(t, err, "127.0.0.1:", c.want)
			}
		})
	}
	gone := plain.URL
	plain.Close()
	client, err := dicomweb.New(dicomweb.Config{Base: gone, Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, searchOnce(client), "nothing listens there")
}
