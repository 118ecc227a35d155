// Volumes of a 4-D series together. A patch holds the voxels of M places in N volumes, Y, less the mean of each volume:
//
//   X = mu + Y V f V',  f_k = g(S_k^2),  S^2, V: eigenvalues and vectors of Y'Y      if M >= N
//   X = mu + U f U' Y,                   S^2, U: eigenvalues and vectors of Y Y'     else
//   x = sum_p X_p w_p / sum_p w_p,       w_p = 1 / (1 + number of f_k > 0)
//
// with g of docs/FILTERS.md. lowrank_patches adds patches that do not overlap to the sums, one launch for each colour of
// patches, so that every sum has one order; lowrank_average divides them. lowrank_mark and lowrank_restore take back what
// noise does not explain.
//
// A block computes one patch after another: the smaller Gram matrix in float64, and its eigenvectors by cyclic Jacobi
// rotations. A round turns as many disjoint pairs of rows and columns as there are, which splits the matrix into blocks of
// 2 x 2 that are turned independently of each other. Only its lower triangle is kept.
#include "lowrank_params.cuh"

constexpr int kThreads = 256, kWarps = kThreads / 32, kMostSize = 160, kMostPlaces = 11 * 11 * 11;
constexpr unsigned kAll = 0xffffffff;

__device__ inline int atRow(int i) { return i * (i + 1) / 2; }
__device__ inline int at(int i, int j) { return i > j ? atRow(i) + j : atRow(j) + i; }

// rowOf returns the row of an element of a lower triangle.
__device__ inline int rowOf(int e)
{
    int i = int((sqrtf(8.f * e + 1) - 1) * 0.5f);
    while (atRow(i) > e) --i;
    while (atRow(i + 1) <= e) ++i;
    return i;
}

// pairOf returns pair k of a round: each two of n rows, which is even, meet in one of n - 1 rounds.
__device__ inline int2 pairOf(int k, int round, int n)
{
    if (k == 0) return {n - 1, round};
    const int i = round + k, j = round - k;
    return {i < n - 1 ? i : i - (n - 1), j >= 0 ? j : j + n - 1};
}

// shrink returns the factor of a singular value of a matrix of m rows and n columns, by its square.
__device__ inline double shrink(double square, int m, int n)
{
    if (m == 0) return 0;
    const double beta = double(min(m, n)) / max(m, n), y = square / max(m, n), edge = 1 + sqrt(beta);
    if (!(y > edge * edge)) return 0;
    const double d = y - beta - 1;
    return sqrt(fmax(d * d - 4 * beta, 0.0)) / y;
}

template <class T>
__device__ inline T sumOfWarp(T x)
{
    for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(kAll, x, d);
    return x;
}

struct Patch {
    const LowrankParams &p;
    int x, y, z;           // of its first place
    unsigned short *used;  // dx, dy and dz of the places that are not excluded
    const float *mean;
    __device__ int3 place(int k) const { return {x + (used[k] & 15), y + (used[k] >> 4 & 15), z + (used[k] >> 8)}; }
    __device__ const float *voxels(int k) const
    {
        const int3 i = place(k);
        return &p.in.at(i.x * (p.volumes + 1), i.y, i.z);
    }
    // out returns the sums of a place, null for one that is not in the region.
    __device__ float *out(int k) const
    {
        const int3 i = place(k);
        const bool inside = i.y >= p.out.min[1] && i.y < p.out.max[1] && i.z >= p.out.min[2] && i.z < p.out.max[2];
        return inside ? &p.out.at(i.x * (p.volumes + 1), i.y, i.z) : nullptr;
    }
};

