// Local polynomial approximation of order 0 with intersection of confidence
// intervals (Katkovnik, Egiazarian, Astola 2006; Klepaczko 2013, eq. 1-4). In
// eight directions, at rising scales h:
//
//   mu_h  = sum_{j=0..h-1} g_j v(X + j theta) / sum g_j,   g_j = 1 - (j/h)^2
//   q_h   = sum g_j^2 / (sum g_j)^2,   std_h = sigma sqrt(q_h)     in white noise; else see Spread
//   D_h   = [mu_h - gamma std_h, mu_h + gamma std_h]
//
// The chosen scale is the largest for which the intervals of all scales up to it have a
// common point. out = sum_d mu_d / q_d / sum_d 1 / q_d over the directions.
//
// With u_j = v_j - v(X) the sums of all scales follow from two running sums along the
// line: sum g_j u_j = sum u_j - sum j^2 u_j / h^2.
//
// A rounding error in the decision would change the result by a whole scale. The
// decision is therefore made in float32 with a bound on the error; if it is within the
// bound, the line is computed again in float64, with the order of operations that every
// engine uses. White and correlated noise have kernels of their own, as the variance of
// correlated noise takes registers.
#include "lpa_params.cuh"

constexpr int kDirections = 8;
__device__ constexpr int kStepX[kDirections] = {1, 1, 0, -1, -1, -1, 0, 1};
__device__ constexpr int kStepY[kDirections] = {0, 1, 1, 1, 0, -1, -1, -1};

constexpr int kTile = 32;              // pixels of a block along x
constexpr int kLines = 8;              // rows of threads, at most; at least 2 fill the table
constexpr int kEach = 4;               // pixels of a thread, one below the other
constexpr float kUlp = 5.9604645e-8f;  // 2^-24

// Line is the estimate of one direction, relative to the pixel's value.
struct Line {
    float mu, weight; // weight = 1/q
    int scale;        // index of the chosen scale
};

// Pixel holds the sums over the directions.
struct Pixel {
    float num = 0, den = 0;      // sums of mu / q and of 1 / q
    unsigned scales[2] = {0, 0}; // chosen scales, a byte per direction
    unsigned doubtful = 0;       // a bit per direction, set if float32 could not decide

    __device__ void add(int direction, Line line)
    {
        num += line.mu * line.weight;
        den += line.weight;
        scales[direction / 4] |= unsigned(line.scale) << (8 * (direction % 4));
    }
};

constexpr double kLeastSpread = 1.0 / 16;

// Spread is the variance of a sum of g_j times correlated noise of sigma 1 along a line, in the
// order that every engine uses: sum_j g_j^2 + 2 sum_j sum_k rho_k g_j g_{j-k}, at least a part of
// what it is in white noise.
struct Spread {
    double white = 0, shared = 0, last[kLags] = {};

    // add takes the next sample of the line; one that is not used weighs 0.
    __device__ void add(double g, const double (&rho)[kLags])
    {
        white = __dadd_rn(white, __dmul_rn(g, g));
#pragma unroll
        for (int k = 0; k < kLags; ++k) shared = __dadd_rn(shared, __dmul_rn(rho[k], __dmul_rn(g, last[k])));
#pragma unroll
        for (int k = kLags - 1; k > 0; --k) last[k] = last[k - 1];
        last[0] = g;
    }

    __device__ double variance() const { return fmax(__dadd_rn(white, __dmul_rn(2, shared)), __dmul_rn(kLeastSpread, white)); }
};

// samples returns how many pixels of the line are in the image.
__device__ inline int samples(const Field &f, int x, int y, int stepX, int stepY)
{
    int n = kMaxScales;
    if (stepX > 0) n = min(n, f.dims[0] - x);
    if (stepX < 0) n = min(n, x + 1);
    if (stepY > 0) n = min(n, f.dims[1] - y);
    if (stepY < 0) n = min(n, y + 1);
    return n;
}

