// The kernels of sliding blocks (odct, wiener), of prinlm and of slab, each compared with the plain
// C of the fake driver on the same buffers, and their times.
#pragma once

#include "sadct.h"

#include "../dct.cuh"
#include "../prinlm_params.cuh"
#include "../slab_params.cuh"

namespace plain {
#include "../../gpu/fakecuda/dct.c"
#include "../../gpu/fakecuda/prinlm.c"
#include "../../gpu/fakecuda/slab.c"
}

struct BlocksCase {
    const char *kernel; // odct_3d, odct_2d, odct_any, wiener_N, prinlm_average, prinlm_mean or slab_average
    int dims[3];
    int size[3]; // of blocks; radius of prinlm; reach and axis of slab
    bool masked = false, part = false;
    double sigma = 10; // times 2.7 the threshold of odct; h of prinlm; noise of the difference of slab
    bool one = false;
    bool coloured = false; // the noise of every coefficient has a sigma of its own
};

inline std::vector<BlocksCase> blocksCases(bool small)
{
    std::vector<BlocksCase> all;
    for (bool masked : {false, true}) {
        for (bool part : {false, true}) {
            all.push_back({"odct_3d", {33, 31, 18}, {4, 4, 4}, masked, part});
            all.push_back({"odct_3d", {70, 12, 40}, {4, 4, 4}, masked, part});
            all.push_back({"odct_2d", {67, 141, 2}, {8, 8, 1}, masked, part});
            all.push_back({"odct_any", {33, 9, 3}, {4, 4, 3}, masked, part});
            all.push_back({"odct_any", {3, 19, 12}, {3, 4, 4}, masked, part});
            all.push_back({"odct_any", {5, 40, 2}, {5, 8, 1}, masked, part});
            all.push_back({"wiener_6", {40, 24, 14}, {6, 6, 6}, masked, part});
            all.push_back({"wiener_1", {40, 33, 19}, {8, 8, 1}, masked, part});
            all.push_back({"wiener_3", {35, 18, 33}, {3, 3, 3}, masked, part});
            all.push_back({"prinlm_average", {45, 37, 9}, {3, 3, 3}, masked, part});
            all.push_back({"prinlm_average", {45, 37, 3}, {2, 5, 0}, masked, part, 0.3});
            all.push_back({"prinlm_average", {33, 31, 6}, {3, 2, 1}, masked, part, 3, true});
            for (double h : {0.3, 1.0, 2.0}) all.push_back({"prinlm_average", {63, 37, 5}, {2, 3, 1}, masked, part, h});
            all.push_back({"prinlm_mean", {33, 31, 6}, {1, 1, 1}, masked, part});
            for (int axis : {0, 1, 2})
                for (double sigma : {1.0, 20.0}) all.push_back({"slab_average", {45, 37, 33}, {3 + axis, axis}, masked, part, sigma, sigma > 1});
        }
    }
    const char *names[] = {"wiener_2", "wiener_4", "wiener_5", "wiener_7", "wiener_8"};
    for (const char *name : names) {
        const int n = name[7] - '0';
        all.push_back({name, {n + 30, n + 5, n + 2}, {n, n, n}});
    }
    all.push_back({"wiener_5", {12, 4, 5}, {6, 4, 5}, true});
    all.push_back({"wiener_6", {20, 20, 12}, {6, 6, 6}, false, false, 0});
    for (bool masked : {false, true}) {
        all.push_back({"odct_3d", {33, 31, 18}, {4, 4, 4}, masked, false, 10, false, true});
        all.push_back({"odct_2d", {67, 141, 2}, {8, 8, 1}, masked, false, 10, false, true});
        all.push_back({"odct_any", {5, 19, 12}, {4, 4, 3}, masked, false, 10, false, true});
        all.push_back({"wiener_5", {40, 24, 14}, {6, 7, 5}, masked, false, 10, false, true});
        all.push_back({"wiener_1", {40, 33, 19}, {8, 8, 1}, masked, false, 10, false, true});
    }
    for (const char *name : {"odct_3d", "wiener_4"}) all.push_back({name, {4, 4, 4}, {4, 4, 4}});
    all.push_back({"odct_2d", {8, 8, 1}, {8, 8, 1}});
    all.push_back({"odct_any", {1, 1, 1}, {1, 1, 1}});
    all.push_back({"wiener_1", {1, 1, 1}, {1, 1, 1}});
    all.push_back({"odct_3d", {33, 31, 18}, {4, 4, 4}, false, false, 0});
    if (!small) all.push_back({"prinlm_average", {150, 90, 2}, {32, 32, 0}});
    return all;
}

