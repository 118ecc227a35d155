package gpu

import (
	"strings"
	"testing"

	"quell/gpu/wire"
)

// TestWorkerOfAnotherProgram: a worker of another protocol, source or kernels is refused. A build that
// does not name its source is compared by the kernels alone.
func TestWorkerOfAnotherProgram(t *testing.T) {
	hello := func(version int, source, digest string) wire.Hello {
		return wire.Hello{Version: version, Quell: source, Kernels: digest}
	}
	for _, c := range []struct {
		hello  wire.Hello
		source string
		want   string
	}{
		{hello(wire.Version, "1.0", "k"), "1.0", ""},
		{hello(wire.Version, "", "k"), "1.0", ""},
		{hello(wire.Version, "1.0", "k"), "", ""},
		{hello(wire.Version, "1.1", "k"), "", ""},
		{hello(wire.Version, "", ""), "", ""},
		{hello(wire.Version+1, "1.0", "k"), "1.0", "speaks version"},
		{hello(wire.Version-1, "1.0", "k"), "1.0", "speaks version"},
		{hello(wire.Version, "1.1", "k"), "1.0", "the GPU worker is that of Quell 1.1 and this is 1.0"},
		{hello(wire.Version, "1.0", "other"), "1.0", "has other kernels than this Quell"},
		{hello(wire.Version, "", "other"), "", "has other kernels than this Quell"},
	} {
		err := checkHello(c.hello, c.source, "k")
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v for %q: %v; want %q", c.hello, c.source, err, c.want)
		}
	}
}
