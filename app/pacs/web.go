package pacs

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"quell/app/job"
	"quell/internal/message"
	"quell/io/attributes"
	"quell/io/dicom"
	"quell/io/dicomweb"
)

// web speaks DICOMweb.
type web struct{ client *dicomweb.Client }

func checkWeb(p Place) error {
	if p.TLS || p.From != "" {
		return job.Usagef("AE titles and TLS by a switch are for the DICOM network; an address of DICOMweb begins with https:// for TLS")
	}
	if !strings.HasPrefix(p.To, "https://") && (p.Authority != "" || p.Certificate != "") {
		return job.Usagef("certificates are for TLS; give an address that begins with https://")
	}
	if err := p.SignIn.check(); err != nil {
		return err
	}
	c, err := p.tlsConfig()
	if err != nil {
		return err
	}
	if _, err := dicomweb.New(dicomweb.Config{Base: p.To, TLS: c}); err != nil {
		return job.Usage(err)
	}
	if p.SignIn.Token == "" {
		return nil
	}
	if _, err := dicomweb.NewClientCredentials(dicomweb.ClientCredentials{TokenURL: p.SignIn.Token}); err != nil {
		return job.Usage(err)
	}
	return nil
}

func openWeb(p Place) (protocol, error) {
	c, err := p.tlsConfig()
	if err != nil {
		return nil, err
	}
	authorization, err := p.SignIn.authorization(p)
	if err != nil {
		return nil, err
	}
	client, err := dicomweb.New(dicomweb.Config{Base: p.To, TLS: c, Authorization: authorization})
	if err != nil {
		return nil, err
	}
	return &web{client}, nil
}

func (w *web) close() { w.client.Close() }

func (w *web) echo(ctx context.Context) error {
	_, err := w.client.Studies(ctx, attributes.Query{Most: 1})
	return err
}

func (w *web) search(ctx context.Context, q Query, include []string) (attributes.Results, error) {
	asked := attributes.Query{Match: q.Match, Include: include, Most: q.Most}
	switch q.Level {
	case Studies:
		return w.client.Studies(ctx, asked)
	case Series:
		return w.client.Series(ctx, q.Study, asked)
	}
	return w.client.Instances(ctx, q.Study, q.Series, asked)
}

func (w *web) retrieve(ctx context.Context, s selection, each func(io.Reader) error) error {
	_, err := w.client.Retrieve(ctx, dicomweb.Retrieval{Study: s.study, Series: s.series, Instance: s.instance, Want: s.want, MostParts: s.want}, each)
	return err
}

func (w *web) store(ctx context.Context, p Plan, r *Report, progress func(done, total int)) error {
	var instances []dicomweb.Instance
	place := map[string]int{}
	begun := r.Stored
	for i, o := range p.Objects {
		if r.Files[i].Stored {
			continue
		}
		place[o.UID] = i
		opened := false
		instances = append(instances, dicomweb.Instance{Study: o.StudyUID, Series: o.SeriesUID, UID: o.UID, Size: o.Start + o.Size, Open: func() (io.ReadCloser, error) {
			if !opened && progress != nil {
				opened = true
				progress(begun, len(p.Objects))
				begun++
			}
			return openObject(p, o)
		}})
	}
	said, err := w.client.Store(ctx, instances)
	missing := map[string]bool{}
	for _, uid := range said.Missing {
		missing[uid] = true
	}
	if said.Verified+len(said.Missing) != len(instances) { // the search did not take place, or not to its end
		for _, i := range place {
			r.Files[i].Status = NotConfirmed
		}
		return err
	}
	for uid, i := range place {
		r.Files[i].Stored, r.Files[i].Status = !missing[uid], Stored
		if missing[uid] {
			r.Files[i].Status = NotFound
		}
	}
	for _, remark := range append(said.Warned, said.Failed...) {
		if i, ok := place[remark.UID]; ok && remark.Status != 0 {
			r.Files[i].Status = remark.Status.AsMessage()
		}
	}
	r.Verified += said.Verified
	if progress != nil {
		progress(len(p.Objects), len(p.Objects))
	}
	return err
}

// NotFound is the status of a file that the archive confirmed and a search does not find.
var NotFound = message.Text("not found there afterwards")

func openObject(p Plan, o dicom.Object) (*os.File, error) {
	return os.Open(filepath.Join(p.Folder, filepath.FromSlash(o.Name)))
}
