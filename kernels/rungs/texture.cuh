// Where the rungs read voxels from: by plain loads, or by a texture as Zheng 2011
// does. Both give the same values.
#pragma once

#include "../field.cuh"

// Loads reads the field's memory through the read-only cache.
struct Loads {
    const Field &f;

    // voxel returns a voxel of the slab.
    __device__ float voxel(int x, int y, int z) const { return __ldg(f.in + f.index(x, y, z)); }

    // sample returns a voxel, mirrored at the edges of the volume.
    __device__ float sample(int x, int y, int z) const { return __ldg(f.row(y, z) + mirror(x, f.dims[0])); }
};

// TextureHandle is a cudaTextureObject_t, which the worker puts into the parameters
// (kernels.Texture): a two-dimensional texture of the field's slices, one below the
// other, with unfiltered float32 texels and coordinates in texels.
using TextureHandle = unsigned long long;

// Fetches reads that texture.
struct Fetches {
    const Field &f;
    TextureHandle texture;

    __device__ float voxel(int x, int y, int z) const
    {
        return tex2D<float>(texture, float(x) + 0.5f, float((z - f.first) * f.dims[1] + y) + 0.5f);
    }

    __device__ float sample(int x, int y, int z) const
    {
        return voxel(mirror(x, f.dims[0]), mirror(y, f.dims[1]), f.first + clamp(mirror(z, f.dims[2]) - f.first, 0, f.slices - 1));
    }
};
