//go:build cuda

package driver

// #cgo LDFLAGS: -lcuda
// #cgo linux LDFLAGS: -L/usr/lib/x86_64-linux-gnu/stubs -L/usr/local/cuda/lib64/stubs
// #include <cuda.h>
//
// // A launch whose arguments lie packed in one buffer; the array that points at
// // it may not be built in Go, as it would hold a Go pointer.
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

// Launch starts fn on s. args is the parameter buffer with every argument at
// the offset the kernel's signature gives it; cu's own launch copies eight
// bytes for each argument and so cannot pass a struct by value.
func Launch(fn cu.Function, grid, block [3]int, shared int, s cu.Stream, args []byte) error {
	return result(C.launchPacked(function(fn),
		C.uint(grid[0]), C.uint(grid[1]), C.uint(grid[2]),
		C.uint(block[0]), C.uint(block[1]), C.uint(block[2]),
		C.uint(shared), C.CUstream(unsafe.Pointer(s.C())),
		unsafe.Pointer(unsafe.SliceData(args)), C.size_t(len(args))))
}

// SetMaxShared allows fn up to bytes of dynamic shared memory; without it the
// driver refuses more than 48 KB.
func SetMaxShared(fn cu.Function, bytes int) error {
	return result(C.cuFuncSetAttribute(function(fn), C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, C.int(bytes)))
}

// Register locks the pages of mem, so that copies to and from it run beside
// kernels and at the bus's full speed. mem must be page-aligned and not Go
// memory.
func Register(mem []byte) error {
	return result(C.cuMemHostRegister(unsafe.Pointer(unsafe.SliceData(mem)), C.size_t(len(mem)), C.CU_MEMHOSTREGISTER_PORTABLE))
}

// Text returns the driver's words for err, which may wrap one of cu's results,
// and err's own words where it does not.
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

// sticky are the errors after which cuda.h says that the process must end:
// every further call in it fails.
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

// Sticky says whether err spoils the process.
func Sticky(err error) bool {
	c, ok := code(cu.Success, err)
	return ok && slices.Contains(sticky, c)
}

// function returns the handle inside cu's Function, a struct of nothing else.
func function(fn cu.Function) C.CUfunction {
	return *(*C.CUfunction)(unsafe.Pointer(&fn))
}

// result turns a CUresult into cu's own error, so that errors.Is(err,
// cu.OutOfMemory) holds for the calls of both packages.
func result(r C.CUresult) error { return as(cu.Success, r) }

// as and code name cu's unexported result type by inference from one of its
// constants.
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
