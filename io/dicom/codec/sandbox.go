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

// openJPEGModule is OpenJPEG's decoder. wasm/MANIFEST names its sources.
//
//go:embed wasm/openjpeg.wasm
var openJPEGModule []byte

// sandbox is the compiled decoder. It has no imports, so that an instance can access
// only its own memory.
type sandbox struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// openSandbox compiles the decoder on the first call.
var openSandbox = sync.OnceValues(func() (*sandbox, error) {
	// Compile on all cores: the first compressed slice waits for this.
	ctx := experimental.WithCompilationWorkers(context.Background(), runtime.GOMAXPROCS(0))
	r := wazero.NewRuntime(ctx)
	m, err := r.CompileModule(ctx, openJPEGModule)
	if err != nil {
		return nil, fmt.Errorf("the decoder cannot be compiled (%w)", err)
	}
	return &sandbox{r, m}, nil
})

// openJPEG decodes a codestream of one component into the given number of samples, each
// a 32-bit little-endian integer. It calls take with them. They lie in the decoder's
// memory, which take must not use after it returns.
//
// The decoder counts its steps and stops at a limit. Unlike a time limit this gives the
// same result on every machine, and it is three times as fast as wazero's check of a
// context. Intact streams of CT and MR take less than one step per pixel, noise in the
// smallest code blocks less than fifty. Fifty million steps take less than a second.
func openJPEG(stream []byte, pixels int, take func(samples []byte)) error {
	s, err := openSandbox()
	if err != nil {
		return err
	}
	ctx := context.Background()
	limit, steps := limits(len(stream), pixels)
	memory := &cappedMemory{limit: limit}
	defer memory.release()
	i, err := s.start(ctx, memory)
	if err != nil {
		return sandboxError(err)
	}
	defer i.Close(ctx)
	samples, err := i.decode(ctx, stream, pixels, steps)
	if err != nil {
		return sandboxError(err)
	}
	take(samples)
	return nil
}

// limits returns how much memory and how many steps an instance may use.
//
// Decoding takes memory for the samples and their wavelet coefficients (8 bytes per
// pixel), copies of the stream, and the state of code blocks and tiles: 35 bytes per
// pixel for the smallest ones in use.
func limits(streamBytes, pixels int) (memory, steps uint64) {
	return 16<<20 + 64*uint64(pixels) + 4*uint64(streamBytes), 50e6 + 50*uint64(pixels)
}

// start returns a new instance in the given memory. It can decode once.
func (s *sandbox) start(ctx context.Context, memory *cappedMemory) (instance, error) {
	m, err := s.runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, memory), s.module,
		wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	return instance{m}, err
}

// sandboxError returns the first line of a trap without the stack trace.
func sandboxError(err error) error {
	if line, _, found := strings.Cut(err.Error(), "\n"); found {
		return fmt.Errorf("the decoder stopped (%s)", strings.TrimPrefix(line, "wasm error: "))
	}
	return err
}

// instance is one running decoder.
type instance struct{ api.Module }

// call calls an exported function and returns its result, 0 if it has none.
func (i instance) call(ctx context.Context, name string, args ...uint64) (uint32, error) {
	out, err := i.ExportedFunction(name).Call(ctx, args...)
	if err != nil || len(out) == 0 {
		return 0, err
	}
	return uint32(out[0]), nil
}

// decode decodes a stream into the given number of samples in at most the given number
// of steps. The result is part of the instance's memory.
func (i instance) decode(ctx context.Context, stream []byte, pixels int, steps uint64) ([]byte, error) {
	if _, err := i.call(ctx, "set_steps", steps); err != nil {
		return nil, err
	}
	at, err := i.call(ctx, "allocate", uint64(len(stream)))
	if err != nil {
		return nil, err
	}
	if at == 0 || !i.Memory().Write(at, stream) {
		return nil, errors.New("the stream is too large for the decoder's memory")
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
		return nil, fmt.Errorf("the decoder returned %d of %d pixels", count, pixels)
	}
	if at, err = i.call(ctx, "samples"); err != nil {
		return nil, err
	}
	raw, ok := i.Memory().Read(at, 4*count)
	if !ok {
		return nil, errors.New("the decoder returned pixels outside its memory")
	}
	return raw, nil
}

// lastError returns the decoder's error message.
func (i instance) lastError(ctx context.Context) error {
	const most = 256
	at, err := i.call(ctx, "last_error")
	if err != nil {
		return err
	}
	text, _ := i.Memory().Read(at, most)
	message, _, _ := strings.Cut(string(text), "\x00")
	message, _, _ = strings.Cut(message, ". ") // the first sentence
	return fmt.Errorf("the stream is damaged (%s)", strings.Join(strings.Fields(message), " "))
}

// cappedMemory is the linear memory of one instance. Beyond limit it refuses to grow,
// which the decoder sees as a failed allocation.
type cappedMemory struct {
	limit uint64
	buf   []byte
}

// buffers holds the memory of finished instances for later ones.
var buffers sync.Pool

// Allocate returns the memory, which is empty.
func (m *cappedMemory) Allocate(_, _ uint64) experimental.LinearMemory { return m }

// Reallocate returns the memory with a new size; added bytes are zero.
func (m *cappedMemory) Reallocate(size uint64) []byte {
	if size > m.limit {
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
	bigger := make([]byte, size, min(max(size+size/2, 4<<20), m.limit))
	copy(bigger, m.buf)
	m.buf = bigger
	return m.buf
}

// Free is called when the instance closes. It does nothing: release returns the memory.
func (m *cappedMemory) Free() {}

// release returns the memory to buffers.
func (m *cappedMemory) release() {
	if m.buf != nil {
		buffers.Put(&m.buf)
	}
}
