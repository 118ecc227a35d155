package dicomweb

import (
	"context"
	"io"
	"net"
	"net/http"
)

// SetDial lets a client, and the source of its tokens, connect by another network.
func SetDial(c *Client, dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	c.transport.DialContext = dial
	if s, ok := c.config.Authorization.(*tokenSource); ok {
		s.transport.DialContext = dial
	}
}

// ParseDatasets reads DICOM JSON.
func ParseDatasets(r io.Reader) ([]Dataset, error) {
	left := oneAnswer()
	return parseDatasets(r, &left)
}

// Limits of DICOM JSON.
const (
	MaxJSON  = maxJSON
	MaxDepth = maxDepth
	MaxNodes = maxNodes
)

// ReadParts reads the parts of an answer.
func ReadParts(resp *http.Response, most int, bytes int64, each func(io.Reader) error) (int, error) {
	c := &Client{host: "pacs.example"}
	n := 0
	err := c.handOver(resp, Retrieval{MostParts: most, MostPartBytes: bytes, MostBytes: 1 << 20}, &n, func() {}, each)
	return n, err
}

// SetHeld limits the memory of a search.
func SetHeld(c *Client, bytes int64, nodes int) { c.held = budget{bytes, nodes} }
