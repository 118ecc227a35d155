package part10

import (
	"sync"

	lib "github.com/suyashkumar/dicom"
)

// ElementCache holds parsed elements by their bytes. The files of a series say
// all but a few things in the same bytes, and parsing was most of what a scan
// did. It may be used from several goroutines; nil holds nothing.
type ElementCache struct {
	mu     sync.RWMutex
	parsed map[Encoding]map[string]*lib.Element
}

// Limits of a cache. A full one is emptied: what all files share comes back with
// the next one.
const (
	maxCachedElements = 1 << 14
	maxCachedBytes    = 256 // of one element
)

// take puts the elements that are known by their bytes into set and returns the
// others.
func (c *ElementCache) take(enc Encoding, raw [][]byte, set map[Tag]*lib.Element) (unknown [][]byte) {
	if c == nil {
		return raw
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	parsed := c.parsed[enc]
	unknown = raw[:0]
	for _, b := range raw {
		if e, known := parsed[string(b)]; known {
			set[Tag(e.Tag.Uint32())] = e
		} else {
			unknown = append(unknown, b)
		}
	}
	return unknown
}

// add keeps what elements were parsed to.
func (c *ElementCache) add(enc Encoding, raw [][]byte, elements []*lib.Element) {
	if c == nil || len(raw) != len(elements) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parsed == nil {
		c.parsed = map[Encoding]map[string]*lib.Element{}
	}
	parsed := c.parsed[enc]
	if parsed == nil || len(parsed)+len(raw) > maxCachedElements {
		parsed = map[string]*lib.Element{}
		c.parsed[enc] = parsed
	}
	for i, b := range raw {
		if len(b) <= maxCachedBytes {
			parsed[string(b)] = elements[i]
		}
	}
}

// WantedElements returns the bytes of each wanted element, and whether all have
// the short header and come in the order of their tags. How others are read may
// depend on their neighbours: these must not be known by their bytes.
func (p *File) WantedElements() (raw [][]byte, plain bool) {
	raw = make([][]byte, 0, len(p.wantedEnds))
	order := p.Syntax.Encoding.Order
	last, from := int64(-1), 0
	plain = true
	for _, end := range p.wantedEnds {
		b := p.Wanted[from:end]
		from = end
		raw = append(raw, b)
		t := int64(order.Uint16(b))<<16 | int64(order.Uint16(b[2:]))
		length := int(order.Uint16(b[6:]))
		if p.Syntax.Implicit {
			length = int(order.Uint32(b[4:]))
		}
		plain = plain && t > last && length == len(b)-8
		last = t
	}
	return raw, plain
}