// gram computes the lower triangle of the smaller Gram matrix, of the given size.
__device__ void gram(const Patch &patch, int m, int size, double *tile, double *a)
{
    const int n = patch.p.volumes, inner = size == n ? m : n;
    for (int e = threadIdx.x; e < atRow(size); e += kThreads) a[e] = 0;
    for (int from = 0; from < inner; from += patch.p.chunk) {
        const int rows = min(patch.p.chunk, inner - from);
        __syncthreads();
        for (int i = threadIdx.x; i < rows * size; i += kThreads) {
            if (size == n) {
                const int k = i / size, c = i - k * size;
                tile[i] = patch.voxels(from + k)[c] - patch.mean[c];
            } else {
                const int k = i / rows, c = i - k * rows;
                tile[c * size + k] = patch.voxels(k)[from + c] - patch.mean[from + c];
            }
        }
        __syncthreads();
        for (int e = threadIdx.x; e < atRow(size); e += kThreads) {
            const int i = rowOf(e), j = e - atRow(i);
            double sum = a[e];
            for (int k = 0; k < rows; ++k) sum += tile[k * size + i] * tile[k * size + j];
            a[e] = sum;
        }
    }
    __syncthreads();
}

// turn applies the rotations of two pairs to the elements that they share.
__device__ inline void turn(double *a, int2 i, int2 j, double2 ri, double2 rj, int size)
{
    double x[2][2];
    const int is[2] = {i.x, i.y}, js[2] = {j.x, j.y};
    for (int r = 0; r < 2; ++r)
        for (int s = 0; s < 2; ++s) x[r][s] = is[r] < size && js[s] < size ? a[at(is[r], js[s])] : 0;
    for (int s = 0; s < 2; ++s) {
        const double u = x[0][s], v = x[1][s];
        x[0][s] = ri.x * u - ri.y * v;
        x[1][s] = ri.y * u + ri.x * v;
    }
    for (int r = 0; r < 2; ++r) {
        const double u = x[r][0], v = x[r][1];
        x[r][0] = rj.x * u - rj.y * v;
        x[r][1] = rj.y * u + rj.x * v;
    }
    for (int r = 0; r < 2; ++r)
        for (int s = 0; s < 2; ++s)
            if (is[r] < size && js[s] < size) a[at(is[r], js[s])] = x[r][s];
}

// turnOwn makes the element of a pair 0.
__device__ inline void turnOwn(double *a, int2 i, double2 r)
{
    const double p = a[at(i.x, i.x)], q = a[at(i.y, i.y)], b = 2 * r.x * r.y * a[at(i.x, i.y)];
    a[at(i.x, i.x)] = r.x * r.x * p - b + r.y * r.y * q;
    a[at(i.y, i.y)] = r.y * r.y * p + b + r.x * r.x * q;
    a[at(i.x, i.y)] = 0;
}

// diagonalise makes a diagonal; the rows of v are its eigenvectors then. Elements of no influence are left.
__device__ void diagonalise(double *a, float *v, int size, double2 *rotation)
{
    __shared__ int turned;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, pairs = (size + 1) / 2;
    for (int e = threadIdx.x; e < size * size; e += kThreads) v[e] = e % (size + 1) == 0;
    double trace = 0;
    for (int i = lane; i < size; i += 32) trace += a[at(i, i)];
    const double least = 1e-14 * sumOfWarp(trace);
    for (int sweep = 0; sweep < 30; ++sweep) { // most matrices take 6 to 8
        __syncthreads();
        if (threadIdx.x == 0) turned = 0;
        __syncthreads();
        for (int round = 0; round < 2 * pairs - 1; ++round) {
            for (int k = threadIdx.x; k < pairs; k += kThreads) {
                const int2 i = pairOf(k, round, 2 * pairs);
                double2 r = {1, 0};
                const double b = max(i.x, i.y) < size ? a[at(i.x, i.y)] : 0;
                if (fabs(b) > least) {
                    const double tau = (a[at(i.y, i.y)] - a[at(i.x, i.x)]) / (2 * b);
                    const double t = copysign(1.0, tau) / (fabs(tau) + sqrt(1 + tau * tau));
                    r.x = 1 / sqrt(1 + t * t);
                    r.y = t * r.x;
                    turned = 1;
                }
                rotation[k] = r;
            }
            __syncthreads();
            for (int e = threadIdx.x; e < atRow(pairs); e += kThreads) {
                const int k = rowOf(e), l = e - atRow(k);
                const double2 rk = rotation[k], rl = rotation[l];
                if (rk.y == 0 && rl.y == 0) continue;
                const int2 i = pairOf(k, round, 2 * pairs);
                if (k == l)
                    turnOwn(a, i, rk);
                else
                    turn(a, i, pairOf(l, round, 2 * pairs), rk, rl, size);
            }
            for (int k = warp; k < pairs; k += kWarps) {
                const float c = rotation[k].x, s = rotation[k].y;
                if (s == 0) continue;
                const int2 i = pairOf(k, round, 2 * pairs);
                for (int j = lane; j < size; j += 32) {
                    const float x = v[i.x * size + j], y = v[i.y * size + j];
                    v[i.x * size + j] = c * x - s * y;
                    v[i.y * size + j] = s * x + c * y;
                }
            }
            __syncthreads();
        }
        if (turned == 0) break;
    }
}