// fewestBlocksCases returns a small case for every kernel.
inline std::vector<BlocksCase> fewestBlocksCases()
{
    std::vector<BlocksCase> all = {{"odct_3d", {17, 9, 7}, {4, 4, 4}, true},       {"odct_2d", {17, 11, 2}, {8, 8, 1}, true},
                                   {"odct_any", {5, 19, 2}, {5, 8, 1}, true},      {"prinlm_average", {34, 9, 3}, {2, 1, 1}, true},
                                   {"prinlm_mean", {34, 9, 3}, {1, 1, 1}, true},     {"slab_average", {34, 9, 7}, {2, 2}, true}};
    for (const char *name : {"wiener_1", "wiener_2", "wiener_3", "wiener_4", "wiener_5", "wiener_6", "wiener_7", "wiener_8"}) {
        const int n = name[7] - '0';
        all.push_back(n == 1 ? BlocksCase{name, {13, 11, 2}, {8, 8, 1}} : BlocksCase{name, {n + 3, n + 2, n + 1}, {n, n, n}});
    }
    return all;
}

// Blocks holds the buffers of a case, which cover the whole volume.
class Blocks {
    const BlocksCase &c;
    const Volume &v;
    std::vector<float> other[2]; // the pilot or guide, and the mean
    Buffer voxels, mask, first, second;

    template <class T>
    Box<T> box(T *data) const { return {data, {0, 0, 0}, {v.dims[0], v.dims[1], v.dims[2]}}; }

    template <class P>
    void place(P &p, const Region &region, float *out) const
    {
        p.in = p.voxels = box<const float>(voxels.as<float>());
        p.mask = box<const std::uint8_t>(v.mask.empty() ? nullptr : mask.as<std::uint8_t>());
        p.out.data = out;
        for (int k = 0; k < 3; ++k) p.out.min[k] = region.min[k], p.out.max[k] = region.max[k];
        std::copy(v.dims, v.dims + 3, p.dims);
    }

    static unsigned tiles(const Region &r, int w, int h, int d)
    {
        return unsigned((r.along(0) + w - 1) / w * ((r.along(1) + h - 1) / h) * ((r.along(2) + d - 1) / d));
    }

public:
    Blocks(const BlocksCase &c, const Volume &v)
        : c(c), v(v), voxels(v.data.size() * 4), mask(v.mask.empty() ? 4 : v.mask.size()), first(v.data.size() * 4), second(v.data.size() * 4)
    {
        const std::size_t n = v.data.size();
        for (auto &o : other) o.resize(n);
        for (std::size_t i = 0; i < n; ++i) other[0][i] = (v.data[i] + v.data[(i + 1) % n] + v.data[(i + n - 1) % n]) / 3;
        for (std::size_t i = 0; i < n; ++i) other[1][i] = (other[0][i] + other[0][(i + 3) % n] + other[0][(i + n - 3) % n]) / 3;
        voxels.put(v.data.data());
        if (!v.mask.empty()) mask.put(v.mask.data());
        first.put(other[0].data());
        second.put(other[1].data());
    }

    bool prinlm() const { return std::strncmp(c.kernel, "prinlm", 6) == 0; }
    bool slab() const { return std::strncmp(c.kernel, "slab", 4) == 0; }
    bool wiener() const { return std::strncmp(c.kernel, "wiener", 6) == 0; }

    DctParams dctParams(const Region &region, float *out) const
    {
        DctParams p{};
        place(p, region, out);
        p.pilot = box<const float>(first.as<float>());
        const double n = c.size[0] * c.size[1] * c.size[2];
        int e;
        std::frexp(n * n, &e);
        p.unit = float(std::ldexp(1, -e - 1));
        p.back = float(1 / (p.unit * n));
        const double scale = p.unit * std::sqrt(n);
        const auto deviation = [&](int k) { return c.coloured ? 0.3 + k * 7 % 13 * 0.1 : 1; };
        for (int k = 0; k < 64; ++k) p.limits[k] = wiener() ? c.sigma > 0 ? float(1 / (c.sigma * deviation(k) * scale)) : 0 : float(2.7 * c.sigma * deviation(k) * scale);
        for (int a = 0; a < 3; ++a) {
            const int m = p.size[a] = c.size[a];
            for (int k = 0; k < m; ++k)
                for (int i = 0; i < (m + 1) / 2; ++i) {
                    double value = k ? std::sqrt(2.0) * std::cos(std::acos(-1.0) * (2 * i + 1) * k / (2 * m)) : 1;
                    p.rows[a][k][i] = float(std::fabs(value) < 1e-12 ? 0 : value);
                }
        }
        for (int k = 0; k < 8; ++k)
            for (int i = 0; i < 4; ++i) p.rows[3][k][i] = p.rows[2][k][i] * float(c.coloured ? 0.5 + 0.25 * k : 1);
        return p;
    }

