// Access to boxes of a volume, for kernels with several inputs or with inputs computed
// by an earlier pass. Kernels with the input volume as their only input use field.cuh.
//
// All indices are those of the whole volume. Voxels are stored x fastest, then y, then z.
#pragma once

#include <cstddef>
#include <cstdint>

// Box mirrors struct Box of field.go: data holds the voxels min <= index < max.
template <class T>
struct Box {
    T *data; // null if there is none
    int min[3], max[3];

    // at returns voxel (x, y, z), which must be in the box.
    __device__ T &at(int x, int y, int z) const
    {
        return data[(std::size_t(z - min[2]) * (max[1] - min[1]) + (y - min[1])) * (max[0] - min[0]) + (x - min[0])];
    }
};
static_assert(sizeof(Box<float>) == 32);

// valid returns whether voxel (x, y, z) is in the volume and not excluded by the mask.
__device__ inline bool valid(const int (&dims)[3], const Box<const std::uint8_t> &mask, int x, int y, int z)
{
    bool inside = unsigned(x) < unsigned(dims[0]) && unsigned(y) < unsigned(dims[1]) && unsigned(z) < unsigned(dims[2]);
    return inside && (mask.data == nullptr || mask.at(x, y, z));
}
