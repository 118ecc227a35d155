// The filters as defined in docs/FILTERS.md, in float64 and voxel by voxel.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>

#include "launch.h"

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
    double at(int x, int y, int z) const { return data[index(x, y, z)]; }

    static int fold(int i, int n)
    {
        while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i;
        return i;
    }
    double mirrored(int x, int y, int z) const
    {
        if (inside(x, y, z)) return at(x, y, z);
        return at(fold(x, dims[0]), fold(y, dims[1]), fold(z, dims[2]));
    }
};

// forNeighbours calls use(jx, jy, jz) for every neighbour of a voxel, except itself.
template <class Use>
void forNeighbours(const Volume &v, const int (&r)[3], int x, int y, int z, Use use)
{
    for (int dz = -r[2]; dz <= r[2]; ++dz)
        for (int dy = -r[1]; dy <= r[1]; ++dy)
            for (int dx = -r[0]; dx <= r[0]; ++dx)
                if ((dx || dy || dz) && v.valid(x + dx, y + dy, z + dz)) use(x + dx, y + dy, z + dz);
}

inline double referenceNlm(const Recipe &r, const std::vector<double> &taps, const Volume &v, int x, int y, int z)
{
    std::vector<double> w, values, cuts;
    int radius[3] = {r.searchAlong(0), r.searchAlong(1), r.searchAlong(2)};
    int fx = r.patchAlong(0), fy = r.patchAlong(1), fz = r.patchAlong(2), power = r.lk ? r.lk : 2;
    forNeighbours(v, radius, x, y, z, [&](int jx, int jy, int jz) {
        if (r.means != nullptr) {
            const std::size_t i = v.index(x, y, z), j = v.index(jx, jy, jz);
            const float difference = r.means[i] - r.means[j], apart = r.apart * std::max(std::fabs(r.means[i]), std::fabs(r.means[j]));
            const float least = r.ratio * std::max(r.deviations[i], r.deviations[j]);
            if (!(std::fabs(difference) < apart && std::min(r.deviations[i], r.deviations[j]) > least)) return;
        }
        double sum = 0;
        for (int kz = -fz; kz <= fz; ++kz)
            for (int ky = -fy; ky <= fy; ++ky)
                for (int kx = -fx; kx <= fx; ++kx) {
                    double d = std::fabs(v.mirrored(x + kx, y + ky, z + kz) - v.mirrored(jx + kx, jy + ky, jz + kz));
                    double a = taps[kx + fx] * (r.dims > 1 ? taps[ky + fy] : 1) * (r.dims > 2 ? taps[kz + fz] : 1);
                    for (int i = 0; i < power; ++i) a *= d;
                    sum += a;
                }
        w.push_back(sum);
        values.push_back(v.at(jx, jy, jz));
        cuts.push_back(r.cut(jx - x, jy - y, jz - z));
    });
    double match = 1, most = 0, vi = v.at(x, y, z);
    if (r.lk) {
        match = 0;
        for (double d : w) match += d;
    }
    for (std::size_t n = 0; n < w.size(); ++n) {
        w[n] = r.lk ? match - w[n] : std::exp(-std::max(0.0, w[n] - cuts[n]) / (r.h * r.h));
        most = std::max(most, w[n]);
    }
    double den = w.empty() ? 1 : r.one ? match : most, num = 0;
    for (std::size_t n = 0; n < w.size(); ++n) {
        num += w[n] * (r.rician ? values[n] * values[n] - vi * vi : values[n] - vi);
        den += w[n];
    }
    if (den == 0) return vi;
    return r.rician ? std::sqrt(std::max(0.0, vi * vi + num / den - 2 * r.sigma * r.sigma)) : vi + num / den;
}