    PrinlmParams prinlmParams(const Region &region, float *out) const
    {
        PrinlmParams p{};
        place(p, region, out);
        p.guide = box<const float>(first.as<float>());
        p.mean = box<const float>(second.as<float>());
        std::copy(c.size, c.size + 3, p.radius);
        p.scale[0] = float(std::sqrt(std::log2(std::exp(1.0)) / 4) / c.sigma);
        p.scale[1] = float(std::sqrt(3.0) * p.scale[0]);
        p.columns = std::min(32 + 2 * c.size[0], 64);
        p.one = c.one;
        p.inverse = 1 / c.sigma;
        return p;
    }

    SlabParams slabParams(const Region &region, float *out) const
    {
        SlabParams p{};
        place(p, region, out);
        p.guide = box<const float>(first.as<float>());
        if (c.one) p.more = box<const float>(second.as<float>()), p.factor = -1;
        p.reach = c.size[0], p.axis = c.size[1];
        for (int k = 0; k < p.reach; ++k) p.inverse[k] = float(1 / (c.sigma * (1 - 0.5 / (1 + k))));
        return p;
    }

    Launch launch(const Region &region, float *out) const
    {
        const std::string kernel = c.kernel;
        if (kernel == "prinlm_mean") return {"prinlm", kernel, unsigned((region.voxels() + 255) / 256), {256, 1}, 0, bytes(prinlmParams(region, out))};
        if (prinlm()) {
            PrinlmParams p = prinlmParams(region, out);
            return {"prinlm", kernel, tiles(region, 32, 16, 1), {32, 4}, unsigned(12 * p.columns * (16 + 2 * p.radius[1])), bytes(p)};
        }
        if (slab()) return {"slab", kernel, tiles(region, 32, 8, 1), {32, 8}, 0, bytes(slabParams(region, out))};
        DctParams p = dctParams(region, out);
        if (wiener()) return {"wiener", kernel, tiles(region, 33 - c.size[0], 17 - c.size[1], 17 - c.size[2]), {32, 16}, 0, bytes(p)};
        if (kernel == "odct_3d") return {"odct", kernel, tiles(region, 29, 9, 13), {32, 12}, 0, bytes(p)};
        if (kernel == "odct_2d") return {"odct", kernel, tiles(region, 25, 128, 1), {32, 4}, 0, bytes(p)};
        return {"odct", kernel, unsigned((region.voxels() + 127) / 128), {128, 1}, 0, bytes(p)};
    }

    // plainly computes the same by the plain form, on copies of the buffers, with the threshold
    // of odct or 1 / h of prinlm times factor.
    std::vector<float> plainly(const Region &region, double factor = 1) const
    {
        std::vector<float> want(region.voxels());
        const std::uint8_t *held = v.mask.empty() ? nullptr : v.mask.data();
        if (prinlm()) {
            PrinlmParams p = prinlmParams(region, want.data());
            p.in.data = p.voxels.data = v.data.data();
            p.guide.data = other[0].data();
            p.mean.data = other[1].data();
            p.mask.data = held;
            p.inverse *= factor;
            ::plainly<plain::PrinlmParams>(std::strcmp(c.kernel, "prinlm_mean") ? plain::prinlmAverage : plain::prinlmMean, p);
            return want;
        }
        if (slab()) {
            SlabParams p = slabParams(region, want.data());
            p.in.data = p.voxels.data = v.data.data();
            p.guide.data = other[0].data();
            if (c.one) p.more.data = other[1].data();
            p.mask.data = held;
            ::plainly<plain::SlabParams>(plain::slabAverage, p);
            return want;
        }
        DctParams p = dctParams(region, want.data());
        p.in.data = p.voxels.data = v.data.data();
        p.pilot.data = other[0].data();
        p.mask.data = held;
        if (!wiener())
            for (float &limit : p.limits) limit *= float(factor);
        ::plainly<plain::DctParams>(wiener() ? plain::wiener : plain::odct, p);
        return want;
    }

