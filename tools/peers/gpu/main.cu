// Times Quell's kernels beside those of open filters on one device in one run: checks every result against
// Quell's first, then runs all of a row by turns, and prints the median and the minimum of their times by CUDA events.
//   peers-gpu FOLDER [PART]    the folder of the fatbins; only rows whose name contains PART
#include "../../../kernels/ladder/times.h"
#include "peer.h"

struct Contender {
    std::string name;
    Start start;
    int margin = 0; // voxels at the edges whose neighbours it treats otherwise than Quell
    std::vector<float> times;
};

struct Row {
    const char *name;
    Recipe recipe;
    int dims[3];
    int runs;
    std::function<std::vector<Contender>(const float *in, float *out)> peers;
};

// differs returns the largest difference of two results, as a fraction of the range of the input, where
// they are further than margin from an edge. NaN counts as infinite.
static double differs(const std::vector<float> &got, const std::vector<float> &want, const int (&dims)[3], int margin, double range)
{
    double worst = 0;
    std::size_t i = 0;
    for (int z = 0; z < dims[2]; ++z)
        for (int y = 0; y < dims[1]; ++y)
            for (int x = 0; x < dims[0]; ++x, ++i) {
                if (std::min(x, y) < margin || x >= dims[0] - margin || y >= dims[1] - margin) continue;
                const double d = std::fabs(double(got[i]) - want[i]) / range;
                worst = d == d ? std::max(worst, d) : INFINITY;
            }
    return worst;
}

// compare runs a row and returns whether all results agree.
static bool compare(Device &device, const Row &row)
{
    const std::vector<float> data = phantom(row.dims);
    const auto [low, high] = std::minmax_element(data.begin(), data.end());
    Buffer in(data.size() * 4), out(data.size() * 4);
    in.put(data.data());
    Field f{};
    f.in = in.as<float>();
    f.out = out.as<float>();
    f.slices = row.dims[2];
    for (int c = 0; c < 3; ++c) f.max[c] = f.dims[c] = row.dims[c];
    const std::vector<Launch> launches = launchesFor(row.recipe, f, nullptr);
    std::vector<CUfunction> functions;
    for (const Launch &l : launches) functions.push_back(device.function(l));

    std::vector<Contender> all = row.peers(in.as<float>(), out.as<float>());
    all.insert(all.begin(), {"Quell", [&] {
                                 for (std::size_t k = 0; k < launches.size(); ++k) Device::start(functions[k], launches[k]);
                             }});
    bool good = true;
    std::vector<float> want(data.size()), got(data.size());
    std::vector<double> difference;
    for (const Contender &c : all) {
        out.poison();
        c.start();
        CHECK(cudaGetLastError());
        CU(cuCtxSynchronize());
        out.get(&c == &all[0] ? want.data() : got.data());
        difference.push_back(&c == &all[0] ? 0 : differs(got, want, row.dims, c.margin, *high - *low));
        good &= difference.back() <= 1e-4;
    }
    CUevent from, to;
    CU(cuEventCreate(&from, 0));
    CU(cuEventCreate(&to, 0));
    for (int run = 0; run < row.runs + 2; ++run)
        for (std::size_t k = 0; k < all.size(); ++k) {
            Contender &c = all[(k + run) % all.size()];
            float ms = 0;
            CU(cuEventRecord(from, nullptr));
            c.start();
            CU(cuEventRecord(to, nullptr));
            CU(cuEventSynchronize(to));
            CU(cuEventElapsedTime(&ms, from, to));
            if (run >= 2) c.times.push_back(ms);
        }
    cuEventDestroy(from);
    cuEventDestroy(to);
    double quell = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
        std::vector<float> &t = all[k].times;
        std::sort(t.begin(), t.end());
        if (k == 0) quell = t[0];
        std::printf("%-30s %-36s median %9.4f min %9.4f ms  %6.2f times Quell's", k == 0 ? row.name : "", all[k].name.c_str(), t[t.size() / 2], t[0], t[0] / quell);
        if (k > 0) std::printf("  %s, largest difference %.1e of range", difference[k] <= 1e-4 ? "agrees" : "DIFFERS", difference[k]);
        std::printf("\n");
    }
    return good;
}

static Row bilateralRow(const char *name, int side, int radius)
{
    const double sigma = radius / 2.0;
    return {name, timedWeighted("bilateral", 2, radius, sigma), {side, side, 1}, 50, [=](const float *in, float *out) {
        return std::vector<Contender>{{"VapourSynth-BilateralGPU", bilateralGpu(in, out, side, side, radius, float(sigma), 25), radius}};
    }};
}

static Row upadhyaRow(const char *name, int search, int runs)
{
    return {name, nlmRecipe(3, 1, search, 1), {181, 217, 51}, runs, [=](const float *in, float *out) {
        return std::vector<Contender>{{"GPU-non-local-means", upadhya(in, out, 181, 217, 51, 1, search, 10)}};
    }};
}

static Row nlmRow(const char *name, int side, int search, Start (*zipcu)(const float *, float *, int))
{
    return {name, nlmRecipe(2, 3, search, 0), {side, side, 1}, 20, [=](const float *in, float *out) {
        const int margin = 3 + search;
        return std::vector<Contender>{{"vapoursynth-zipcu, batches of 16", zipcu(in, out, 16), margin},
                                      {"vapoursynth-zipcu, batches of 48", zipcu(in, out, 48), margin},
                                      {"vs-nlm-cuda", nlmCuda(in, out, side, side, 3, search, 10), margin}};
    }};
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "usage: peers-gpu FOLDER [PART]\n");
        return 2;
    }
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    Device device(argv[1]);
    std::printf("%s, %d multiprocessors at %.2f GHz, driver for CUDA %d.%d\n", device.name, device.processors, device.clock * 1e-6,
                device.driver / 1000, device.driver % 1000 / 10);
    const Row rows[] = {
        bilateralRow("bilateral 2-D 256^2 7^2", 256, 3),
        bilateralRow("bilateral 2-D 256^2 13^2", 256, 6),
        bilateralRow("bilateral 2-D 256^2 17^2", 256, 8),
        bilateralRow("bilateral 2-D 512^2 7^2", 512, 3),
        bilateralRow("bilateral 2-D 512^2 13^2", 512, 6),
        bilateralRow("bilateral 2-D 512^2 17^2", 512, 8),
        bilateralRow("bilateral 2-D 1024^2 7^2", 1024, 3),
        bilateralRow("bilateral 2-D 1024^2 13^2", 1024, 6),
        bilateralRow("bilateral 2-D 1024^2 17^2", 1024, 8),
        nlmRow("nlm 2-D 256^2 7^2 in 7^2", 256, 3, zipcu256),
        nlmRow("nlm 2-D 1024^2 7^2 in 17^2", 1024, 8, zipcu1024),
        upadhyaRow("nlm 3-D 181x217x51 3^3 in 7^3", 3, 20),
        upadhyaRow("nlm 3-D 181x217x51 3^3 in 17^3", 8, 5),
    };
    bool good = true;
    for (const Row &row : rows)
        if (argc < 3 || std::strstr(row.name, argv[2]) != nullptr) good &= compare(device, row);
    return good ? 0 : 1;
}