// exactLine decides in float64, with every operation rounded separately and in the
// order of the reference.
template <bool CORRELATED>
__device__ inline Line exactLine(const LpaParams &p, int x, int y, int z, int direction)
{
    const Field &f = p.field;
    const int stepX = kStepX[direction], stepY = kStepY[direction];
    const double v0 = __ldg(f.in + f.index(x, y, z));
    const int n = samples(f, x, y, stepX, stepY);
    double lower = -1e300, upper = 1e300;
    Line line = {0, 1, 0};
    for (int s = 0; s < p.count; ++s) {
        const int h = p.scales[s];
        double sum = 0, sum2 = 0, sumV = 0;
        Spread spread;
        for (int j = 0; j < min(h, n); ++j) {
            int px = x + j * stepX, py = y + j * stepY;
            if (!f.valid(px, py, z)) {
                if (CORRELATED) spread.add(0, p.rho[direction % 2]);
                continue;
            }
            double t = __ddiv_rn(j, h);
            double g = __dsub_rn(1, __dmul_rn(t, t));
            sum = __dadd_rn(sum, g);
            if (CORRELATED) spread.add(g, p.rho[direction % 2]);
            else sum2 = __dadd_rn(sum2, __dmul_rn(g, g));
            sumV = __dadd_rn(sumV, __dmul_rn(g, __dsub_rn(__ldg(f.in + f.index(px, py, z)), v0)));
        }
        double mu = __dadd_rn(v0, __ddiv_rn(sumV, sum));
        if (CORRELATED) sum2 = spread.variance();
        double q = __ddiv_rn(sum2, __dmul_rn(sum, sum));
        double half = __dmul_rn(p.width, __dsqrt_rn(q));
        lower = fmax(lower, __dsub_rn(mu, half));
        upper = fmin(upper, __dadd_rn(mu, half));
        if (lower > upper) break;
        line = {float(mu - v0), float(1 / q), s};
    }
    return line;
}

// Intervals is the intersection of the confidence intervals of one direction.
struct Intervals {
    float lower, upper;
    float closest; // smallest distance of a decision from its threshold
    bool open;     // no scale has failed yet

    __device__ Intervals() : lower(-1e30f), upper(1e30f), closest(1e30f), open(true) {}

    // narrow adds the next scale's interval and returns whether the scale is accepted.
    __device__ bool narrow(float mu, float half)
    {
        lower = fmaxf(lower, mu - half);
        upper = fminf(upper, mu + half);
        float gap = upper - lower;
        if (open) closest = fminf(closest, fabsf(gap));
        open &= gap >= 0;
        return open;
    }
};

// slackFor returns a bound on the relative error of mu and half for lines of up to h
// samples.
__device__ constexpr float slackFor(int h) { return float(8 * h + 64) * kUlp; }

// finish decides the doubtful directions and writes the pixel's result and, if wanted,
// its chosen scales.
template <bool CORRELATED>
__device__ inline void finish(const LpaParams &p, int x, int y, int z, float v0, Pixel pixel)
{
#pragma unroll 1
    for (int d = 0; d < kDirections; ++d)
        if (pixel.doubtful >> d & 1) pixel.add(d, exactLine<CORRELATED>(p, x, y, z, d));
    float *out = p.field.result(x, y, z);
    *out = pixel.den > 0 ? v0 + pixel.num / pixel.den : v0;
    if (p.map != nullptr) p.map[out - p.field.out] = (unsigned long long)(pixel.scales[1]) << 32 | pixel.scales[0];
}

constexpr int kPaperScales = 6, kPaperLongest = 8;
__device__ constexpr int kPaper[kPaperScales] = {1, 2, 3, 5, 7, 8};

// Entry holds the values that depend only on the scale and the number of samples.
struct Entry {
    float norm;   // 1 / sum g
    float half;   // gamma std
    float weight; // 1 / q
    float pad;
};

// Table holds them; in correlated noise along an axis, and along a diagonal.
template <bool CORRELATED>
using Table = Entry[CORRELATED ? 2 : 1][kPaperScales][kPaperLongest + 1];

