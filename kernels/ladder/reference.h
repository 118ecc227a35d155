// The filters that read one field, on the host: the plain C of the fake driver.
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "../nlm_select_params.cuh"
#include "launch.h"

namespace plain {
#include "../../gpu/fakecuda/fields.c"
}

// Volume is a whole volume on the host. With an empty mask all voxels hold data.
struct Volume {
    int dims[3];
    std::vector<float> data;
    std::vector<unsigned char> mask;

    std::size_t index(int x, int y, int z) const { return (std::size_t(z) * dims[1] + y) * dims[0] + x; }
    bool inside(int x, int y, int z) const
    {
        return x >= 0 && x < dims[0] && y >= 0 && y < dims[1] && z >= 0 && z < dims[2];
    }
    bool valid(int x, int y, int z) const { return inside(x, y, z) && (mask.empty() || mask[index(x, y, z)]); }
};

// Region is a box of voxels: min <= index < max.
struct Region {
    int min[3], max[3];
    int along(int c) const { return max[c] - min[c]; }
    std::size_t voxels() const { return std::size_t(along(0)) * along(1) * along(2); }
};

// plainly runs a filter of plain C with the parameters of its kernel.
template <class Plain, class P>
void plainly(void (*filter)(const void *), const P &p)
{
    static_assert(sizeof(Plain) == sizeof(P));
    Plain q; // copied: a cast would break the rules of aliasing
    std::memcpy(&q, &p, sizeof q);
    filter(&q);
}

// reference filters a region on all cores, row by row, with all neighbours or, in nlm, with those that select
// chooses, whose boxes are in host memory. map gets the chosen scales of lpa, eight bytes per voxel.
inline std::vector<float> reference(const Recipe &r, const Volume &v, const Region &box, std::vector<unsigned char> &map, const Selection *select = nullptr)
{
    std::vector<float> out(box.voxels());
    map.assign(8 * out.size(), 0);
    const int rows = box.along(1) * box.along(2);
    std::atomic<int> next{0};
    auto work = [&] {
        for (int row; (row = next++) < rows;) {
            const std::size_t from = std::size_t(row) * box.along(0);
            Field f{};
            f.in = v.data.data();
            f.mask = v.mask.empty() ? nullptr : v.mask.data();
            f.out = out.data() + from;
            f.slices = v.dims[2];
            const int min[3] = {box.min[0], box.min[1] + row % box.along(1), box.min[2] + row / box.along(1)};
            const int max[3] = {box.max[0], min[1] + 1, min[2] + 1};
            for (int c = 0; c < 3; ++c) f.dims[c] = v.dims[c], f.min[c] = min[c], f.max[c] = max[c];
            if (select) plainly<plain::NlmSelectParams>(plain::nlmSelect, NlmSelectParams{nlmParams(r, f), *select});
            else if (r.filter == "nlm") plainly<plain::NlmParams>(plain::nlm, nlmParams(r, f));
            else if (r.filter == "median") plainly<plain::MedianParams>(plain::median, medianParams(r, f));
            else if (r.filter == "lpa") plainly<plain::LpaParams>(plain::lpa, lpaParams(r, f, reinterpret_cast<unsigned long long *>(&map[8 * from])));
            else if (r.filter == "bilateral") plainly<plain::WeightedParams>(plain::bilateral, bilateralParams(r, f));
            else plainly<plain::WeightedParams>(plain::gaussian, weightedParams<GaussianParams>(r, f));
        }
    };
    std::vector<std::thread> threads;
    for (unsigned n = std::max(1u, std::thread::hardware_concurrency()); n > 0; --n) threads.emplace_back(work);
    for (std::thread &t : threads) t.join();
    return out;
}

// reference filters a whole volume in which all voxels hold data.
inline std::vector<float> reference(const Recipe &r, const std::vector<float> &in, int nx, int ny, int nz)
{
    std::vector<unsigned char> map;
    return reference(r, Volume{{nx, ny, nz}, in, {}}, Region{{0, 0, 0}, {nx, ny, nz}}, map);
}