inline double referenceMean(const Recipe &r, const Volume &v, int x, int y, int z)
{
    double vi = v.at(x, y, z), num = 0, den = 1;
    int radius[3] = {r.radiusAlong(0), r.radiusAlong(1), r.radiusAlong(2)};
    forNeighbours(v, radius, x, y, z, [&](int jx, int jy, int jz) {
        double dx = (jx - x) * r.scale[0], dy = (jy - y) * r.scale[1], dz = (jz - z) * r.scale[2];
        double d = v.at(jx, jy, jz) - vi, e = dx * dx + dy * dy + dz * dz;
        if (r.filter == "bilateral") e += d / r.sigmaRange * d / r.sigmaRange;
        double w = std::exp(-0.5 * e);
        num += w * d;
        den += w;
    });
    return vi + num / den;
}

inline double referenceMedian(const Recipe &r, const Volume &v, int x, int y, int z)
{
    std::vector<double> values = {v.at(x, y, z)};
    int radius[3] = {r.radiusAlong(0), r.radiusAlong(1), r.radiusAlong(2)};
    forNeighbours(v, radius, x, y, z, [&](int jx, int jy, int jz) { values.push_back(v.at(jx, jy, jz)); });
    std::sort(values.begin(), values.end());
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

inline double referenceLpa(const Recipe &r, const Volume &v, int x, int y, int z, unsigned char *map)
{
    static const int steps[8][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    double v0 = v.at(x, y, z), num = 0, den = 0;
    for (int d = 0; d < 8; ++d) {
        double lower = -INFINITY, upper = INFINITY, mu = 0, q = 1;
        map[d] = 0;
        for (std::size_t s = 0; s < r.scales.size(); ++s) {
            double h = r.scales[s], sum = 0, sum2 = 0, sumV = 0;
            for (int j = 0; j < r.scales[s]; ++j) {
                int px = x + j * steps[d][0], py = y + j * steps[d][1];
                if (!v.valid(px, py, z)) continue;
                double t = j / h, g = 1 - t * t;
                sum += g;
                sum2 += g * g;
                sumV += g * (v.at(px, py, z) - v0);
            }
            double m = v0 + sumV / sum, qs = sum2 / (sum * sum), half = r.gamma * r.sigma * std::sqrt(qs);
            lower = std::max(lower, m - half);
            upper = std::min(upper, m + half);
            if (lower > upper) break;
            mu = m;
            q = qs;
            map[d] = static_cast<unsigned char>(s);
        }
        num += (mu - v0) / q;
        den += 1 / q;
    }
    return v0 + num / den;
}

// Region is a box of voxels: min <= index < max.
struct Region {
    int min[3], max[3];
    int along(int c) const { return max[c] - min[c]; }
    std::size_t voxels() const { return std::size_t(along(0)) * along(1) * along(2); }
};

// reference filters a region on all cores. map gets the chosen scales of lpa, eight
// bytes per voxel.
inline std::vector<double> reference(const Recipe &r, const Volume &v, const Region &box, std::vector<unsigned char> &map)
{
    std::vector<double> out(box.voxels()), taps = r.taps();
    map.assign(8 * out.size(), 0);
    std::atomic<std::size_t> next{0};
    const std::size_t chunk = 64;
    auto work = [&] {
        for (std::size_t from; (from = next.fetch_add(chunk)) < out.size();) {
            for (std::size_t i = from; i < std::min(from + chunk, out.size()); ++i) {
                int x = box.min[0] + int(i % box.along(0)), y = box.min[1] + int(i / box.along(0) % box.along(1)),
                    z = box.min[2] + int(i / box.along(0) / box.along(1));
                if (!v.valid(x, y, z)) out[i] = v.at(x, y, z);
                else if (r.filter == "nlm") out[i] = referenceNlm(r, taps, v, x, y, z);
                else if (r.filter == "median") out[i] = referenceMedian(r, v, x, y, z);
                else if (r.filter == "lpa") out[i] = referenceLpa(r, v, x, y, z, &map[8 * i]);
                else out[i] = referenceMean(r, v, x, y, z);
            }
        }
    };
    std::vector<std::thread> threads;
    for (unsigned n = std::max(1u, std::thread::hardware_concurrency()); n > 0; --n) threads.emplace_back(work);
    for (std::thread &t : threads) t.join();
    return out;
}
