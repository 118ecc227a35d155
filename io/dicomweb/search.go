package dicomweb

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"quell/internal/message"
	"quell/io/attributes"
)

// Searches and their results are the same for every protocol.
type (
	// Query is a search.
	Query = attributes.Query
	// Results are the findings of a search.
	Results = attributes.Results
)

// Studies searches studies. A result has a StudyInstanceUID.
func (c *Client) Studies(ctx context.Context, q Query) (Results, error) {
	return c.search(ctx, []string{"studies"}, attributes.StudyInstanceUID, q)
}

// Series searches series, of one study if its UID is not "". A result has a SeriesInstanceUID.
func (c *Client) Series(ctx context.Context, study string, q Query) (Results, error) {
	path := []string{"series"}
	if study != "" {
		if err := attributes.CheckUIDs(study); err != nil {
			return Results{}, err
		}
		path = []string{"studies", study, "series"}
	}
	return c.search(ctx, path, attributes.SeriesInstanceUID, q)
}

// Instances searches the instances of a series. A result has a SOPInstanceUID.
func (c *Client) Instances(ctx context.Context, study, series string, q Query) (Results, error) {
	if err := attributes.CheckUIDs(study, series); err != nil {
		return Results{}, err
	}
	return c.search(ctx, []string{"studies", study, "series", series, "instances"}, attributes.SOPInstanceUID, q)
}

// termsOf returns the terms of every page of a search.
func termsOf(q Query) (url.Values, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	terms := url.Values{}
	for name, value := range q.Match {
		terms.Set(name, value)
	}
	for _, name := range q.Include {
		terms.Add("includefield", name)
	}
	return terms, nil
}

// search collects results. They are held until the end, so that all pages share a budget.
func (c *Client) search(ctx context.Context, path []string, id Tag, q Query) (Results, error) {
	var r Results
	left := c.held
	more, err := c.pages(ctx, path, id, q, &left, func(d Dataset) { r.Found = append(r.Found, d) })
	if err != nil {
		return Results{}, err
	}
	r.More = more
	return r, nil
}

// pages asks for page after page until the server has no more, or more than are wanted, and visits
// each result once. Without a budget every page has its own.
func (c *Client) pages(ctx context.Context, path []string, id Tag, q Query, left *budget, visit func(Dataset)) (more bool, err error) {
	terms, err := termsOf(q)
	if err != nil {
		return false, err
	}
	met := map[string]bool{}
	for offset := 0; ; {
		limit := min(c.config.PageSize, q.Most+1-len(met)) // one more tells whether there are more
		terms.Set("limit", strconv.Itoa(limit))
		terms.Set("offset", strconv.Itoa(offset))
		page := left
		if page == nil {
			own := oneAnswer()
			page = &own
		}
		found, capped, err := c.page(ctx, path, terms, id, page)
		if err != nil {
			return false, err
		}
		before := len(met)
		for _, one := range found {
			uid := one.Text(id)
			if met[uid] {
				continue
			}
			if len(met) == q.Most {
				return true, nil
			}
			met[uid] = true
			visit(one)
		}
		switch {
		case len(found) > limit, len(found) < limit && !capped: // the first has no pages
			return false, nil
		case len(met) == before:
			return false, &Error{
				Host: c.host, Status: http.StatusOK, Problem: message.New(message.NetworkProtocol, "it sends the same results for every page of a search"),
				Advice: message.Text("narrow the search"),
			}
		}
		offset += len(found)
	}
}

// page asks for one page. capped is a server's word that it sent fewer results than it has.
func (c *Client) page(ctx context.Context, path []string, terms url.Values, id Tag, left *budget) (found []Dataset, capped bool, err error) {
	err = c.exchange(ctx, &request{
		method: http.MethodGet, path: path, terms: terms, accept: "application/dicom+json",
		accepted: []int{http.StatusOK, http.StatusNoContent},
		consume: func(resp *http.Response) error {
			found, capped = nil, false
			if resp.StatusCode == http.StatusNoContent {
				return nil
			}
			for _, w := range resp.Header.Values("Warning") { // PS3.18 section 8.3.4.4
				capped = capped || strings.HasPrefix(w, "299 ") && strings.Contains(w, "additional results")
			}
			found, err = c.datasets(resp, left)
			for _, one := range found {
				if err == nil && attributes.CheckUIDs(one.Text(id)) != nil {
					err = c.against(resp.StatusCode, "it sends a result without a UID")
				}
			}
			return err
		},
	})
	return found, capped, err
}

// datasets reads an answer of DICOM JSON.
func (c *Client) datasets(resp *http.Response, left *budget) ([]Dataset, error) {
	found, err := parseDatasets(resp.Body, left)
	var wrong *jsonError
	switch {
	case errors.As(err, &wrong):
		return nil, c.against(resp.StatusCode, "it sends %s", wrong.text)
	case errors.Is(err, errTooLarge):
		return nil, &Error{
			Host: c.host, Status: resp.StatusCode, Problem: message.New(message.InputTooLarge, "it sends more results than are held at a time"),
			Advice: message.Text("narrow the search"), Err: err,
		}
	}
	return found, err
}
