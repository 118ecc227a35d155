package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"quell/app/files"
	"quell/app/job"
	"quell/io/dicom"
	"quell/io/dimse"
)

// arriving is a series whose instances are being received.
type arriving struct {
	files []file
	uids  map[string]bool
	want  int       // instances in all; 0 if it is not known
	last  time.Time // of an instance

	refused []string // instances, for lack of room

	promised  int         // instances at least, by another attribute; 0 if it is not known
	positions int         // in time; 0 if they are not known
	each      map[int]int // instances of each position
}

// promises reports whether headers say that more is to come, or an instance was refused that has not come since.
func (s *arriving) promises() bool {
	if slices.ContainsFunc(s.refused, func(uid string) bool { return !s.uids[uid] }) {
		return true
	}
	more := max(s.want, s.promised)
	if len(s.each) > 0 {
		more = max(more, s.positions*slices.Max(slices.Collect(maps.Values(s.each))))
	}
	return len(s.uids) < more
}

// longer is how many idle timeouts pass before a series that promises more instances is complete.
const longer = 10

// whole reports whether all instances are there that the series says to have.
func (s *arriving) whole() bool { return s.want > 0 && len(s.uids) >= s.want }

// Limits of what is held in memory of series that arrive.
const maxWaiting = 200000 // instances

// Statuses that are answered beside those of the folder.
const notAuthorized dimse.Status = 0x0124

// Accept lets every association in that the receiver let in.
func (n *Node) Accept(dimse.Peer) error { return nil }

// association is what came over one that is open.
type association struct {
	series  string   // of the last instance that was taken; "" for none
	refused []string // instances, for lack of room, of no series that is known
}

// mostRefused bounds the instances that are known to have been refused, of a series or of an association.
const mostRefused = 10000

// noRoom answers an instance for which there is no room. Its series is that of the instance before it, or of the one
// after it. The audit log has the first of several.
func (n *Node) noRoom(p dimse.Peer, uid string, err error) {
	n.mu.Lock()
	a := n.associationOf(p)
	of := &a.refused
	if s := n.pending[a.series]; s != nil {
		of = &s.refused
	}
	if len(*of) < mostRefused {
		*of = append(*of, uid)
	}
	first := !n.noted
	n.noted = true
	n.mu.Unlock()
	if first {
		n.refuse("refused, full", p, "", err)
	} else {
		n.meters.refused.Inc()
	}
}

// took notes the series of an instance that was taken.
func (n *Node) took(p dimse.Peer, series string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.noted = false
	a := n.associationOf(p)
	if s := n.pending[series]; s != nil {
		s.refused = append(s.refused, a.refused...)
	}
	a.series, a.refused = series, nil
}

func (n *Node) associationOf(p dimse.Peer) *association {
	a := n.associations[p.Number]
	if a == nil {
		a = &association{}
		n.associations[p.Number] = a
	}
	return a
}

// ended forgets an association, and notes one that was not let in.
func (n *Node) ended(p dimse.Peer, err error) {
	n.mu.Lock()
	delete(n.associations, p.Number)
	n.mu.Unlock()
	if dimse.Rejected(err) {
		n.audit.write(entry{Event: "association rejected", From: p.Address.Addr().String(), Err: err})
	}
}

// Store keeps an instance. One that Quell has filtered is refused: rules of an archive could send it back for ever.
func (n *Node) Store(_ context.Context, p dimse.Peer, a *dimse.Arrival) dimse.Status {
	if n.full() {
		n.noRoom(p, a.UID, nil)
		return dimse.OutOfResources
	}
	name, size, status, err := n.folder.Store(a)
	if status != 0 {
		n.noRoom(p, a.UID, err)
		return status
	}
	n.point()
	arrived, err := dicom.ReadArrived(os.DirFS(filepath.Join(n.s.Folder, "in")), name)
	if err == nil && !arrived.Filtered && arrived.UID == a.UID {
		n.add(file{Name: name, UID: arrived.UID, Size: size}, arrived, n.now())
		n.took(p, arrived.SeriesUID)
		n.meters.received.Inc()
		n.meters.bytes.AddInt64(size)
		n.point()
		return 0
	}
	_ = n.folder.Remove(name) // if it fails the next start does it
	if err != nil || arrived.UID != a.UID {
		n.refuse("refused, damaged", p, arrived.SeriesUID, err)
		return dimse.NotUnderstood
	}
	n.refuse("refused, filtered by Quell", p, arrived.SeriesUID, nil)
	return notAuthorized
}

func (n *Node) full() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.refusing()
}

func (n *Node) refuse(event string, p dimse.Peer, series string, err error) {
	n.meters.refused.Inc()
	e := entry{Event: event, Series: series, From: p.Address.Addr().String(), Err: err}
	if slices.Contains(n.s.Callers, p.Calling) { // others may hold anything
		e.Caller = p.Calling
	}
	n.audit.write(e)
}

