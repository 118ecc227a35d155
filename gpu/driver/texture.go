//go:build cuda

package driver

// #include <cuda.h>
//
// static CUresult makeTexture(size_t width, size_t height, int mirrored, CUarray *array, CUtexObject *texture) {
//     CUDA_ARRAY_DESCRIPTOR shape = {width, height, CU_AD_FORMAT_FLOAT, 1};
//     CUresult r = cuArrayCreate(array, &shape);
//     if (r != CUDA_SUCCESS) return r;
//     CUDA_RESOURCE_DESC memory = {CU_RESOURCE_TYPE_ARRAY};
//     memory.res.array.hArray = *array;
//     CUaddress_mode edge = mirrored ? CU_TR_ADDRESS_MODE_MIRROR : CU_TR_ADDRESS_MODE_CLAMP;
//     CUDA_TEXTURE_DESC access = {{edge, edge, edge}, CU_TR_FILTER_MODE_POINT, mirrored ? CU_TRSF_NORMALIZED_COORDINATES : 0};
//     r = cuTexObjectCreate(texture, &memory, &access, NULL);
//     if (r != CUDA_SUCCESS) cuArrayDestroy(*array);
//     return r;
// }
//
// static CUresult fillTexture(CUarray array, CUdeviceptr from, size_t width, size_t height, CUstream s) {
//     CUDA_MEMCPY2D copy = {0};
//     copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
//     copy.srcDevice = from;
//     copy.srcPitch = copy.WidthInBytes = 4 * width;
//     copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
//     copy.dstArray = array;
//     copy.Height = height;
//     return cuMemcpy2DAsync(&copy, s);
// }
import "C"

import (
	"unsafe"

	"gorgonia.org/cu"
)

// Texture is a two-dimensional texture of float32 texels in an array of its own. It is
// read unfiltered, by coordinates in texels that are clamped beyond its edges, or by parts
// of its width and height and mirrored there.
type Texture struct {
	array         C.CUarray
	texture       C.CUtexObject
	width, height int
	mirrored      bool
}

// NewTexture allocates a texture.
func NewTexture(width, height int, mirrored bool) (*Texture, error) {
	t := &Texture{width: width, height: height, mirrored: mirrored}
	mirror := C.int(0)
	if mirrored {
		mirror = 1
	}
	if err := result(C.makeTexture(C.size_t(width), C.size_t(height), mirror, &t.array, &t.texture)); err != nil {
		return nil, err
	}
	return t, nil
}

// Has reports whether the texture has that size and those edges.
func (t *Texture) Has(width, height int, mirrored bool) bool {
	return t.width == width && t.height == height && t.mirrored == mirrored
}

// Handle is the argument by which a kernel reads the texture.
func (t *Texture) Handle() uint64 { return uint64(t.texture) }

// Fill queues a copy of the texels, which lie row by row without gaps.
func (t *Texture) Fill(from cu.DevicePtr, s cu.Stream) error {
	return result(C.fillTexture(t.array, C.CUdeviceptr(from), C.size_t(t.width), C.size_t(t.height), C.CUstream(unsafe.Pointer(s.C()))))
}

// Free frees the texture, which no kernel may be reading.
func (t *Texture) Free() error {
	err := result(C.cuTexObjectDestroy(t.texture))
	if freed := result(C.cuArrayDestroy(t.array)); err == nil {
		err = freed
	}
	return err
}