// addVolumes adds the estimates of the places by eigenvectors of the volumes. parts holds size values for each warp.
__device__ void addVolumes(const Patch &patch, int m, const float *v, int rank, const int *wanted, const float *factor, float weight, float *parts)
{
    const int n = patch.p.volumes, lane = threadIdx.x % 32;
    float *part = parts + threadIdx.x / 32 * n;
    for (int k = threadIdx.x / 32; k < m; k += kWarps) {
        float *out = patch.out(k);
        if (out == nullptr) continue;
        const float *voxels = patch.voxels(k);
        for (int j = 0; j < rank; ++j) {
            float sum = 0;
            for (int c = lane; c < n; c += 32) sum = fmaf(voxels[c] - patch.mean[c], v[wanted[j] * n + c], sum);
            sum = sumOfWarp(sum);
            if (lane == 0) part[j] = factor[j] * sum;
        }
        __syncwarp();
        for (int c = lane; c < n; c += 32) {
            float sum = patch.mean[c];
            for (int j = 0; j < rank; ++j) sum = fmaf(part[j], v[wanted[j] * n + c], sum);
            out[c] += weight * sum;
        }
        __syncwarp();
    }
}

// addPlaces adds them by eigenvectors of the places.
__device__ void addPlaces(const Patch &patch, int m, const float *u, int rank, const int *wanted, const float *factor, float weight)
{
    for (int c = threadIdx.x; c < patch.p.volumes; c += kThreads) {
        for (int j = -1; j < rank; ++j) { // the mean, and the eigenvectors
            float part = patch.mean[c];
            const float *vector = j < 0 ? nullptr : u + wanted[j] * m;
            if (j >= 0) {
                part = 0;
                for (int k = 0; k < m; ++k) part = fmaf(vector[k], patch.voxels(k)[c] - patch.mean[c], part);
                part *= factor[j];
            }
            for (int k = 0; k < m; ++k)
                if (float *out = patch.out(k)) out[c] += weight * part * (j < 0 ? 1 : vector[k]);
        }
    }
}

