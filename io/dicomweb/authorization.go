package dicomweb

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"quell/internal/message"
)

// Authorization signs requests. It is made by Basic, Bearer or NewClientCredentials.
type Authorization interface {
	// header returns the value of the header Authorization.
	header(ctx context.Context) (string, error)
	// discard is told that the server refuses a value, and reports whether another can be had.
	discard(ctx context.Context, value string) bool
}

type fixed string

func (f fixed) header(context.Context) (string, error) { return string(f), nil }
func (fixed) discard(context.Context, string) bool     { return false }

// String hides the value from logs.
func (fixed) String() string { return "authorization" }

// GoString is String.
func (fixed) GoString() string { return "authorization" }

// Basic signs by user and password (RFC 7617). A user with a colon is refused.
func Basic(user, password string) (Authorization, error) {
	if strings.Contains(user, ":") {
		return nil, message.Errorf(message.UsageRefused, "the name of the user contains a colon, which HTTP does not allow")
	}
	return fixed("Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))), nil
}

// Bearer signs by a token that the caller has (RFC 6750).
func Bearer(token string) (Authorization, error) {
	if !tokenForm.MatchString(token) {
		return nil, message.Errorf(message.UsageRefused, "the token is empty or has characters that a token cannot have; give the token alone, without spaces")
	}
	return fixed("Bearer " + token), nil
}

var tokenForm = regexp.MustCompile(`^[A-Za-z0-9._~+/-]+=*$`)

// ClientCredentials are shown by a program to get a token (RFC 6749 section 4.4).
type ClientCredentials struct {
	TokenURL string // of https, or of this machine
	ID       string
	Secret   string
	Scopes   []string
	TLS      *tls.Config
}

const (
	// tokenReserve is how long before its end a token is renewed, so that none ends on its way.
	tokenReserve = time.Minute
	// tokenLife is used if the server names no end (RFC 6749 section 5.1).
	tokenLife = 5 * time.Minute
	maxToken  = 64 << 10
	tokenWait = 30 * time.Second
)

type tokenSource struct {
	credentials ClientCredentials
	host        string
	http        *http.Client
	transport   *http.Transport
	turn        chan struct{} // held by the goroutine that uses what follows
	value       string
	ends        time.Time
}

// NewClientCredentials returns an Authorization that fetches a token and keeps it until a minute
// before its end.
func NewClientCredentials(c ClientCredentials) (Authorization, error) {
	u, err := parseAddress(c.TokenURL)
	if err != nil {
		return nil, err
	}
	if !confidential(u) {
		return nil, &Error{
			Host: u.Host, Problem: message.New(message.NetworkTrust, "the secret of the client would pass without TLS"),
			Advice: message.Text("give an address that begins with https://"),
		}
	}
	transport := newTransport(c.TLS)
	return &tokenSource{
		credentials: c, host: u.Host, transport: transport, turn: make(chan struct{}, 1),
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // the secret goes to the address that was given alone
		}},
	}, nil
}

// lock waits for the turn.
func (s *tokenSource) lock(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *tokenSource) unlock() { <-s.turn }

func (s *tokenSource) header(ctx context.Context) (string, error) {
	if err := s.lock(ctx); err != nil {
		return "", err
	}
	defer s.unlock()
	if s.value != "" && time.Now().Before(s.ends) {
		return s.value, nil
	}
	token, life, err := s.fetch(ctx)
	if err != nil {
		return "", err
	}
	// A token of a short life is used for half of it.
	s.value, s.ends = "Bearer "+token, time.Now().Add(max(life-tokenReserve, life/2))
	return s.value, nil
}

// discard forgets the value, unless another goroutine has renewed it already.
func (s *tokenSource) discard(ctx context.Context, value string) bool {
	if s.lock(ctx) != nil {
		return false
	}
	defer s.unlock()
	if s.value == value {
		s.value = ""
	}
	return true
}

// fetch asks for a token.
func (s *tokenSource) fetch(ctx context.Context) (token string, life time.Duration, err error) {
	requested, cancel := context.WithTimeoutCause(ctx, tokenWait, &lateError{tokenWait})
	defer cancel()
	form := url.Values{"grant_type": {"client_credentials"}}
	if len(s.credentials.Scopes) > 0 {
		form.Set("scope", strings.Join(s.credentials.Scopes, " "))
	}
	req, err := http.NewRequestWithContext(requested, http.MethodPost, s.credentials.TokenURL, strings.NewReader(form.Encode()))
	if err != nil {
		return "", 0, connectionFailure(ctx, requested, s.host, err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	req.SetBasicAuth(url.QueryEscape(s.credentials.ID), url.QueryEscape(s.credentials.Secret))
	resp, err := s.http.Do(req)
	if err != nil {
		return "", 0, connectionFailure(ctx, requested, s.host, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(&limited{resp.Body, maxToken})
	if err != nil {
		return "", 0, connectionFailure(ctx, requested, s.host, err)
	}
	return s.parse(resp.StatusCode, body)
}

// tokenErrors are the codes of RFC 6749 section 5.2: no other text of the answer is shown.
var tokenErrors = map[string]string{
	"invalid_client":         "check identity and secret of the client",
	"unauthorized_client":    "ask its administrator to allow client credentials for this client",
	"invalid_scope":          "check the scopes",
	"invalid_request":        "check the address of the token",
	"invalid_grant":          "check identity and secret of the client",
	"unsupported_grant_type": "ask its administrator to allow client credentials",
}

func (s *tokenSource) parse(status int, body []byte) (token string, life time.Duration, err error) {
	var answer struct {
		Token string          `json:"access_token"`
		Type  string          `json:"token_type"`
		Life  json.RawMessage `json:"expires_in"` // seconds, by some servers as a text
		Error string          `json:"error"`
	}
	invalid := json.Unmarshal(body, &answer) != nil
	if status != http.StatusOK {
		e := statusFailure(s.host, status)
		if advice := tokenErrors[answer.Error]; advice != "" && !invalid {
			e.Problem = message.New(message.NetworkRejected, "it gives no token (HTTP %d, %s)", status, answer.Error)
			e.Advice = message.Word(advice)
		} else if status == http.StatusUnauthorized {
			e.Advice = message.Text("check identity and secret of the client")
		}
		e.Err = errNoToken
		return "", 0, e
	}
	if invalid || !strings.EqualFold(answer.Type, "bearer") || !tokenForm.MatchString(answer.Token) {
		return "", 0, &Error{
			Host: s.host, Status: status, Err: errNoToken, Problem: message.New(message.NetworkProtocol, "it sends no bearer token"),
			Advice: message.Text("check the address of the token"),
		}
	}
	life = tokenLife
	if seconds, err := strconv.ParseInt(strings.Trim(string(answer.Life), `" `), 10, 32); err == nil && seconds > 0 {
		life = time.Duration(seconds) * time.Second
	}
	return answer.Token, life, nil
}

// errNoToken marks failures of the server of the tokens, which has another status than the archive.
var errNoToken = errors.New("no token")
