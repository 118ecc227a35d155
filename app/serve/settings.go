package serve

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"quell/app/batch"
	"quell/app/hosts"
	"quell/app/job"
	"quell/app/pacs"
	"quell/internal/connection"
	"quell/internal/message"
	"quell/io/dimse"
)

// Settings describe a node. They are a file of JSON.
type Settings struct {
	Folder  string   `json:"folder"`            // of the node alone; made if it is missing
	AETitle string   `json:"ae_title"`          // by which it is called
	Listen  string   `json:"listen,omitempty"`  // HOST:PORT; 127.0.0.1:11112 if missing
	Status  string   `json:"status,omitempty"`  // HOST:PORT of the status page, on loopback; none if missing
	TLS     *TLS     `json:"tls,omitempty"`     // none if missing
	Plain   bool     `json:"plain,omitempty"`   // permits to listen without TLS beyond loopback
	Callers []string `json:"callers,omitempty"` // calling AE titles that are let in; all if missing
	// Networks are the addresses that are let in, such as 10.1.0.0/16; all if missing.
	Networks []string `json:"networks,omitempty"`

	IdleTimeout  Duration `json:"idle_timeout,omitempty"` // a series is complete after so long without a new instance; 30s if missing
	Keep         Duration `json:"keep,omitempty"`         // how long images stay after a task has ended; 1h if missing
	KeepFailed   Duration `json:"keep_failed,omitempty"`  // likewise, of those that failed; 168h if missing
	QuotaGB      float64  `json:"quota_gb,omitempty"`     // of received images; 20 if missing. Results need as much again
	Associations int      `json:"associations,omitempty"` // at a time; 16 if missing
	Attempts     int      `json:"attempts,omitempty"`     // to send a result; 20 if missing
	SendLimit    Duration `json:"send_limit,omitempty"`   // of one attempt to send a result, however the archive answers; 10m if missing
	CommitWait   Duration `json:"commit_wait,omitempty"`  // for a report of storage commitment, before it is asked for again; 1h if missing
	AuditMB      float64  `json:"audit_mb,omitempty"`     // of the audit log, before another is begun; 16 if missing
	AuditFiles   int      `json:"audit_files,omitempty"`  // that are kept besides; 10 if missing
	Volatile     bool     `json:"volatile,omitempty"`     // confirms before an image is on the disk

	Rules []Rule `json:"rules"` // the first that takes a series applies, and others after one that has Also
}

// TLS names the files of certificates, in PEM form.
type TLS struct {
	Certificate string `json:"certificate"` // of this side
	Key         string `json:"key"`
	Clients     string `json:"clients"` // of the authority that signed the certificates of senders
}

// Rule says what is done with which series, and where the result goes.
type Rule struct {
	Name string `json:"name"`
	// When are conditions as of quell batch --select: "Modality=CT,SliceThickness<=1.5"; missing: every series.
	When string         `json:"when,omitempty"`
	Do   hosts.Settings `json:"do"`
	To   Destinations   `json:"to"`             // one, or a list
	Also bool           `json:"also,omitempty"` // lets rules after this one take the series too

	criteria batch.Criteria
}

// Destination is an archive to which results are sent; one whose "to" is a name is one of quell pacs nodes.
type Destination struct {
	pacs.Place
	Commit bool `json:"commit,omitempty"` // a result is sent when the archive has committed itself to it
}

// Destinations are written as one or as a list.
type Destinations []Destination

// UnmarshalJSON reads one destination or a list, and refuses what is no setting of one.
func (d *Destinations) UnmarshalJSON(data []byte) error {
	if !bytes.HasPrefix(data, []byte("[")) {
		data = slices.Concat([]byte("["), data, []byte("]"))
	}
	return hosts.ParseSettings(data, (*[]Destination)(d))
}

// commits reports whether a destination is asked for storage commitment.
func (s *Settings) commits() bool {
	return slices.ContainsFunc(s.Rules, func(r Rule) bool {
		return slices.ContainsFunc(r.To, func(d Destination) bool { return d.Commit })
	})
}

// Duration is written as "30s" or "1h30m".
type Duration time.Duration

// UnmarshalText reads a duration.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err == nil && v < 0 {
		err = fmt.Errorf("the duration %s is negative", text)
	}
	*d = Duration(v)
	return err
}

// MarshalText writes a duration.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// ReadSettings reads and checks a file of settings. Errors are *job.InputError or *job.UsageError.
func ReadSettings(path string) (Settings, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Settings{}, job.Unreadable(err, path, nil)
	}
	s, err := ParseSettings(data)
	if err != nil {
		return s, job.Usagef("%s: %w", path, err)
	}
	return s, nil
}