extern "C" __global__ void __launch_bounds__(kThreads, 4)
lowrank_patches(const __grid_constant__ LowrankParams p)
{
    extern __shared__ double shared[]; // the means, values, and the matrices if there is no scratch memory
    __shared__ unsigned short used[kMostPlaces];
    __shared__ double2 rotation[kMostSize / 2];
    __shared__ float factor[kMostSize];
    __shared__ int wanted[kMostSize], count, rank;
    __shared__ double variance;
    const int n = p.volumes, lane = threadIdx.x % 32;
    float *mean = reinterpret_cast<float *>(shared);
    double *tile = shared + (n + 1) / 2, *a = p.scratch ? p.scratch + blockIdx.x * p.block : tile + p.chunk * p.size;
    float *v = reinterpret_cast<float *>(a + atRow(p.size));
    const int most = p.width[0] * p.width[1] * p.width[2], patches = p.starts[0].count * p.starts[1].count * p.starts[2].count;
    for (int i = blockIdx.x; i < patches; i += gridDim.x) {
        const int line = i / p.starts[0].count, layer = line / p.starts[1].count;
        const int k[3] = {i - line * p.starts[0].count, line - layer * p.starts[1].count, layer};
        int first[3];
        for (int c = 0; c < 3; ++c) first[c] = min(p.starts[c].first + k[c] * p.starts[c].stride, p.starts[c].last);
        const Patch patch = {p, first[0], first[1], first[2], used, mean};
        __syncthreads(); // the patch before is added
        if (threadIdx.x < 32) {
            int m = 0;
            double squares = 0;
            for (int from = 0; from < most; from += 32) {
                const int e = from + lane, row = e / p.width[0], dz = row / p.width[1], dy = row - dz * p.width[1], dx = e - row * p.width[0];
                const float sigma = e < most ? p.in.at((first[0] + dx) * (n + 1) + n, first[1] + dy, first[2] + dz) : 0;
                const unsigned uses = __ballot_sync(kAll, sigma > 0);
                if (sigma > 0) used[m + __popc(uses & ((1u << lane) - 1))] = static_cast<unsigned short>(dx | dy << 4 | dz << 8);
                squares += double(sigma) * sigma;
                m += __popc(uses);
            }
            squares = sumOfWarp(squares);
            if (lane == 0) count = m, variance = squares / m;
        }
        __syncthreads();
        const int m = count, size = min(m, n);
        if (m == 0) continue;
        for (int c = threadIdx.x; c < n; c += kThreads) {
            double sum = 0;
            for (int k = 0; k < m; ++k) sum += patch.voxels(k)[c];
            mean[c] = float(sum / m);
        }
        gram(patch, m, size, tile, a);
        diagonalise(a, v, size, rotation);
        if (threadIdx.x < 32) {
            int r = 0;
            for (int from = 0; from < size; from += 32) {
                const int k = from + lane;
                const double f = k < size ? shrink(a[at(k, k)] / variance, m - 1, n) : 0;
                const unsigned keeps = __ballot_sync(kAll, f > 0);
                if (f > 0) {
                    const int j = r + __popc(keeps & ((1u << lane) - 1));
                    wanted[j] = k;
                    factor[j] = float(f);
                }
                r += __popc(keeps);
            }
            if (lane == 0) rank = r;
        }
        __syncthreads();
        const float weight = 1.f / (1 + rank);
        if (size == n)
            addVolumes(patch, m, v, rank, wanted, factor, weight, reinterpret_cast<float *>(tile));
        else
            addPlaces(patch, m, v, rank, wanted, factor, weight);
        for (int k = threadIdx.x; k < m; k += kThreads)
            if (float *out = patch.out(k)) {
                out[n] += weight * rank;
                p.weight[(out - p.out.data) / (n + 1)] += weight;
            }
    }
}

// eachVoxel returns whether there is a voxel of a joined box for the thread, its place and its number there.
template <class T>
__device__ inline bool eachVoxel(const Box<T> &box, int volumes, int3 &at, int &c)
{
    const unsigned across = box.max[0] - box.min[0], down = box.max[1] - box.min[1];
    const std::size_t i = std::size_t(blockIdx.x) * kThreads + threadIdx.x, line = i / across;
    const int x = box.min[0] + int(i - line * across);
    at = {x / (volumes + 1), box.min[1] + int(line % down), box.min[2] + int(line / down)};
    c = x - at.x * (volumes + 1);
    return at.z < box.max[2];
}

extern "C" __global__ void __launch_bounds__(kThreads)
lowrank_clear(const __grid_constant__ LowrankParams p)
{
    int3 i;
    int c;
    if (!eachVoxel(p.out, p.volumes, i, c)) return;
    float *sum = &p.out.at(i.x * (p.volumes + 1) + c, i.y, i.z);
    *sum = 0;
    if (c == p.volumes) p.weight[(sum - p.out.data) / (p.volumes + 1)] = 0;
}