// fillTable computes the table; the threads of a block divide it among them. Sums of either
// sign, as in correlated noise, leave too few digits in float32.
template <bool CORRELATED>
__device__ inline void fillTable(const LpaParams &p, Table<CORRELATED> &table)
{
    int entry = threadIdx.y * kTile + threadIdx.x;
    if (entry >= kPaperScales * kPaperLongest) return;
    int s = entry / kPaperLongest, n = entry % kPaperLongest + 1, h = p.scales[s];
    float sum = 0, sum2 = 0, shrink = 1.f / float(h * h);
    Spread spread[2];
    for (int j = 0; j < min(h, n); ++j) {
        float g = 1 - float(j * j) * shrink;
        sum += g;
        sum2 += g * g;
        if (CORRELATED)
            for (int k = 0; k < 2; ++k) spread[k].add(1 - double(j * j) / (h * h), p.rho[k]);
    }
    for (int k = 0; k < (CORRELATED ? 2 : 1); ++k) {
        if (CORRELATED) sum2 = float(spread[k].variance());
        float q = sum2 / (sum * sum);
        table[k][s][n] = {1 / sum, float(p.width) * sqrtf(q), 1 / q, 0};
    }
}

// normOf returns 1 / sum g of a line of h samples.
constexpr float normOf(int h)
{
    double sum = 0;
    for (int j = 0; j < h; ++j) sum += 1 - double(j * j) / (h * h);
    return float(1 / sum);
}

// kPaperNorm holds 1 / sum g of whole lines.
__device__ constexpr float kPaperNorm[kPaperScales] = {normOf(1), normOf(2), normOf(3), normOf(5), normOf(7), normOf(8)};

// paperPixel computes the sums of one pixel. WHOLE states that all its lines are inside
// the image.
template <bool CORRELATED, bool WHOLE>
__device__ inline Pixel paperPixel(const Field &f, const Table<CORRELATED> &tables, const float *at, int x, int y)
{
    const float v0 = __ldg(at);
    Pixel pixel;
#pragma unroll
    for (int d = 0; d < kDirections; ++d) {
        const auto &table = tables[CORRELATED ? d % 2 : 0];
        const int stepX = kStepX[d], stepY = kStepY[d];
        const int n = WHOLE ? kPaperLongest : min(samples(f, x, y, stepX, stepY), kPaperLongest);
        const int step = stepY * f.dims[0] + stepX;
        float u[kPaperLongest];
#pragma unroll
        for (int j = 0; j < kPaperLongest; ++j) u[j] = j > 0 && (WHOLE || j < n) ? __ldg(at + j * step) - v0 : 0;

        Intervals intervals;
        float sum = 0, sum2 = 0, mu = 0, reach = table[0][1].half;
        int chosen = 0; // position in the table of the accepted scale
#pragma unroll
        for (int s = 0; s < kPaperScales; ++s) {
            const int h = kPaper[s];
#pragma unroll
            for (int j = s == 0 ? 0 : kPaper[s - 1]; j < h; ++j) {
                sum += u[j];
                sum2 += float(j * j) * u[j];
                reach = fmaxf(reach, fabsf(u[j]));
            }
            const int place = s * (kPaperLongest + 1) + (WHOLE ? h : min(n, h));
            const Entry &e = table[0][place];
            float m = (sum - sum2 * (1.f / float(h * h))) * (WHOLE ? kPaperNorm[s] : e.norm);
            if (intervals.narrow(m, e.half)) {
                mu = m;
                chosen = place;
            }
        }
        if (intervals.closest <= slackFor(kPaperLongest) * reach) pixel.doubtful |= 1u << d;
        else pixel.add(d, {mu, table[0][chosen].weight, chosen / (kPaperLongest + 1)});
    }
    return pixel;
}

#ifndef LPA_WITHOUT_KERNELS // as the rungs include this file
// paper: the paper's scales without a mask, with all loops unrolled. What depends
// only on the scale and the number of samples is in a table.
template <bool CORRELATED>
__device__ inline void paper(const LpaParams &p)
{
    __shared__ Table<CORRELATED> table;
    fillTable<CORRELATED>(p, table);
    __syncthreads();

    const Field &f = p.field;
    const int height = kEach * blockDim.y;
    const Tile t = tileOf(f, kTile, height, 1);
    const bool inRegion = t.x + int(threadIdx.x) < f.max[0];
    const int x = min(t.x + int(threadIdx.x), f.max[0] - 1), z = t.z;
    for (int y = t.y + threadIdx.y; y < min(t.y + height, f.max[1]); y += blockDim.y) {
        // Samples need not be counted if all lines of the warp are inside the image.
        const int margin = kPaperLongest - 1;
        bool whole = x >= margin && x + margin < f.dims[0] && y >= margin && y + margin < f.dims[1];
        const float *at = f.in + f.index(x, y, z);
        Pixel pixel = __all_sync(~0u, whole) ? paperPixel<CORRELATED, true>(f, table, at, x, y) : paperPixel<CORRELATED, false>(f, table, at, x, y);
        if (inRegion) finish<CORRELATED>(p, x, y, z, __ldg(at), pixel);
    }
}

