package codec

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// openJPEGModule is OpenJPEG's decoder; wasm/MANIFEST says from which source.
//
//go:embed wasm/openjpeg.wasm
var openJPEGModule []byte

// sandbox is the compiled decoder. It imports nothing: an instance can reach
// its own memory and nothing else.
type sandbox struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// openSandbox compiles the decoder, once, when the first frame needs it.
var openSandbox = sync.OnceValues(func() (*sandbox, error) {
	// Somebody waits for the first slice: all cores compile.
	ctx := experimental.WithCompilationWorkers(context.Background(), runtime.GOMAXPROCS(0))
	r := wazero.NewRuntime(ctx)
	m, err := r.CompileModule(ctx, openJPEGModule)
	if err != nil {
		return nil, fmt.Errorf("its decoder cannot be started (%w)", err)
	}
	return &sandbox{r, m}, nil
})

// openJPEG decodes a codestream of one component into so many samples, each a
// 32-bit little endian integer. take sees them in the decoder's own memory, which
// is let go when it returns.
//
// The decoder counts its steps and stops when they are used up: unlike a clock,
// this gives the same answer on every machine, and it is three times as fast as
// the runtime's own check of a context. Sound streams of CT and MR take less
// than one step a pixel, noise in the smallest code blocks less than fifty; fifty
// million take less than a second.
func openJPEG(stream []byte, pixels int, take func(samples []byte)) error {
	s, err := openSandbox()
	if err != nil {
		return err
	}
	ctx := context.Background()
	// Decoding takes the samples and their wavelet coefficients (8 bytes a
	// pixel), copies of the stream, and the state of code blocks and tiles: 35
	// bytes a pixel where these are as small as anybody makes them.
	memory := &cappedMemory{most: 16<<20 + 64*uint64(pixels) + 4*uint64(len(stream))}
	defer memory.release()
	i, err := s.start(ctx, memory)
	if err != nil {
		return sandboxError(err)
	}
	defer i.Close(ctx)
	samples, err := i.decode(ctx, stream, pixels, 50e6+50*uint64(pixels))
	if err != nil {
		return sandboxError(err)
	}
	take(samples)
	return nil
}

// start makes an instance, which lives in memory and decodes once.
func (s *sandbox) start(ctx context.Context, memory *cappedMemory) (instance, error) {
	m, err := s.runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, memory), s.module,
		wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	return instance{m}, err
}

// sandboxError words a trap, which comes with a stack of many lines.
func sandboxError(err error) error {
	if line, _, found := strings.Cut(err.Error(), "\n"); found {
		return fmt.Errorf("the decoder stopped on it (%s)", strings.TrimPrefix(line, "wasm error: "))
	}
	return err
}

// instance is one running decoder.
type instance struct{ api.Module }

// call calls an exported function and returns its result, 0 where it has none.
func (i instance) call(ctx context.Context, name string, args ...uint64) (uint32, error) {
	out, err := i.ExportedFunction(name).Call(ctx, args...)
	if err != nil || len(out) == 0 {
		return 0, err
	}
	return uint32(out[0]), nil
}

// decode decodes a stream into so many samples, in so many steps at most. They
// lie in the instance's memory.
func (i instance) decode(ctx context.Context, stream []byte, pixels int, steps uint64) ([]byte, error) {
	if _, err := i.call(ctx, "set_steps", steps); err != nil {
		return nil, err
	}
	at, err := i.call(ctx, "allocate", uint64(len(stream)))
	if err != nil {
		return nil, err
	}
	if at == 0 || !i.Memory().Write(at, stream) {
		return nil, errors.New("the stream does not fit into the decoder's memory")
	}
	failed, err := i.call(ctx, "decode", uint64(at), uint64(len(stream)))
	if err != nil {
		return nil, err
	}
	if failed != 0 {
		return nil, i.lastError(ctx)
	}
	count, err := i.call(ctx, "count")
	if err != nil {
		return nil, err
	}
	if int(count) != pixels {
		return nil, fmt.Errorf("the decoder gave %d pixels of %d", count, pixels)
	}
	if at, err = i.call(ctx, "samples"); err != nil {
		return nil, err
	}
	raw, ok := i.Memory().Read(at, 4*count)
	if !ok {
		return nil, errors.New("the decoder gave pixels outside its memory")
	}
	return raw, nil
}

// lastError returns what the decoder said of the stream.
func (i instance) lastError(ctx context.Context) error {
	const most = 256
	at, err := i.call(ctx, "last_error")
	if err != nil {
		return err
	}
	text, _ := i.Memory().Read(at, most)
	said, _, _ := strings.Cut(string(text), "\x00")
	said, _, _ = strings.Cut(said, ". ") // the first of its sentences
	return fmt.Errorf("the stream is damaged (%s)", strings.Join(strings.Fields(said), " "))
}

// cappedMemory is the linear memory of one instance: it grows as far as most
// and then says no, which the decoder takes for a full memory.
type cappedMemory struct {
	most uint64
	buf  []byte
}

// buffers keeps the memory of instances that are done.
var buffers sync.Pool

// Allocate begins with an empty memory.
func (m *cappedMemory) Allocate(_, _ uint64) experimental.LinearMemory { return m }

// Reallocate returns the memory at its new size, what was added being zero.
func (m *cappedMemory) Reallocate(size uint64) []byte {
	if size > m.most {
		return nil
	}
	if m.buf == nil {
		if b, ok := buffers.Get().(*[]byte); ok {
			m.buf = (*b)[:0]
		}
	}
	old := len(m.buf)
	if uint64(cap(m.buf)) >= size {
		m.buf = m.buf[:size]
		clear(m.buf[old:])
		return m.buf
	}
	bigger := make([]byte, size, min(max(size+size/2, 4<<20), m.most))
	copy(bigger, m.buf)
	m.buf = bigger
	return m.buf
}

// Free is called when the instance closes; release keeps the memory.
func (m *cappedMemory) Free() {}

// release gives the memory to a later instance.
func (m *cappedMemory) release() {
	if m.buf != nil {
		buffers.Put(&m.buf)
	}
}
