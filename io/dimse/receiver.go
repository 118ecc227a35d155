package dimse

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// Peer is who asks for an association. Titles and address are what the other side says, not who it is.
type Peer struct {
	Number          uint64 // of the association, counted from 1
	Calling, Called string
	Address         netip.AddrPort       // of the connection; zero if it is none of IP
	TLS             *tls.ConnectionState // nil without
}

// Handler decides which instances a Receiver takes. Its functions are called by many goroutines at once.
type Handler interface {
	// Accept refuses an association by an error, which is not sent.
	Accept(Peer) error
	// Store takes an instance and returns the status that is answered. What it leaves of the instance is
	// read and dropped. If it returns a status of success, the instance is the receiver's to keep. The
	// context ends when the receiver is closed and the time for what has begun is over.
	Store(context.Context, Peer, *Arrival) Status
}

// Receiver is a node that answers C-ECHO and C-STORE, and takes reports of storage commitment. Its fields must not be changed while it serves.
type Receiver struct {
	Handler        Handler
	AETitle        string // of this side; "" answers to every title
	Implementation Implementation
	TLS            *tls.Config    // nil for none; ClientAuth and ClientCAs ask for certificates
	Callers        []string       // calling AE titles that are let in; nil for all
	Networks       []netip.Prefix // addresses that are let in; nil for all
	// Takes says which contexts are accepted; nil for C-ECHO and the storage classes of the standard in
	// Syntaxes.
	Takes func(Context) bool
	// Committed takes a report of storage commitment and returns the status that is answered. Without it their
	// contexts are refused. It is called by many goroutines at once.
	Committed func(context.Context, Peer, Commitment) Status

	MaxAssociations int           // at a time; 16 if 0
	MaxPDU          uint32        // bytes of a unit that is read; 128 KB if 0, at most 1 MB
	MaxInstance     int64         // bytes of a data set; 4 GiB if 0
	Timeout         time.Duration // of every unit, and of the negotiation; DefaultTimeout if 0
	Idle            time.Duration // between two commands; a minute if 0
	Longest         time.Duration // for one instance; 10 minutes if 0

	// Ended, if not nil, receives the error that ended an association: nil if the other side released it.
	Ended func(Peer, error)

	mu      sync.Mutex
	count   uint64 // of associations
	active  int
	waiting map[*session]bool // for a command
	closing bool
}

const (
	defaultReceived = 128 << 10
	longestReceived = 1 << 20
	// maxRejecting bounds the connections over MaxAssociations that get a rejection; others are closed.
	maxRejecting = 16
)

// takes says which contexts are accepted.
func (r *Receiver) takes(c Context) bool {
	switch {
	case c.SOPClass == commitmentClass:
		return r.Committed != nil && slices.Contains(CommitmentContexts(), c)
	case r.Takes != nil:
		return r.Takes(c)
	}
	return takesStorage(c)
}

func (r *Receiver) maxPDU() uint32 { return min(cmp.Or(r.MaxPDU, defaultReceived), longestReceived) }

// Serve accepts connections of a listener until the context ends. Then it closes the listener and
// associations that wait, lets each that is within a message end it in Timeout, and returns nil when no
// goroutine of it is left. A listener that fails is an error, after the same end.
func (r *Receiver) Serve(ctx context.Context, listener net.Listener) error {
	r.mu.Lock()
	r.waiting, r.closing = map[*session]bool{}, false
	r.mu.Unlock()
	work, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	closed := make(chan struct{})
	var late *time.Timer
	stop := context.AfterFunc(ctx, func() {
		defer close(closed)
		listener.Close()
		late = time.AfterFunc(cmp.Or(r.Timeout, DefaultTimeout), end)
		r.close()
	})
	var all sync.WaitGroup
	var failed error
	for {
		conn, err := listener.Accept()
		if err != nil {
			if ctx.Err() == nil && passing(err) {
				time.Sleep(10 * time.Millisecond)
				continue
			}
			if ctx.Err() == nil {
				failed = err
			}
			break
		}
		all.Add(1)
		go func() {
			defer all.Done()
			r.serve(work, conn)
		}()
	}
	if stop() { // the listener failed
		close(closed)
		listener.Close()
		r.close()
	}
	all.Wait()
	if <-closed; late != nil {
		late.Stop()
	}
	return failed
}

// passing reports an error of a connection that was gone before it was accepted, or a lack of files.
func passing(err error) bool {
	var e net.Error
	return !errors.Is(err, net.ErrClosed) && errors.As(err, &e)
}

// close ends the associations that wait for a command.
func (r *Receiver) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closing = true
	for s := range r.waiting {
		s.conn.Close()
	}
}

// wait marks that a session waits for a command. It is false if the receiver closes.
func (r *Receiver) wait(s *session, waits bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if waits {
		r.waiting[s] = true
	} else {
		delete(r.waiting, s)
	}
	return !r.closing
}

// enter counts a connection. full means that it gets a rejection, and !ok that it is closed.
func (r *Receiver) enter() (number uint64, full, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	most := cmp.Or(r.MaxAssociations, 16)
	if r.active >= most+maxRejecting {
		return 0, false, false
	}
	r.active++
	r.count++
	return r.count, r.active > most, true
}

func (r *Receiver) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.active--
}

// serve does one connection.
func (r *Receiver) serve(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	address, _ := netip.ParseAddrPort(conn.RemoteAddr().String())
	address = netip.AddrPortFrom(address.Addr().Unmap(), address.Port())
	if r.Networks != nil && !slices.ContainsFunc(r.Networks, func(p netip.Prefix) bool { return p.Contains(address.Addr()) }) {
		return
	}
	number, full, ok := r.enter()
	if !ok {
		return
	}
	defer r.leave()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	s := &session{r: r, peer: Peer{Number: number, Address: address}}
	s.link = link{conn: conn, timeout: cmp.Or(r.Timeout, DefaultTimeout), most: r.maxPDU()}
	s.link.peer.Host, s.link.peer.Port = address.Addr().String(), int(address.Port())
	err := s.run(ctx, full)
	if r.Ended != nil {
		r.Ended(s.peer, err)
	}
}
