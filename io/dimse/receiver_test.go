package dimse_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"quell/io/dimse"
	"quell/io/dimse/dimsetest"
)

func folder(t *testing.T, quota int64) (*dimse.Folder, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "in")
	f, err := dimse.OpenFolder(dir, quota, false)
	if err != nil {
		t.Fatal(err)
	}
	return f, dir
}

// names returns the files of a folder.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// TestReceiver keeps the bytes as they came, under names of its own, and goes on with them after a restart.
func TestReceiver(t *testing.T) {
	f, dir := folder(t, 1<<30)
	for _, most := range []uint32{0, 4096, 1 << 30} {
		n := listen(t, &dimse.Receiver{Handler: keeper{f}, AETitle: "QUELL", MaxPDU: most})
		a := dial(t, n, config, ct, dimse.Verification)
		if err := a.Echo(context.Background()); err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{0, 1, 5000, 300000} {
			before := names(t, dir)
			data := bytes.Repeat([]byte{byte(size), 7}, size/2)
			answer, err := a.Store(context.Background(), instance("1.2.3", data)) // the same UID again and again
			if err != nil || answer.Status != 0 {
				t.Fatal(answer, err)
			}
			after := names(t, dir)
			name := after[len(after)-1]
			file, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil || len(after) != len(before)+1 || name != fmt.Sprintf("%08d.dcm", len(after)) || !bytes.HasSuffix(file, data) || !bytes.Contains(file[:400], []byte(explicitLE)) {
				t.Fatalf("%v after %v, a file of %d bytes, %v", after, before, len(file), err)
			}
		}
		if err := a.Release(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "00000099.part"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := dimse.OpenFolder(dir, 1<<30, true)
	if err != nil || again.Used() != f.Used() || len(names(t, dir)) != 12 {
		t.Fatalf("%v bytes, not %d, in %v, %v", again.Used(), f.Used(), names(t, dir), err)
	}
	if err := again.Remove("00000012.dcm"); err != nil || again.Used() >= f.Used() {
		t.Errorf("%d bytes, %v", again.Used(), err)
	}
	again.After("00000077.dcm")
	again.After("00000005.dcm")
	again.After("../00000100.dcm")
	b := dial(t, listen(t, &dimse.Receiver{Handler: keeper{again}}), config)
	if _, err := b.Store(context.Background(), instance("1.2.3", []byte("x"))); err != nil {
		t.Fatal(err)
	}
	b.Abort()
	if all := names(t, dir); all[len(all)-1] != "00000078.dcm" {
		t.Error(all)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestQuota answers A700, before and within an instance, leaves no file, and takes what fits again.
func TestQuota(t *testing.T) {
	f, dir := folder(t, 2000)
	a := dial(t, listen(t, &dimse.Receiver{Handler: keeper{f}}), config)
	for _, c := range []struct {
		size int
		want dimse.Status
	}{{1000, 0}, {1000, dimse.OutOfResources}, {2000 - 2*356 - 1000, 0}, {0, dimse.OutOfResources}} {
		answer, err := a.Store(context.Background(), instance("1.2.3", make([]byte, c.size)))
		if err != nil || answer.Status != c.want {
			t.Errorf("%d bytes: %v, %v; %d are used", c.size, answer, err, f.Used())
		}
	}
	if all := names(t, dir); len(all) != 2 {
		t.Error(all)
	}
	a.Abort()
}

// picky refuses a peer.
type picky struct{ keeper }

func (picky) Accept(p dimse.Peer) error {
	if p.Calling == "QUELL" {
		return errors.New("not now")
	}
	return nil
}

func TestReceiverRejects(t *testing.T) {
	f, _ := folder(t, 1<<20)
	loopback, other := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for what, c := range map[string]struct {
		r    *dimse.Receiver
		want string
	}{
		"any":             {&dimse.Receiver{}, ""},
		"its title":       {&dimse.Receiver{AETitle: "QUELL", Callers: []string{"A", "QUELL"}, Networks: loopback}, ""},
		"another title":   {&dimse.Receiver{AETitle: "OTHER"}, "the called AE title QUELL is not known there"},
		"another caller":  {&dimse.Receiver{Callers: []string{"A"}}, "the calling AE title QUELL is not known there"},
		"another address": {&dimse.Receiver{Networks: other}, "closed the connection"},
		"the handler":     {&dimse.Receiver{Handler: picky{}}, "the association was rejected (result 1, source 1, reason 1)"},
	} {
		if c.r.Handler == nil {
			c.r.Handler = keeper{f}
		}
		a, err := dimse.Dial(context.Background(), listen(t, c.r), config, []dimse.Context{ct})
		if err == nil {
			a.Abort()
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
	few := listen(t, &dimse.Receiver{Handler: keeper{f}, MaxAssociations: 2})
	first, second := dial(t, few, config), dial(t, few, config)
	_, err := dimse.Dial(context.Background(), few, config, []dimse.Context{ct})
	wantError(t, err, "it is too busy for another association; try again later")
	if err := first.Release(context.Background()); err != nil {
		t.Error(err)
	}
	second.Abort()
}

// TestReceiverContexts takes the first syntax that is proposed and known, classes of storage alone.
func TestReceiverContexts(t *testing.T) {
	f, _ := folder(t, 1<<20)
	n := listen(t, &dimse.Receiver{Handler: keeper{f}})
	unknownSyntax := dimse.Context{SOPClass: ctImage, Syntax: "1.2.3"}
	find := dimse.FindContexts()[0]
	a := dial(t, n, config, ct, unknownSyntax, find)
	if err := a.Accepts(ct); err != nil {
		t.Error(err)
	}
	wantError(t, a.Accepts(unknownSyntax), "does not take this transfer syntax")
	wantError(t, a.Accepts(find), "does not store this kind of object")
	a.Abort()
}

// requestOf is an A-ASSOCIATE-RQ with items after the application context.
func requestOf(items ...[]byte) []byte {
	b := append([]byte{0, 1, 0, 0}, []byte(fmt.Sprintf("%-16s%-16s", "QUELL", "SENDER"))...)
	b = append(b, make([]byte, 32)...)
	b = append(b, dimsetest.Item(0x10, []byte("1.2.840.10008.3.1.1.1")...)...)
	return dimsetest.Unit(1, append(b, bytes.Join(items, nil)...)...)
}

func contextItem(id byte, class string, syntaxes ...string) []byte {
	b := append([]byte{id, 0, 0, 0}, dimsetest.Item(0x30, []byte(class)...)...)
	for _, s := range syntaxes {
		b = append(b, dimsetest.Item(0x40, []byte(s)...)...)
	}
	return dimsetest.Item(0x20, b...)
}

// TestHostileSenders are aborted or closed, and leave no file. The receiver then serves others.
func TestHostileSenders(t *testing.T) {
	f, dir := folder(t, 1<<30)
	ends := make(chan error, 100)
	n := listen(t, &dimse.Receiver{Handler: keeper{f}, MaxInstance: 1000, Ended: func(_ dimse.Peer, err error) { ends <- err }})
	good := requestOf(contextItem(1, ctImage, explicitLE), contextItem(3, "1.2.840.10008.1.1", "1.2.840.10008.1.2"))
	store := storeOf(1, ctImage, "1.2.3")
	length := func(n uint32) []byte {
		return requestOf(contextItem(1, ctImage, explicitLE), dimsetest.Item(0x50, dimsetest.Item(0x51, binary.BigEndian.AppendUint32(nil, n)...)...))
	}
	many := make([]string, 65)
	for i := range many {
		many[i] = fmt.Sprintf("1.2.%d", i)
	}
	release := dimsetest.Unit(5, 0, 0, 0, 0)
	for what, c := range map[string]struct {
		b    []byte
		want string // "" for a good end
	}{
		"nothing":                 {nil, "EOF"},
		"a web browser":           {[]byte("GET / HTTP/1.1\r\n\r\n"), "a unit of type 71"},
		"half a request":          {good[:50], "unexpected EOF"},
		"a huge request":          {[]byte{1, 0, 255, 255, 255, 255}, "a unit of 4294967295 bytes where 131072 are allowed"},
		"data first":              {store, "a unit of type 4 out of turn"},
		"a short request":         {dimsetest.Unit(1, make([]byte, 67)...), "a request of 67 bytes"},
		"no contexts":             {requestOf(), "a request without presentation contexts"},
		"an even context":         {requestOf(contextItem(2, ctImage, explicitLE)), "the even ID 2"},
		"a context twice":         {requestOf(contextItem(1, ctImage, explicitLE), contextItem(1, ctImage, explicitLE)), "the presentation context 1 twice"},
		"a cut context":           {requestOf(dimsetest.Item(0x20, 1)), "cut off"},
		"many syntaxes":           {requestOf(contextItem(1, ctImage, many...)), "more than 64 transfer syntaxes"},
		"an item that lies":       {requestOf([]byte{0x20, 0, 255, 255, 1}), "an item of 65535 bytes where 1 are left"},
		"units without room":      {length(255), "a maximum length of 255 bytes"},
		"released at once":        {append(bytes.Clone(good), release...), ""},
		"closed at once":          {good, "EOF"},
		"aborted":                 {append(bytes.Clone(good), dimsetest.Unit(7, 0, 0, 0, 0)...), "aborted the association"},
		"a request again":         {append(bytes.Clone(good), good...), "a unit of type 1 out of turn"},
		"no data":                 {bytes.Join([][]byte{good, store}, nil), "EOF"},
		"half an instance":        {bytes.Join([][]byte{good, store, fragmentOf(1, 0, 1, 2)}, nil), "unexpected EOF"},
		"half a command":          {bytes.Join([][]byte{good, store[:20]}, nil), "unexpected EOF"},
		"a value past its unit":   {bytes.Join([][]byte{good, dimsetest.Unit(4, 0, 0, 0, 100, 1, 3)}, nil), "a fragment of 100 bytes where 2 are left"},
		"a value of 1 byte":       {bytes.Join([][]byte{good, dimsetest.Unit(4, 0, 0, 0, 1, 1, 3)}, nil), "a fragment of 1 bytes"},
		"an empty unit":           {bytes.Join([][]byte{good, dimsetest.Unit(4)}, nil), "a unit of data without data"},
		"data without a command":  {bytes.Join([][]byte{good, fragmentOf(1, 2, 1, 2, 3)}, nil), "data that was not asked for"},
		"a command for data":      {bytes.Join([][]byte{good, store, store}, nil), "data that was not asked for"},
		"data over another":       {bytes.Join([][]byte{good, store, fragmentOf(3, 2, 1, 2)}, nil), "data that was not asked for"},
		"released within":         {bytes.Join([][]byte{good, store, fragmentOf(1, 0, 1, 2), release}, nil), "a unit of type 5 out of turn"},
		"too long":                {bytes.Join([][]byte{good, store, fragmentOf(1, 2, make([]byte, 1001)...)}, nil), "more than is read"},
		"too long bit by bit":     {bytes.Join([][]byte{good, store, bytes.Repeat(fragmentOf(1, 0, make([]byte, 100)...), 11)}, nil), "more than is read"},
		"as long as is allowed":   {bytes.Join([][]byte{good, storeOf(1, ctImage, "../../x"), fragmentOf(1, 2, make([]byte, 1000)...), release}, nil), ""},
		"endless nothing":         {bytes.Join([][]byte{good, store, bytes.Repeat(fragmentOf(1, 0), 1002)}, nil), "fragments without data"},
		"an endless command":      {bytes.Join([][]byte{good, bytes.Repeat(fragmentOf(1, 1, make([]byte, 1000)...), 17)}, nil), "more than 16384 bytes"},
		"no context":              {bytes.Join([][]byte{good, storeOf(7, ctImage, "1.2")}, nil), "a context that was not agreed"},
		"an answer":               {bytes.Join([][]byte{good, answerOf(0x8001, 0, false)}, nil), "an answer that was not asked for"},
		"another class":           {bytes.Join([][]byte{good, storeOf(1, "1.2.840.10008.5.1.4.1.1.4", "1.2"), fragmentOf(1, 2, 1), release}, nil), ""},
		"a path for a UID":        {bytes.Join([][]byte{good, storeOf(1, ctImage, "../../../tmp/x"), fragmentOf(1, 2, 1), release}, nil), ""},
		"a search":                {bytes.Join([][]byte{good, fragmentOf(1, 3, append(elementOf(0x0100, 0x20), elementOf(0x0800, 0)...)...), fragmentOf(1, 2, 1), release}, nil), ""},
		"an echo with the others": {bytes.Join([][]byte{good, fragmentOf(1, 3, append(elementOf(0x0100, 0x30), elementOf(0x0800, 0x0101)...)...), release}, nil), ""},
		"a cancel":                {bytes.Join([][]byte{good, fragmentOf(1, 3, append(elementOf(0x0100, 0x0FFF), elementOf(0x0800, 0x0101)...)...), release}, nil), ""},
	} {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", n.Port))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write(c.b); err != nil {
			t.Fatal(err)
		}
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, conn) // may be reset
		conn.Close()
		if err := <-ends; (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
	if all := names(t, dir); len(all) != 0 {
		t.Errorf("files are left: %v", all)
	}
	a := dial(t, n, config)
	if answer, err := a.Store(context.Background(), instance("1.2", make([]byte, 1000))); err != nil || answer.Status != 0 {
		t.Errorf("%v, %v", answer, err)
	}
	a.Abort()
}

// TestSilentSenders have a time for the negotiation, between commands and within an instance. Bytes that
// trickle do not make more of it.
func TestSilentSenders(t *testing.T) {
	good := requestOf(contextItem(1, ctImage, explicitLE))
	for what, c := range map[string]struct {
		first, trickle []byte
		want           time.Duration
	}{
		"silent":               {nil, nil, 30 * time.Second},
		"half a request":       {good[:10], nil, 30 * time.Second},
		"a request bit by bit": {good[:10], make([]byte, 1), 30 * time.Second},
		"idle":                 {good, nil, time.Minute},
		"half a command":       {append(bytes.Clone(good), storeOf(1, ctImage, "1.2")[:9]...), nil, time.Minute},
		"half an instance":     {append(bytes.Clone(good), storeOf(1, ctImage, "1.2")...), nil, 10 * time.Minute},
		"bit by bit":           {append(bytes.Clone(good), storeOf(1, ctImage, "1.2")...), fragmentOf(1, 0, 1), 10 * time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			f, dir := folder(t, 1<<20)
			p := dimsetest.NewPipes()
			ended := make(chan time.Duration, 1)
			begin := time.Now()
			r := &dimse.Receiver{Handler: keeper{f}, Ended: func(_ dimse.Peer, err error) {
				if err == nil {
					t.Errorf("%s: a good end", what)
				}
				ended <- time.Since(begin)
			}}
			ctx, cancel := context.WithCancel(context.Background())
			var all sync.WaitGroup
			all.Go(func() {
				if err := r.Serve(ctx, p); err != nil {
					t.Error(err)
				}
			})
			conn, err := p.Dial(ctx, "", "")
			if err != nil {
				t.Fatal(err)
			}
			all.Go(func() { _, _ = io.Copy(io.Discard, conn) })
			all.Go(func() {
				_, err := conn.Write(c.first)
				for err == nil && c.trickle != nil {
					time.Sleep(7 * time.Second)
					_, err = conn.Write(c.trickle)
				}
			})
			if waited := <-ended; waited < c.want || waited > c.want+2*time.Second {
				t.Errorf("%s: ended after %v, want %v", what, waited, c.want)
			}
			cancel()
			conn.Close()
			all.Wait()
			if left := names(t, dir); len(left) != 0 {
				t.Errorf("%s: %v", what, left)
			}
		})
	}
}

// TestReceiverCloses ends idle associations at once and lets an instance end. One that does not end has the
// time of Timeout.
func TestReceiverCloses(t *testing.T) {
	for _, ends := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			f, dir := folder(t, 1<<20)
			p := dimsetest.NewPipes()
			r := &dimse.Receiver{Handler: keeper{f}}
			ctx, cancel := context.WithCancel(context.Background())
			served := make(chan error)
			go func() { served <- r.Serve(ctx, p) }()
			open := func() net.Conn {
				conn, err := p.Dial(ctx, "", "")
				if err == nil {
					_, err = conn.Write(requestOf(contextItem(1, ctImage, explicitLE)))
				}
				if err == nil {
					_, _, err = dimsetest.ReadUnit(conn)
				}
				if err != nil {
					t.Fatal(err)
				}
				return conn
			}
			idle, busy := open(), open()
			if _, err := busy.Write(append(storeOf(1, ctImage, "1.2"), fragmentOf(1, 0, 1)...)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			begin := time.Now()
			cancel()
			if _, _, err := dimsetest.ReadUnit(idle); err == nil || time.Since(begin) != 0 {
				t.Errorf("idle: %v after %v", err, time.Since(begin))
			}
			if ends {
				if _, err := busy.Write(fragmentOf(1, 2, 2)); err != nil {
					t.Error(err)
				}
				if kind, _, err := dimsetest.ReadUnit(busy); kind != 4 || err != nil {
					t.Errorf("unit %d, %v", kind, err)
				}
			}
			if err := <-served; err != nil {
				t.Error(err)
			}
			want, files := 30*time.Second, 0
			if ends {
				want, files = 0, 1
			}
			if waited := time.Since(begin); waited != want || len(names(t, dir)) != files {
				t.Errorf("ends %v: %v after %v", ends, names(t, dir), waited)
			}
			idle.Close()
			busy.Close()
		})
	}
}

// TestReceiverTLS asks for a client certificate.
func TestReceiverTLS(t *testing.T) {
	f, _ := folder(t, 1<<20)
	certificate, pool := dimsetest.Certificate(t)
	seen, ends := make(chan dimse.Peer, 4), make(chan error, 4)
	n := listen(t, &dimse.Receiver{
		Handler: keeper{f}, Ended: func(p dimse.Peer, err error) { seen <- p; ends <- err },
		TLS: &tls.Config{Certificates: []tls.Certificate{certificate}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool, MinVersion: tls.VersionTLS12},
	})
	with := config
	with.TLS = &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	a := dial(t, n, with)
	if answer, err := a.Store(context.Background(), instance("1.2", make([]byte, 200000))); err != nil || answer.Status != 0 {
		t.Errorf("%v, %v", answer, err)
	}
	if err := a.Release(context.Background()); err != nil {
		t.Error(err)
	}
	if p := <-seen; p.TLS == nil || len(p.TLS.PeerCertificates) != 1 || p.Calling != "QUELL" {
		t.Errorf("%+v", p)
	}
	with.TLS = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	for _, c := range []dimse.Config{with, config} {
		if a, err := dimse.Dial(context.Background(), n, c, []dimse.Context{ct}); err == nil {
			a.Abort()
			t.Error("accepted without a certificate")
		}
	}
	c, err := net.Dial("tcp", net.JoinHostPort(n.Host, strconv.Itoa(n.Port))) // and nothing more
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	for k, want := range []bool{false, true, true, false} {
		if err := <-ends; dimse.Rejected(err) != want {
			t.Errorf("association %d: %v", k+1, err)
		}
	}
}

// TestStorescu receives from dcmtk, an implementation by others, over its compressed contexts too.
func TestStorescu(t *testing.T) {
	storescu, err := exec.LookPath("storescu")
	if err != nil {
		t.Skip("storescu of dcmtk is missing; scripts/setup.sh pacs installs it")
	}
	f, dir := folder(t, 1<<30)
	n := listen(t, &dimse.Receiver{Handler: keeper{f}, AETitle: "QUELL"})
	slices := dimsetest.Slices(t, "../../assets", 3)
	source := t.TempDir()
	for i, s := range slices {
		if err := os.WriteFile(filepath.Join(source, fmt.Sprint(i)), s.File, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// Without +E and the like dcmtk converts between the plain syntaxes, which changes bytes.
	out, err := exec.Command(storescu, "-xe", "-aec", "QUELL", "+sd", "127.0.0.1", fmt.Sprint(n.Port), source).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range names(t, dir) {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		same := false
		for _, s := range slices {
			same = same || len(b) > 30000 && bytes.HasSuffix(b, s.File[len(s.File)-len(s.File)/2:])
		}
		if !same {
			t.Errorf("%s has other pixels", name)
		}
	}
	if all := names(t, dir); len(all) != 3 {
		t.Error(all)
	}
	if echoscu, err := exec.LookPath("echoscu"); err == nil {
		if out, err := exec.Command(echoscu, "-aec", "QUELL", "127.0.0.1", fmt.Sprint(n.Port)).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
}