// correlatedVariance returns the variance of the sum along a line of scale h, n samples of which
// are in the image.
__device__ inline float correlatedVariance(const LpaParams &p, int x, int y, int z, int direction, int h, int n)
{
    Spread spread;
    for (int j = 0; j < min(h, n); ++j) {
        const bool used = p.field.valid(x + j * kStepX[direction], y + j * kStepY[direction], z);
        spread.add(used ? 1 - double(j * j) / (h * h) : 0, p.rho[direction % 2]);
    }
    return float(spread.variance());
}

// any: any list of scales, with or without a mask. The sums of the weights are
// accumulated together with those of the samples.
template <bool CORRELATED>
__device__ inline void any(const LpaParams &p)
{
    const Field &f = p.field;
    const int height = kEach * blockDim.y;
    const Tile t = tileOf(f, kTile, height, 1);
    const int x = t.x + threadIdx.x, z = t.z;
    if (x >= f.max[0]) return;
    const float slack = slackFor(kMaxScales), width = float(p.width);
    for (int y = t.y + threadIdx.y; y < min(t.y + height, f.max[1]); y += blockDim.y) {
        const float v0 = __ldg(f.in + f.index(x, y, z));
        if (!f.valid(x, y, z)) {
            finish<CORRELATED>(p, x, y, z, v0, Pixel());
            continue;
        }
        Pixel pixel;
        for (int d = 0; d < kDirections; ++d) {
            const int stepX = kStepX[d], stepY = kStepY[d];
            const int n = samples(f, x, y, stepX, stepY);
            Intervals intervals;
            Line line = {0, 1, 0};
            float reach = width;
            float sum = 0, sum2 = 0;                // sums of u_j and j^2 u_j
            float count = 0, count2 = 0, count4 = 0; // sums of 1, j^2 and j^4, exact
            int j = 0;
            for (int s = 0; s < p.count && intervals.open; ++s) {
                const int h = p.scales[s];
                for (; j < min(h, n); ++j) {
                    int px = x + j * stepX, py = y + j * stepY;
                    if (!f.valid(px, py, z)) continue;
                    float u = __ldg(f.in + f.index(px, py, z)) - v0, jj = float(j * j);
                    sum += u;
                    sum2 += jj * u;
                    reach = fmaxf(reach, fabsf(u));
                    count += 1;
                    count2 += jj;
                    count4 += jj * jj;
                }
                float shrink = 1.f / float(h * h);
                float g = count - count2 * shrink;
                float g2 = count - 2 * shrink * count2 + shrink * shrink * count4;
                if (CORRELATED) g2 = correlatedVariance(p, x, y, z, d, h, n);
                float q = g2 / (g * g), mu = (sum - sum2 * shrink) / g;
                if (intervals.narrow(mu, width * sqrtf(q))) line = {mu, 1 / q, s};
            }
            if (intervals.closest <= slack * reach) pixel.doubtful |= 1u << d;
            else pixel.add(d, line);
        }
        finish<CORRELATED>(p, x, y, z, v0, pixel);
    }
}

extern "C" {

__global__ void __launch_bounds__(kTile * kLines, 4) lpa_paper(const __grid_constant__ LpaParams p) { paper<false>(p); }
__global__ void __launch_bounds__(kTile * kLines, 3) lpa_paper_correlated(const __grid_constant__ LpaParams p) { paper<true>(p); }
__global__ void __launch_bounds__(kTile * kLines) lpa_any(const __grid_constant__ LpaParams p) { any<false>(p); }
__global__ void __launch_bounds__(kTile * kLines) lpa_any_correlated(const __grid_constant__ LpaParams p) { any<true>(p); }

} // extern "C"
#endif
