// How the rungs read voxels that they do not keep: by plain loads, or by a texture as Zheng
// 2011 does. Both give the same values.
#pragma once

#include "../field.cuh"

// Loads reads the field's memory through the read-only cache.
struct Loads {
    const Field &f;

    // sample returns a voxel, mirrored at the edges of the volume.
    __device__ float sample(int x, int y, int z) const { return __ldg(f.row(y, z) + mirror(x, f.dims[0])); }
};

// TextureHandle is a cudaTextureObject_t, which the worker puts into the parameters
// (kernels.Texture): a two-dimensional texture of the field's slices, one below the
// other, with unfiltered float32 texels. Coordinates are in texels and clamped, or, of a
// texture that is mirrored, in parts of its width and height.
using TextureHandle = unsigned long long;