// ParseSettings reads settings, fills in what is missing and refuses what cannot be meant.
func ParseSettings(data []byte) (Settings, error) {
	var s Settings
	if err := hosts.ParseSettings(data, &s); err != nil {
		if strings.HasSuffix(err.Error(), ` "quiet"`) {
			err = errors.New("the setting quiet is now called idle_timeout")
		}
		return s, err
	}
	s.Listen, s.IdleTimeout, s.Keep = cmp.Or(s.Listen, "127.0.0.1:11112"), cmp.Or(s.IdleTimeout, Duration(30*time.Second)), cmp.Or(s.Keep, Duration(time.Hour))
	s.KeepFailed, s.SendLimit = cmp.Or(s.KeepFailed, Duration(7*24*time.Hour)), cmp.Or(s.SendLimit, Duration(10*time.Minute))
	s.QuotaGB, s.Attempts, s.CommitWait = cmp.Or(s.QuotaGB, 20), cmp.Or(s.Attempts, 20), cmp.Or(s.CommitWait, Duration(time.Hour))
	s.AuditMB, s.AuditFiles = cmp.Or(s.AuditMB, 16), cmp.Or(s.AuditFiles, 10)
	return s, s.check()
}

func (s *Settings) check() error {
	switch {
	case s.Folder == "":
		return job.Usagef("folder is missing: it contains what arrives")
	case len(s.Rules) == 0:
		return job.Usagef("rules are missing: they say what is filtered, and where results go")
	case s.QuotaGB < 0 || s.Attempts < 0 || s.Associations < 0 || s.AuditMB < 0 || s.AuditFiles < 0:
		return job.Usagef("quota_gb, attempts, associations, audit_mb and audit_files cannot be negative")
	}
	if err := dimse.CheckAETitle(s.AETitle); err != nil {
		return job.Usagef("ae_title: %w", err)
	}
	if err := s.checkAddresses(); err != nil {
		return err
	}
	names := map[string]bool{}
	for i := range s.Rules {
		r := &s.Rules[i]
		if r.Name == "" || names[r.Name] {
			return job.Usagef("rule %d needs a name of its own", i+1)
		}
		names[r.Name] = true
		if err := r.check(s.AETitle); err != nil {
			return job.Usagef("rule %s: %w", r.Name, err)
		}
	}
	return nil
}

// check also completes a rule of a node that calls by a title.
func (r *Rule) check(title string) (err error) {
	if r.criteria, err = batch.ParseSelection(r.When); err != nil {
		return err
	}
	if r.Do.Series == nil {
		r.Do.Series = "all"
	}
	if err := r.Do.Check(); err != nil {
		return err
	}
	if len(r.To) == 0 {
		return job.Usagef("to is missing: it says where results go")
	}
	names := map[string]bool{}
	for i := range r.To {
		if err := r.To[i].check(title); err != nil {
			return err
		}
		if name := r.To[i].String(); names[name] {
			return job.Usagef("to: %s is there twice", name)
		} else {
			names[name] = true
		}
	}
	return nil
}

func (d *Destination) check(title string) (err error) {
	if !strings.ContainsAny(d.To, "@:") {
		if d.Place, err = pacs.FindPlace(d.To); err != nil {
			return err
		}
	}
	if !d.Web() {
		d.From = cmp.Or(d.From, title)
	}
	if d.Commit {
		return d.CanCommit()
	}
	return d.Check()
}

// checkAddresses refuses to be reached from outside without TLS, if that is not asked for.
func (s *Settings) checkAddresses() error {
	local, err := isLoopback(s.Listen)
	if err != nil {
		return job.Usagef("listen: %w", err)
	}
	if !local && s.TLS == nil && !s.Plain {
		return job.Usagef("listen: %s is reached from other machines, and there is no TLS; name certificates under tls, or listen on 127.0.0.1. \"plain\": true permits it in a network that is closed to others", s.Listen)
	}
	if s.Status != "" {
		if local, err := isLoopback(s.Status); err != nil || !local {
			return job.Usagef("status: the page is for this machine alone; give 127.0.0.1:PORT")
		}
	}
	_, err = s.networks()
	return err
}

// isLoopback reports whether an address is reached from this machine alone. The host is an IP address or
// localhost: a name may come to mean another machine.
func isLoopback(address string) (bool, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false, job.Usagef("%q is not HOST:PORT", address)
	}
	if _, err := netip.ParseAddr(host); err != nil && host != "" && host != "localhost" {
		return false, job.Usagef("%q is no IP address", host)
	}
	return connection.Loopback(host), nil
}

func (s *Settings) networks() (all []netip.Prefix, err error) {
	for _, text := range s.Networks {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			a, e := netip.ParseAddr(text)
			if e != nil {
				return nil, job.Usagef("networks: %q is no address and no range such as 10.1.0.0/16", text)
			}
			p = netip.PrefixFrom(a, a.BitLen())
		}
		all = append(all, p)
	}
	return all, nil
}

// Config returns what TLS needs at a time, nil for none. Errors are *job.UsageError or *job.InputError.
func (s *Settings) Config(now time.Time) (*tls.Config, error) {
	if s.TLS == nil {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(s.TLS.Certificate, s.TLS.Key)
	if err != nil {
		return nil, job.Usagef("tls: the certificate and its key cannot be used (%w)", err)
	}
	if end := pair.Leaf.NotAfter; now.After(end) {
		return nil, job.Usagef("tls: the certificate %s expired on %s", s.TLS.Certificate, end.Format(time.DateOnly))
	}
	c := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if s.TLS.Clients == "" {
		return c, nil
	}
	c.ClientAuth = tls.RequireAndVerifyClientCert
	c.ClientCAs, err = pacs.Authorities(s.TLS.Clients, message.Text("give the certificate of the authority of the senders"))
	return c, err
}