// add notes an instance of a series.
func (n *Node) add(f file, a dicom.Arrived, at time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := n.pending[a.SeriesUID]
	if s == nil {
		s = &arriving{uids: map[string]bool{}, each: map[int]int{}}
		n.pending[a.SeriesUID] = s
	}
	s.files, s.want = append(s.files, f), max(s.want, a.Instances)
	s.promised, s.positions = max(s.promised, a.Promised), max(s.positions, a.Positions)
	if !s.uids[a.UID] && a.Position > 0 {
		s.each[a.Position]++
	}
	n.owed += f.Size
	if at.After(s.last) {
		s.last = at
	}
	s.uids[a.UID] = true
	if n.waiting++; s.whole() {
		n.rouse()
	}
}

// complete makes tasks of the series that are complete: by their number of instances, or as nothing came for a time.
func (n *Node) complete() error {
	for _, uid := range n.ready() {
		if err := n.queue(uid); err != nil {
			return err
		}
	}
	return nil
}

func (n *Node) ready() (uids []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.now()
	for uid, s := range n.pending {
		idle := time.Duration(n.s.IdleTimeout)
		if s.promises() {
			idle *= longer
		}
		if s.whole() || !now.Before(s.last.Add(idle)) {
			uids = append(uids, uid)
		}
	}
	slices.Sort(uids)
	return uids
}

// queue makes a task of what has arrived of a series. Instances that its last task has already, byte for byte, are
// dropped; others make a new task with those of the last, or one that is late if those were removed.
func (n *Node) queue(uid string) error {
	n.mu.Lock()
	s := n.pending[uid]
	arrived := slices.Clone(s.files)
	n.mu.Unlock()
	var err error
	n.apart(func() {
		for i := range arrived {
			if err == nil {
				arrived[i].Sum, err = sumOf(n.folder.Path(arrived[i].Name))
			}
		}
	})
	if err != nil {
		return err
	}
	var last *task
	for _, t := range n.list {
		if t.Series == uid && t.State != Superseded && t.State != Late {
			last = t
		}
	}
	files, dropped := merge(last, arrived)
	if files != nil {
		if err := n.begin(uid, files, last); err != nil {
			return err
		}
	}
	n.point()
	for _, name := range dropped {
		if err := n.drop(name, nil); err != nil {
			return err
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.waiting -= len(arrived)
	s.files, s.uids, s.each = s.files[len(arrived):], map[string]bool{}, map[int]int{} // what came since waits as it is
	for _, f := range s.files {
		s.uids[f.UID] = true
	}
	if len(s.files) == 0 {
		delete(n.pending, uid)
	}
	return nil
}

// sumOf returns the SHA-256 of a file.
func sumOf(path string) (string, error) {
	h := sha256.New()
	if err := files.AddFile(h, path); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// merge returns the files of a new task, nil if nothing is new, and those that are not needed. They are those of the
// last task and what arrived; of those that were removed nothing is left to be done again.
func merge(last *task, arrived []file) (files []file, dropped []string) {
	at := map[string]int{} // by UID
	if last != nil {
		for _, f := range last.Files {
			at[f.UID] = len(files)
			files = append(files, f)
		}
	}
	former, news := len(files), false
	for _, f := range arrived {
		i, again := at[f.UID]
		switch {
		case !again:
			at[f.UID] = len(files)
			files, news = append(files, f), true
			continue
		case files[i].Name == f.Name: // of a task that was made when the disk was full
			continue
		case files[i].Sum == f.Sum:
			dropped = append(dropped, f.Name)
			continue
		case i >= former: // those of a task go when it does
			dropped = append(dropped, files[i].Name)
		}
		files[i], news = f, true
	}
	if !news {
		return nil, dropped
	}
	return slices.DeleteFunc(files, func(f file) bool { return f.Name == "" }), dropped
}

// begin puts a new task into the journal, then ends the last one of the series.
func (n *Node) begin(uid string, files []file, last *task) error {
	n.mu.Lock()
	n.number++
	t := &task{Number: n.number, Series: uid, Files: files, State: Waiting, stops: map[*lane]context.CancelFunc{}}
	event := "complete"
	switch {
	case last != nil && last.Gone:
		// A part of a series is not filtered: its result would look like the whole.
		event, t.State, t.Ended = "late", Late, n.now()
	case last != nil:
		event, t.Replaces = "complete, again", last.begun()
	}
	n.mu.Unlock()
	if err := n.save(t); err != nil {
		return err
	}
	n.point()
	n.mu.Lock()
	n.list = append(n.list, t)
	n.mu.Unlock()
	if last != nil && t.State == Waiting {
		if err := n.end(last, Superseded, ""); err != nil { // the task is there, and the files are its own
			n.pause(err)
		}
	}
	n.audit.write(entry{Event: event, Series: uid, Task: t.Number, Instances: len(files)})
	job.Log("series complete")
	return nil
}
