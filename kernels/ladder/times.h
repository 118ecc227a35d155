// Times the kernels on the experiments of the papers: CUDA events, median, minimum and maximum
// of 20 runs after 3, for check --times. The median is compared with the target. The data are a smooth phantom of 20 to 190 with Gaussian
// noise of sigma 10, clamped to 0..255. Parameters are those of the paper if it states
// them: Upadhya's patches have Gaussian weights of sigma 1, h = 10 and the largest
// weight for the centre.
//
// A pair is one weight: a voxel and one neighbour in its search region that is inside
// the volume. The table shows the time, the pairs per second and the percentage of the
// device's limits: powers of two (16 per clock and multiprocessor, one per pair),
// instructions issued (128 lanes) and shared memory reads and shuffles (32), both as
// counted in the machine code of the inner loop, for the whole grid with its margins.
#pragma once

#include "launch.h"

#include <algorithm>
#include <cstring>
#include <random>

// Work is one line of the table.
struct Work {
    const char *name;
    Recipe recipe;
    int dims[3];
    double target;  // milliseconds; 0: none
    double issued;  // instructions per pair of a lane, from the machine code
    double shared;  // shared memory reads and shuffles per pair
    double spread;  // computed voxels per result, because of the tile's margin along x
    bool sagittal = false; // one column along x instead of the whole volume
};

inline double pairs(const Work &w)
{
    double product = 1;
    for (int c = 0; c < 3; ++c) {
        int r = w.recipe.filter == "nlm" ? w.recipe.searchAlong(c) : w.recipe.radiusAlong(c);
        double sum = 0;
        for (int i = 0; i < w.dims[c]; ++i) sum += std::min(w.dims[c] - 1, i + r) - std::max(0, i - r) + 1;
        product *= sum;
    }
    return product;
}

// phantom returns regions of constant and of slowly changing values, edges and noise.
inline std::vector<float> phantom(const int (&dims)[3])
{
    std::mt19937 random(5);
    std::normal_distribution<float> gaussian(0, 10);
    std::vector<float> noise(1 << 20), v;
    for (float &n : noise) n = gaussian(random);
    v.reserve(std::size_t(dims[0]) * dims[1] * dims[2]);
    for (int k = 0; k < dims[2]; ++k)
        for (int j = 0; j < dims[1]; ++j)
            for (int i = 0; i < dims[0]; ++i) {
                float x = 2.f * i / dims[0] - 1, y = 2.f * j / dims[1] - 1, z = 2.f * k / dims[2] - 1;
                float r = x * x + y * y + 0.5f * z * z, value = r < 0.85f ? 110 : 20;
                if (r < 0.6f) value = 150 + 25 * std::sin(9 * x) * std::cos(8 * y + 3 * z);
                if ((x - 0.2f) * (x - 0.2f) + y * y < 0.03f) value = 60;
                v.push_back(std::clamp(value + noise[random() % noise.size()], 0.f, 255.f));
            }
    return v;
}

inline void timeWork(Device &device, const Work &w)
{
    std::size_t voxels = std::size_t(w.dims[0]) * w.dims[1] * w.dims[2];
    std::vector<float> data = phantom(w.dims);
    Buffer in(voxels * 4), out(voxels * 4);
    in.put(data.data());
    Field f{};
    f.in = in.as<float>();
    f.out = out.as<float>();
    f.slices = w.dims[2];
    for (int c = 0; c < 3; ++c) f.max[c] = f.dims[c] = w.dims[c];
    if (w.sagittal) {
        f.min[0] = w.dims[0] / 2;
        f.max[0] = f.min[0] + 1;
    }
    const std::vector<Launch> launches = launchesFor(w.recipe, f, nullptr);
    const Launch &l = launches[0];
    CUfunction fn = device.function(l);
    int perSM = 0, registers = 0, local = 0;
    CU(cuOccupancyMaxActiveBlocksPerMultiprocessor(&perSM, fn, int(l.block[0] * l.block[1]), l.shared));
    CU(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, fn));
    CU(cuFuncGetAttribute(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, fn));

    std::vector<CUfunction> functions; // found outside the time
    for (const Launch &l : launches) functions.push_back(device.function(l));
    CUevent from, to;
    CU(cuEventCreate(&from, 0));
    CU(cuEventCreate(&to, 0));
    std::vector<float> times;
    for (int i = 0; i < 23; ++i) {
        float ms = 0;
        CU(cuEventRecord(from, nullptr));
        for (std::size_t k = 0; k < launches.size(); ++k) Device::start(functions[k], launches[k]);
        CU(cuEventRecord(to, nullptr));
        CU(cuEventSynchronize(to));
        CU(cuEventElapsedTime(&ms, from, to));
        if (i >= 3) times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    double ms = times[times.size() / 2], perSecond = device.processors * 1e3 * device.clock;
    std::printf("%-34s median %9.4f min %9.4f max %9.4f ms", w.name, ms, times.front(), times.back());
    if (w.target > 0) std::printf(" target %8.4f %s", w.target, ms <= w.target ? "met" : "MISSED");
    if ((w.recipe.filter == "nlm" || w.recipe.filter == "bilateral") && !w.sagittal) {
        double rate = pairs(w) / (ms * 1e-3), lanes = rate * w.spread;
        std::printf(" %6.3f T pairs/s; ex2 %2.0f%%, issue %2.0f%%, shared %2.0f%%", rate * 1e-12, 100 * lanes / (16 * perSecond),
                    100 * lanes * w.issued / (128 * perSecond), 100 * lanes * w.shared / (32 * perSecond));
    }
    std::printf("  [%u blocks of %u, %d a multiprocessor, %d registers, %d B local, %u B shared]\n", l.grid, l.block[0] * l.block[1],
                perSM, registers, local, l.shared);
    cuEventDestroy(from);
    cuEventDestroy(to);
}