extern "C" __global__ void __launch_bounds__(kThreads)
lowrank_average(const __grid_constant__ LowrankParams p)
{
    int3 i;
    int c;
    if (!eachVoxel(p.out, p.volumes, i, c)) return;
    const int x = i.x * (p.volumes + 1) + c;
    float *sum = &p.out.at(x, i.y, i.z);
    const float weight = p.weight[(sum - p.out.data) / (p.volumes + 1)];
    *sum = weight > 0 ? *sum / weight : c < p.volumes ? p.in.at(x, i.y, i.z) : 0;
}

// aroundVoxel calls f with the voxels of the square of 3 x 3 around one that are in the series, in the slices around it up to deep.
template <class F>
__device__ inline void aroundVoxel(const LowrankLimitParams &p, int3 i, int c, int deep, F f)
{
    for (int z = max(i.z - deep, 0); z <= min(i.z + deep, p.dims[2] - 1); ++z)
        for (int y = max(i.y - 1, 0); y <= min(i.y + 1, p.dims[1] - 1); ++y)
            for (int x = max(i.x - 1, 0); x <= min(i.x + 1, p.dims[0] - 1); ++x) f(x * (p.volumes + 1) + c, y, z);
}

// common returns how far the mean over the volumes of what was removed of a place lies from 0, in standard deviations of noise.
__device__ inline float common(const LowrankLimitParams &p, int3 i, double sigma)
{
    double sum = 0, spread = 0;
    for (int c = 0; c < p.volumes; ++c) {
        const int x = i.x * (p.volumes + 1) + c;
        const double removed = double(p.in.at(x, i.y, i.z)) - p.estimates.at(x, i.y, i.z);
        sum += removed;
        spread += removed * removed;
    }
    return float(sum / sqrt(fmax(spread, p.volumes * sigma * sigma)));
}

// lowrank_mark marks the voxels with a mean around them that is beyond the limit. The mark of a place is common.
extern "C" __global__ void __launch_bounds__(kThreads)
lowrank_mark(const __grid_constant__ LowrankLimitParams p)
{
    int3 i;
    int c;
    if (!eachVoxel(p.out, p.volumes, i, c)) return;
    const int here = i.x * (p.volumes + 1);
    double sum = 0, squares = 0;
    const float sigma = p.in.at(here + p.volumes, i.y, i.z);
    if (c < p.volumes && sigma > 0)
        aroundVoxel(p, i, c, 1, [&](int x, int y, int z) {
            const double most = p.limit * p.in.at(x - c + p.volumes, y, z), removed = double(p.in.at(x, y, z)) - p.estimates.at(x, y, z);
            if (most > 0 && fabs(removed) <= most) {
                sum += removed;
                squares += most * most;
            }
        });
    p.out.at(here + c, i.y, i.z) = c < p.volumes ? sum * sum > squares : sigma > 0 ? common(p, i, sigma) : 0;
}

extern "C" __global__ void __launch_bounds__(kThreads)
lowrank_restore(const __grid_constant__ LowrankLimitParams p)
{
    int3 i;
    int c;
    if (!eachVoxel(p.out, p.volumes, i, c)) return;
    const int here = i.x * (p.volumes + 1);
    const double sigma = p.in.at(here + p.volumes, i.y, i.z), most = p.limit * sigma;
    float estimate = p.estimates.at(here + c, i.y, i.z);
    bool restored = false;
    if (c < p.volumes && most > 0) {
        restored = fabs(double(p.in.at(here + c, i.y, i.z)) - estimate) > most;
        aroundVoxel(p, i, c, 1, [&](int x, int y, int z) { restored = restored || p.marks.at(x, y, z) > 0; });
        int n = 0;
        double squares = 0;
        aroundVoxel(p, i, p.volumes, 0, [&](int x, int y, int z) {
            const double mean = p.marks.at(x, y, z);
            squares += mean * mean;
            n += p.in.at(x, y, z) > 0;
        });
        if (squares > n + 5 * sqrt(2.0 * n)) estimate += float(p.marks.at(here + p.volumes, i.y, i.z) * sigma / sqrt(double(p.volumes)));
    }
    p.out.at(here + c, i.y, i.z) = restored ? 3.402823466e38f : estimate; // denoise.Restored
}
