//go:build cuda

package driver

// #cgo LDFLAGS: -lcuda
// #cgo linux LDFLAGS: -L/usr/lib/x86_64-linux-gnu/stubs -L/usr/local/cuda/lib64/stubs
// #include <cuda.h>
//
// // A launch with all arguments packed in one buffer. The array extra cannot be
// // built in Go, because it would contain a Go pointer.
// static CUresult launchPacked(CUfunction f, unsigned gx, unsigned gy, unsigned gz,
//                              unsigned bx, unsigned by, unsigned bz, unsigned shared,
//                              CUstream s, void *args, size_t size) {
//     void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, args,
//                      CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
//     return cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, s, NULL, extra);
// }
import "C"

import (
	"errors"
	"slices"
	"unsafe"

	"gorgonia.org/cu"
)

// Launch queues fn on s. args is the parameter buffer, with every argument at the
// offset given by the kernel's signature. The launch of cu cannot pass a struct by
// value: it copies eight bytes per argument.
func Launch(fn cu.Function, grid, block [3]int, shared int, s cu.Stream, args []byte) error {
	return result(C.launchPacked(function(fn),
		C.uint(grid[0]), C.uint(grid[1]), C.uint(grid[2]),
		C.uint(block[0]), C.uint(block[1]), C.uint(block[2]),
		C.uint(shared), C.CUstream(unsafe.Pointer(s.C())),
		unsafe.Pointer(unsafe.SliceData(args)), C.size_t(len(args))))
}

// SetMaxShared sets the limit of fn's dynamic shared memory in bytes. The default
// limit is 48 KB.
func SetMaxShared(fn cu.Function, bytes int) error {
	return result(C.cuFuncSetAttribute(function(fn), C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, C.int(bytes)))
}

// MaxShared returns the bytes of shared memory that a block of a device may have.
func MaxShared(d cu.Device) (int, error) {
	var bytes C.int
	err := result(C.cuDeviceGetAttribute(&bytes, C.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, C.CUdevice(d)))
	return int(bytes), err
}

// Register locks the pages of mem, so that copies to and from it overlap with
// kernels and reach the full speed of the bus. mem must be page-aligned and not
// Go memory.
func Register(mem []byte) error {
	return result(C.cuMemHostRegister(unsafe.Pointer(unsafe.SliceData(mem)), C.size_t(len(mem)), C.CU_MEMHOSTREGISTER_PORTABLE))
}

// Text returns the driver's text for err if err wraps a result of cu, else
// err.Error().
func Text(err error) string {
	c, ok := code(cu.Success, err)
	if !ok {
		return err.Error()
	}
	var s *C.char
	if C.cuGetErrorString(c, &s) != C.CUDA_SUCCESS || s == nil {
		return err.Error()
	}
	return C.GoString(s)
}

// sticky lists the errors after which, according to cuda.h, every further call
// in the process fails.
var sticky = []C.CUresult{
	C.CUDA_ERROR_ECC_UNCORRECTABLE,
	C.CUDA_ERROR_NVLINK_UNCORRECTABLE,
	C.CUDA_ERROR_ILLEGAL_ADDRESS,
	C.CUDA_ERROR_LAUNCH_TIMEOUT,
	C.CUDA_ERROR_ASSERT,
	C.CUDA_ERROR_HARDWARE_STACK_ERROR,
	C.CUDA_ERROR_ILLEGAL_INSTRUCTION,
	C.CUDA_ERROR_MISALIGNED_ADDRESS,
	C.CUDA_ERROR_INVALID_ADDRESS_SPACE,
	C.CUDA_ERROR_INVALID_PC,
	C.CUDA_ERROR_LAUNCH_FAILED,
	C.CUDA_ERROR_MPS_CLIENT_TERMINATED,
	C.CUDA_ERROR_EXTERNAL_DEVICE,
	C.CUDA_ERROR_CONTEXT_IS_DESTROYED,
	C.CUDA_ERROR_UNKNOWN,
}

// Sticky reports whether every further call in the process fails after err.
func Sticky(err error) bool {
	c, ok := code(cu.Success, err)
	return ok && slices.Contains(sticky, c)
}

// function returns the handle in cu's Function, its only field.
func function(fn cu.Function) C.CUfunction {
	return *(*C.CUfunction)(unsafe.Pointer(&fn))
}

// result turns a CUresult into cu's own error, so that errors.Is(err,
// cu.OutOfMemory) holds for the calls of both packages.
func result(r C.CUresult) error { return as(cu.Success, r) }

// as and code get at cu's unexported result type by type inference from one of
// its constants.
func as[E interface {
	~int
	error
}](success E, r C.CUresult) error {
	if E(r) == success {
		return nil
	}
	return E(r)
}

func code[E interface {
	~int
	error
}](_ E, err error) (C.CUresult, bool) {
	var e E
	ok := errors.As(err, &e)
	return C.CUresult(e), ok
}
