package dimse

import (
	"net"
	"strconv"
	"strings"

	"quell/internal/message"
)

// Node is a DICOM application and its address.
type Node struct {
	AETitle string
	Host    string
	Port    int
}

// String returns the form that ParseNode reads.
func (n Node) String() string { return n.AETitle + "@" + n.address() }

func (n Node) address() string { return net.JoinHostPort(n.Host, strconv.Itoa(n.Port)) }

// ParseNode reads AETITLE@HOST:PORT. An IPv6 address is in brackets.
func ParseNode(s string) (Node, error) {
	title, address, found := strings.Cut(s, "@")
	if !found {
		return Node{}, message.Errorf(message.NetworkAddress, "%q is no DICOM node; give AETITLE@HOST:PORT", s)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil || host == "" {
		return Node{}, message.Errorf(message.NetworkAddress, "%q has no host and port; give AETITLE@HOST:PORT", s)
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 1 || n > 65535 {
		return Node{}, message.Errorf(message.NetworkAddress, "the port of %q is not a number from 1 to 65535", s)
	}
	if err := CheckAETitle(title); err != nil {
		return Node{}, err
	}
	return Node{AETitle: title, Host: host, Port: n}, nil
}

// maxAETitle is the length of VR AE.
const maxAETitle = 16

// CheckAETitle refuses what VR AE cannot hold (PS3.5 section 6.2), and spaces at the ends, which
// have no meaning there.
func CheckAETitle(title string) error {
	if title == "" {
		return message.Errorf(message.NetworkAddress, "the AE title is empty; the administrator of the PACS knows it")
	}
	if len(title) > maxAETitle {
		return message.Errorf(message.NetworkAddress, "the AE title %q is longer than %d characters", title, maxAETitle)
	}
	if strings.TrimSpace(title) != title {
		return message.Errorf(message.NetworkAddress, "the AE title %q begins or ends with a space", title)
	}
	for _, r := range title {
		if r < ' ' || r > '~' || r == '\\' {
			return message.Errorf(message.NetworkAddress, "the AE title %q has a character other than printable ASCII, or a backslash", title)
		}
	}
	return nil
}
