package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"quell/app/job"
	"quell/app/pacs"
	"quell/internal/lockfile"
	"quell/io/dicom"
	"quell/io/dimse"
)

// Node is a node with its folder. Only one process at a time can have it open.
type Node struct {
	s      Settings
	lock   *lockfile.File
	folder *dimse.Folder
	audit  *audit
	now    func() time.Time
	wake   chan struct{} // a series is whole
	point  func()        // is called at points at which a crash must do no harm; tests crash in it

	mu      sync.Mutex
	pending map[string]*arriving // by series UID
	waiting int                  // instances in pending
	list    []*task              // in order of their numbers
	number  int                  // of the last task
	started time.Time
	meters  *meters

	patience time.Duration               // for a report over the association of the request
	reports  map[string]dimse.Commitment // by transaction, that were not looked at
	reported context.CancelFunc          // ends that wait
}

// Open opens the folder of a node and finds what a former process left. Errors are *job.UsageError if another
// process has it, or of the system.
func Open(s Settings) (*Node, error) { return openAt(s, time.Now) }

func openAt(s Settings, now func() time.Time) (*Node, error) {
	n := &Node{s: s, now: now, wake: make(chan struct{}, 1), point: func() {}, pending: map[string]*arriving{}, started: now(),
		patience: pacs.ReportWait, reports: map[string]dimse.Commitment{}, reported: func() {}}
	n.meters = newMeters()
	if err := os.MkdirAll(n.tasks(), 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(s.Folder, 0o700); err != nil {
		return nil, err
	}
	var err error
	if n.lock, err = lockfile.Take(filepath.Join(s.Folder, "lock")); errors.Is(err, lockfile.ErrHeld) {
		return nil, job.Usagef("another process serves the folder %s", s.Folder)
	} else if err != nil {
		return nil, err
	}
	if err := n.load(); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

func (n *Node) load() (err error) {
	if n.audit, err = openAudit(n.s, n.now); err != nil {
		return err
	}
	if n.folder, err = dimse.OpenFolder(filepath.Join(n.s.Folder, "in"), int64(n.s.QuotaGB*1e9), !n.s.Volatile); err != nil {
		return err
	}
	if n.list, err = readTasks(n.tasks()); err != nil {
		return err
	}
	for _, t := range n.list {
		n.number = max(n.number, t.Number)
		for _, f := range t.Files {
			n.folder.After(f.Name)
		}
	}
	if err := n.supersede(); err != nil {
		return err
	}
	return n.recover()
}

// supersede ends tasks of series that have a later one: a crash came before.
func (n *Node) supersede() error {
	latest := map[string]*task{}
	for _, t := range n.list {
		if t.State != Late {
			latest[t.Series] = t
		}
	}
	for _, t := range n.list {
		if latest[t.Series] != t && t.State != Superseded && t.State != Late {
			if err := n.end(t, Superseded, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// recover finds the instances that no task has.
func (n *Node) recover() error {
	known := map[string]bool{}
	for _, t := range n.list {
		for _, f := range t.Files {
			known[f.Name] = true
		}
	}
	dir := filepath.Join(n.s.Folder, "in")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	fsys := os.DirFS(dir)
	for _, e := range entries {
		if known[e.Name()] {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		a, err := dicom.ReadArrived(fsys, e.Name())
		if err != nil || a.Filtered { // it was not confirmed
			if err := n.folder.Remove(e.Name()); err != nil {
				return err
			}
			continue
		}
		n.add(e.Name(), a, info.ModTime())
	}
	return nil
}

// Close gives the folder free.
func (n *Node) Close() error {
	var err error
	if n.audit != nil {
		err = n.audit.close()
	}
	return errors.Join(err, n.lock.Release())
}

// Run receives and works until the context ends. listening, which may be nil, receives the addresses. What is in
// work then is done by the next Run.
func (n *Node) Run(ctx context.Context, listening func(receiver, status net.Addr)) error {
	networks, err := n.s.networks()
	if err != nil {
		return err
	}
	config, err := n.s.config()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", n.s.Listen)
	if err != nil {
		return job.Usagef("listen: %w", err)
	}
	r := &dimse.Receiver{
		Handler: n, AETitle: n.s.AETitle, Implementation: dimse.Implementation{ClassUID: dicom.ImplementationClassUID, Version: "QUELL"},
		TLS: config, Callers: n.s.Callers, Networks: networks, MaxAssociations: n.s.Associations,
		Ended: n.ended,
	}
	if n.s.commits() {
		r.Committed = n.Committed
	}
	var page *http.Server
	var pageAddress net.Addr
	if n.s.Status != "" {
		l, err := net.Listen("tcp", n.s.Status)
		if err != nil {
			listener.Close()
			return job.Usagef("status: %w", err)
		}
		page, pageAddress = &http.Server{Handler: n.page(), ReadHeaderTimeout: 10 * time.Second}, l.Addr()
		go func() { _ = page.Serve(l) }()   // ends by Close
		defer func() { _ = page.Close() }() // its listener ends with the process
	}
	if listening != nil {
		listening(listener.Addr(), pageAddress)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var failed error
	served := make(chan struct{})
	go func() {
		defer close(served)
		failed = r.Serve(ctx, listener)
	}()
	err = n.loop(ctx, served)
	cancel()
	<-served
	return errors.Join(err, failed)
}

// tick is how often the node looks for series that have become complete.
const tick = time.Second

// loop does tasks until the context ends, the receiver fails or the journal cannot be written.
func (n *Node) loop(ctx context.Context, served <-chan struct{}) error {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		if err := n.step(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-served:
			return nil
		case <-ticker.C:
		case <-n.wake:
		}
	}
}

// step makes tasks of complete series and does all that can be done now.
func (n *Node) step(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := n.complete(); err != nil {
			return err
		}
		if err := n.retry(); err != nil {
			return err
		}
		if err := n.conclude(ctx); err != nil && ctx.Err() == nil {
			return err
		}
		t, p := n.due()
		if t == nil {
			return n.tidy()
		}
		if err := n.work(ctx, t, p); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// due returns the first task that can be worked on, and its part.
func (n *Node) due() (*task, *part) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.now()
	for _, t := range n.list {
		if p, ok := t.due(now); ok {
			return t, p
		}
	}
	return nil, nil
}

// rouse lets the loop look for work.
func (n *Node) rouse() {
	select {
	case n.wake <- struct{}{}:
	default: // it is awake
	}
}