    bool check(Device &device, const Region &region)
    {
        static_assert(sizeof(plain::DctParams) == sizeof(DctParams) && sizeof(plain::PrinlmParams) == sizeof(PrinlmParams));
        Buffer out(region.voxels() * 4);
        std::vector<float> got(region.voxels()), again(got);
        for (auto *to : {&got, &again}) {
            out.poison();
            device.start({launch(region, out.as<float>())});
            cuCheck(cuCtxSynchronize(), c.kernel);
            out.get(to->data());
        }
        // Rounding decides on a coefficient at the threshold of odct, and on a voxel of prinlm whose
        // largest weight is at the least that float64 holds: there a result of a threshold or an h
        // that differs by 1e-5 is as right. So is the input, at a voxel of prinlm whose weights all vanish at
        // an h lower by 0.2 %: they are some units of the least that float64 holds.
        std::vector<std::vector<float>> wants;
        for (double factor : {1.0, 1 - 1e-5, 1 + 1e-5}) wants.push_back(plainly(region, factor));
        std::vector<float> lower, input;
        if (prinlm()) lower = plainly(region, 1.002), input = plainly(region, 1e9);
        double worst = 0, squares = 0;
        bool finite = true;
        for (std::size_t i = 0; i < got.size(); ++i) {
            double d = INFINITY;
            for (const auto &want : wants) d = std::min(d, std::fabs(double(got[i]) - want[i]) / 255);
            if (prinlm() && lower[i] == input[i]) d = std::min(d, std::fabs(double(got[i]) - input[i]) / 255);
            finite &= std::isfinite(got[i]);
            worst = std::max(worst, d);
            squares += d * d;
        }
        const double rms = std::sqrt(squares / double(got.size()));
        const bool same = std::memcmp(got.data(), again.data(), got.size() * 4) == 0, guarded = out.guarded();
        const bool good = finite && same && guarded && worst <= 1e-4 && rms <= 1e-5;
        std::printf("%s  max %.1e rms %.1e of range%s%s%s  %s %dx%dx%d%s%s%s blocks %d,%d,%d sigma=%g\n", good ? "ok  " : "FAIL", worst, rms,
                    finite ? "" : " NOT FINITE", same ? "" : " NOT REPEATABLE", guarded ? "" : " WROTE OUTSIDE", c.kernel, v.dims[0], v.dims[1], v.dims[2],
                    c.masked ? " masked" : "", c.part ? " part" : "", c.coloured ? " coloured" : "", c.size[0], c.size[1], c.size[2], c.sigma);
        return good;
    }
};

// timeBlocks prints what the kernels take for the T1 pair's size and for one slice of 512^2.
template <class VolumeOf>
void timeBlocks(Device &device, VolumeOf volumeOf)
{
    const BlocksCase cases[] = {
        {"odct_3d", {181, 217, 51}, {4, 4, 4}},        {"odct_2d", {181, 217, 51}, {8, 8, 1}},        {"prinlm_mean", {181, 217, 51}, {1, 1, 1}},
        {"prinlm_average", {181, 217, 51}, {3, 3, 3}}, {"wiener_4", {181, 217, 51}, {4, 4, 4}},       {"wiener_6", {181, 217, 51}, {6, 6, 6}},
        {"wiener_8", {181, 217, 51}, {8, 8, 8}},       {"odct_3d", {512, 512, 9}, {4, 4, 4}},         {"odct_2d", {512, 512, 1}, {8, 8, 1}},
        {"prinlm_average", {512, 512, 1}, {3, 3, 3}},  {"prinlm_average", {181, 217, 51}, {5, 5, 5}}, {"wiener_1", {512, 512, 1}, {8, 8, 1}},
        {"slab_average", {512, 512, 548}, {2, 2}},     {"slab_average", {512, 512, 548}, {3, 2}},
    };
    for (const BlocksCase &c : cases) {
        Volume v = volumeOf(c.dims[0], c.dims[1], c.dims[2]);
        Blocks b(c, v);
        Buffer out(v.data.size() * 4);
        const std::vector<Launch> all = {b.launch(Region{{0, 0, 0}, {c.dims[0], c.dims[1], c.dims[2]}}, out.as<float>())};
        CUevent from, to;
        CU(cuEventCreate(&from, 0));
        CU(cuEventCreate(&to, 0));
        std::vector<float> times;
        for (int i = 0; i < 12; ++i) {
            float ms;
            CU(cuEventRecord(from, nullptr));
            device.start(all);
            CU(cuEventRecord(to, nullptr));
            CU(cuEventSynchronize(to));
            CU(cuEventElapsedTime(&ms, from, to));
            if (i >= 2) times.push_back(ms);
        }
        std::sort(times.begin(), times.end());
        std::printf("%s %dx%dx%d takes %.3f ms\n", c.kernel, c.dims[0], c.dims[1], c.dims[2], times[times.size() / 2]);
    }
}