inline Recipe timedWeighted(const char *filter, int dims, int radius, double sigma)
{
    Recipe r;
    r.filter = filter;
    r.dims = dims;
    for (int c = 0; c < 3; ++c) {
        r.radius[c] = radius;
        r.scale[c] = 1 / sigma;
    }
    r.sigmaRange = 25;
    return r;
}

// timeWorks times the works whose name contains part.
inline void timeWorks(Device &device, const char *part)
{
    std::printf("%s, %d multiprocessors at %.2f GHz, driver for CUDA %d.%d\n", device.name, device.processors, device.clock * 1e-6,
                device.driver / 1000, device.driver % 1000 / 10);
    Recipe lpa;
    lpa.filter = "lpa";
    lpa.dims = 2;
    lpa.sigma = 12;
    const Work table[] = {
        {"bilateral 2-D 1024^2 17^2", timedWeighted("bilateral", 2, 8, 4), {1024, 1024, 1}, 0.12, 5.6, 0.25, 1},
        {"nlm 2-D 1024^2 7^2 in 17^2", nlmRecipe(2, 3, 8, 0), {1024, 1024, 1}, 0.30, 16.9, 3.4, 64 / 58.},
        {"nlm 3-D 181x217x51 3^3 in 7^3", nlmRecipe(3, 1, 3, 1), {181, 217, 51}, 0.8, 19.1, 2.7, 64 / 62. * 186 / 181},
        {"nlm 3-D 181x217x51 3^3 in 17^3", nlmRecipe(3, 1, 8, 1), {181, 217, 51}, 10, 18.8, 2.5, 64 / 62. * 186 / 181},
        {"bilateral 3-D 256x256x120 r=11", timedWeighted("bilateral", 3, 11, 5.5), {256, 256, 120}, 38, 5.5, 0.25, 1},
        {"nlm 3-D 512x512x548 5^3 in 9^3", nlmRecipe(3, 2, 4, 0), {512, 512, 548}, 110, 23.3, 4.7, 32 / 28.},
        {"nlm 3-D 181x217x51 3^3 in 7^3 box", nlmRecipe(3, 1, 3, 0), {181, 217, 51}, 0, 19.1, 2.7, 64 / 62. * 186 / 181},
        {"nlm 3-D 181x217x51 3^3 in 17^3 box", nlmRecipe(3, 1, 8, 0), {181, 217, 51}, 0, 18.8, 2.5, 64 / 62. * 186 / 181},
        {"nlm 3-D 3^3 in 7^3, sagittal 512^2", nlmRecipe(3, 1, 3, 1), {512, 512, 512}, 0, 0, 0, 1, true},
        {"nlm 3-D 5^3 in 9^3, sagittal 512^2", nlmRecipe(3, 2, 4, 0), {512, 512, 512}, 0, 0, 0, 1, true},
        {"lpa 256^2, 181 slices", lpa, {256, 256, 181}, 0.004 * 181, 0, 0, 1},
        {"lpa 256^2, one slice", lpa, {256, 256, 1}, 0, 0, 0, 1},
        {"bilateral 2-D 256^2 7^2", timedWeighted("bilateral", 2, 3, 1.5), {256, 256, 1}, 0, 7, 1, 1},
        {"bilateral 2-D 512^2 13^2", timedWeighted("bilateral", 2, 6, 3), {512, 512, 1}, 0, 5.5, 0.25, 1},
        {"nlm 2-D 512^2 5^2 in 21^2", nlmRecipe(2, 2, 10, 0), {512, 512, 1}, 0, 16.9, 3.4, 64 / 60.},
        {"nlm 2-D 256^2 7^2 in 7^2", nlmRecipe(2, 3, 3, 0), {256, 256, 1}, 0, 17.6, 3.9, 64 / 58.},
        {"nlm 3-D 512x512x548 5^3 gaussian", nlmRecipe(3, 2, 4, 1), {512, 512, 548}, 0, 32.2, 4.7, 32 / 28.},
        {"median 3-D 256x256x120 3^3", timedWeighted("median", 3, 1, 1), {256, 256, 120}, 0, 0, 0, 1},
        {"gaussian 3-D 256x256x120 r=4", timedWeighted("gaussian", 3, 4, 2), {256, 256, 120}, 0, 0, 0, 1},
    };
    for (const Work &w : table)
        if (std::strstr(w.name, part) != nullptr) timeWork(device, w);
}
