// Times the kernels on the papers' experiments with random data: CUDA events,
// median of 20 runs after 3. Check first (check.cu).
//
//   nvcc -O2 -std=c++17 -o bench ladder/bench.cu -lcuda
//   ./bench [FOLDER [PART OF A NAME]]
//
// A pair is one weight: a voxel and one neighbour in its window that is inside
// the volume. Beside the time stand the pairs a second and the share of the
// device's ceilings: powers of two (16 a clock and multiprocessor, one a pair),
// instructions issued (128 lanes) and shared memory reads and shuffles (32), both
// as counted in the inner loop's machine code, for the whole grid with its
// margins.
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
    double issued;  // instructions for each pair of a lane, from the machine code
    double shared;  // shared memory reads and shuffles for each pair
    double spread;  // lanes' voxels for each result: what a tile's margin costs along x
};

static double pairs(const Work &w)
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

static void time(Device &device, const Work &w)
{
    std::size_t voxels = std::size_t(w.dims[0]) * w.dims[1] * w.dims[2];
    std::vector<float> data(voxels);
    std::mt19937 random(7);
    for (std::size_t i = 0; i < voxels; ++i) data[i] = 100 + float(i / 97 % 64) + 0.04f * float(random() % 1000);
    Buffer in(voxels * 4), out(voxels * 4);
    in.put(data.data());
    Field f{};
    f.in = in.as<float>();
    f.out = out.as<float>();
    f.slices = w.dims[2];
    for (int c = 0; c < 3; ++c) f.max[c] = f.dims[c] = w.dims[c];
    Launch l = launchFor(w.recipe, f, nullptr);
    CUfunction fn = device.function(l);
    int perSM = 0, registers = 0, local = 0;
    CU(cuOccupancyMaxActiveBlocksPerMultiprocessor(&perSM, fn, int(l.block[0] * l.block[1]), l.shared));
    CU(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, fn));
    CU(cuFuncGetAttribute(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, fn));

    CUevent from, to;
    CU(cuEventCreate(&from, 0));
    CU(cuEventCreate(&to, 0));
    std::vector<float> times;
    for (int i = 0; i < 23; ++i) {
        float ms = 0;
        CU(cuEventRecord(from, nullptr));
        Device::start(fn, l);
        CU(cuEventRecord(to, nullptr));
        CU(cuEventSynchronize(to));
        CU(cuEventElapsedTime(&ms, from, to));
        if (i >= 3) times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    double ms = times[times.size() / 2], perSecond = device.processors * 1e3 * device.clock;
    std::printf("%-34s %9.4f ms (%.4f-%.4f)", w.name, ms, times.front(), times.back());
    if (w.target > 0) std::printf(" target %8.4f %s", w.target, ms <= w.target ? "met" : "MISSED");
    if (w.recipe.filter == "nlm" || w.recipe.filter == "bilateral") {
        double rate = pairs(w) / (ms * 1e-3), lanes = rate * w.spread;
        std::printf(" %6.3f T pairs/s; ex2 %2.0f%%, issue %2.0f%%, shared %2.0f%%", rate * 1e-12, 100 * lanes / (16 * perSecond),
                    100 * lanes * w.issued / (128 * perSecond), 100 * lanes * w.shared / (32 * perSecond));
    }
    std::printf("  [%u blocks of %u, %d a multiprocessor, %d registers, %d B local, %u B shared]\n", l.grid, l.block[0] * l.block[1],
                perSM, registers, local, l.shared);
    cuEventDestroy(from);
    cuEventDestroy(to);
}

static Recipe nlm(int dims, int patch, int search, double patchSigma)
{
    Recipe r;
    r.filter = "nlm";
    r.dims = dims;
    r.patch = patch;
    r.search = search;
    r.patchSigma = patchSigma;
    r.h = 10;
    return r;
}

static Recipe window(const char *filter, int dims, int radius, double sigma)
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

int main(int argc, char **argv)
{
    Device device(argc > 1 ? argv[1] : ".");
    std::printf("%s, %d multiprocessors at %.2f GHz, driver for CUDA %d.%d\n", device.name, device.processors, device.clock * 1e-6,
                device.driver / 1000, device.driver % 1000 / 10);
    Recipe lpa;
    lpa.filter = "lpa";
    lpa.dims = 2;
    lpa.sigma = 12;
    const Work table[] = {
        {"bilateral 2-D 1024^2 17^2", window("bilateral", 2, 8, 4), {1024, 1024, 1}, 0.12, 6.0, 0.15, 1},
        {"nlm 2-D 1024^2 7^2 in 17^2", nlm(2, 3, 8, 0), {1024, 1024, 1}, 0.30, 17.6, 3.9, 64 / 58.},
        {"nlm 3-D 181x217x51 3^3 in 7^3", nlm(3, 1, 3, 1), {181, 217, 51}, 0.8, 20.7, 3.5, 64 / 62. * 186 / 181},
        {"nlm 3-D 181x217x51 3^3 in 17^3", nlm(3, 1, 8, 1), {181, 217, 51}, 10, 20.7, 3.5, 64 / 62. * 186 / 181},
        {"bilateral 3-D 256x256x120 r=11", window("bilateral", 3, 11, 5.5), {256, 256, 120}, 38, 6.0, 0.15, 1},
        {"nlm 3-D 512x512x548 5^3 in 9^3", nlm(3, 2, 4, 0), {512, 512, 548}, 110, 26.8, 7, 32 / 28. * 532 / 512},
        {"lpa 256^2, 181 slices", lpa, {256, 256, 181}, 0.004 * 181, 0, 0, 1},
        {"lpa 256^2, one slice", lpa, {256, 256, 1}, 0, 0, 0, 1},
        {"bilateral 2-D 256^2 7^2", window("bilateral", 2, 3, 1.5), {256, 256, 1}, 0, 6.0, 0.15, 1},
        {"nlm 2-D 256^2 7^2 in 7^2", nlm(2, 3, 3, 0), {256, 256, 1}, 0, 17.6, 3.9, 64 / 58.},
        {"nlm 3-D 512x512x548 5^3 gaussian", nlm(3, 2, 4, 1), {512, 512, 548}, 0, 36.7, 8, 32 / 28. * 532 / 512},
        {"median 3-D 256x256x120 3^3", window("median", 3, 1, 1), {256, 256, 120}, 0, 0, 0, 1},
        {"gaussian 3-D 256x256x120 r=4", window("gaussian", 3, 4, 2), {256, 256, 120}, 0, 0, 0, 1},
    };
    for (const Work &w : table)
        if (argc < 3 || std::strstr(w.name, argv[2]) != nullptr) time(device, w);
}
