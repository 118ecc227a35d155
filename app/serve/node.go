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
	"quell/app/journal"
	"quell/app/pacs"
	"quell/internal/lockfile"
	"quell/internal/message"
	"quell/io/atomic"
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
	point  func() // is called at points at which a crash must do no harm; tests crash in it

	tasks     journal.Journal[task]
	writeFile func(path string, data []byte, mode os.FileMode) error // of the journal
	free      func() (bytes int64, known bool)                       // of the disk

	limit func(context.Context, time.Duration) (context.Context, context.CancelFunc)

	lanes   []*lane
	journal sync.Mutex // of the tasks and their files: who changes a task holds it, and mu meanwhile; who reads holds either

	mu      sync.Mutex
	paused  message.Kind         // why nothing is received or filtered; "" if it is
	owed    int64                // bytes that are to be filtered: results need as many
	damaged []string             // files of the journal that could not be read
	pending map[string]*arriving // by series UID
	waiting int                  // instances in pending
	noted   bool                 // that there is no room, in the audit log

	associations map[uint64]*association // that are open, by number

	list    []*task // in order of their numbers
	number  int     // of the last task
	started time.Time
	meters  *meters

	patience time.Duration                 // for a report over the association of the request
	reports  map[string]dimse.Commitment   // by transaction, that were not looked at
	reported map[string]context.CancelFunc // by transaction: ends that wait
}

// Open opens the folder of a node and finds what a former process left. Errors are *job.UsageError if another
// process has it, or of the system.
func Open(s Settings) (*Node, error) { return openAt(s, time.Now) }

func openAt(s Settings, now func() time.Time) (*Node, error) {
	n := &Node{s: s, tasks: tasksOf(s), now: now, point: func() {}, lanes: lanesOf(s), writeFile: atomic.WriteFile, limit: context.WithTimeout, pending: map[string]*arriving{}, associations: map[uint64]*association{}, started: now(),
		patience: pacs.ReportWait, reports: map[string]dimse.Commitment{}, reported: map[string]context.CancelFunc{}}
	n.tasks.Write = n.write
	n.free = func() (int64, bool) { return atomic.FreeSpace(s.Folder) }
	n.meters = newMeters()
	if err := os.MkdirAll(n.tasks.Folder, 0o700); err != nil {
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
	if n.list, n.damaged, err = readTasks(n.tasks); err != nil {
		return err
	}
	if err := n.quarantine(); err != nil {
		return err
	}
	for _, t := range n.list {
		n.number = max(n.number, t.Number)
		for _, f := range t.Files {
			n.folder.After(f.Name)
		}
	}
	if err := n.supersede(); err != nil {
		n.pause(err) // it is written later
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
		n.add(file{Name: e.Name(), UID: a.UID, Size: info.Size()}, a, n.now()) // senders could not go on meanwhile
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
	config, err := n.s.Config(n.now())
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
		defer cancel()
		failed = r.Serve(ctx, listener)
	}()
	n.drive(ctx)
	<-served
	return failed
}
