// Non-local means in three dimensions, from the formula to the kernel that ships.
//
//   nvcc -O3 -std=c++17 -arch=native -o nlm3d ladder/nlm3d.cu && ./nlm3d
//
// version 1: the formula: one thread per voxel, a whole patch per pair
// version 2: the tile of the search region in shared memory
// version 3: offset by offset: squared differences, then a sum along each axis,
//            then the weights, all through global memory
// version 4: ../nlm.cuh: offset by offset too, but one kernel: differences and
//            sums in registers, the tile in shared memory, the sums along x by
//            shuffles
//
// Patches of 3^3 voxels with Gaussian weights and a search region of 7^3, as in Upadhya
// 2018; the centre weighs as much as the best neighbour. Every version is compared with
// the float64 reference before any is timed.
#include "../nlm.cu"
#include "ladder.h"
#include "reference.h"

constexpr int kPatch = 1, kSearch = 3;
constexpr float kH = 10;
constexpr float kMiddle = 0.45186276f, kBeside = 0.27406862f; // exp(-k^2 / 2), normalised

static Recipe recipe()
{
    Recipe r = nlmRecipe(3, kPatch, kSearch, 1);
    r.h = kH;
    return r;
}

struct Size {
    int x, y, z;
    __device__ size_t index(int i, int j, int k) const { return (size_t(k) * y + j) * x + i; }
    __device__ bool has(int i, int j, int k) const { return i >= 0 && i < x && j >= 0 && j < y && k >= 0 && k < z; }
};

__device__ inline float tap(int k) { return k == 0 ? kMiddle : kBeside; }

__global__ void nlm1(const float *in, float *out, Size n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x >= n.x || y >= n.y) return;
    float v = in[n.index(x, y, z)], num = 0, den = 0, most = 0;
    for (int jz = max(0, z - kSearch); jz <= min(n.z - 1, z + kSearch); ++jz)
        for (int jy = max(0, y - kSearch); jy <= min(n.y - 1, y + kSearch); ++jy)
            for (int jx = max(0, x - kSearch); jx <= min(n.x - 1, x + kSearch); ++jx) {
                if (jx == x && jy == y && jz == z) continue;
                float d = 0;
                for (int kz = -1; kz <= 1; ++kz)
                    for (int ky = -1; ky <= 1; ++ky)
                        for (int kx = -1; kx <= 1; ++kx) {
                            float e = in[n.index(mirror(x + kx, n.x), mirror(y + ky, n.y), mirror(z + kz, n.z))] -
                                      in[n.index(mirror(jx + kx, n.x), mirror(jy + ky, n.y), mirror(jz + kz, n.z))];
                            d += tap(kx) * tap(ky) * tap(kz) * e * e;
                        }
                float w = expf(-d / (kH * kH));
                num += w * (in[n.index(jx, jy, jz)] - v);
                den += w;
                most = fmaxf(most, w);
            }
    out[n.index(x, y, z)] = v + num / (den + most);
}

// Version 2: every voxel that the block can reach, mirrored, read once.
constexpr int kReach = kPatch + kSearch, kW = 32, kH2 = 4, kD = 2;

__global__ void nlm2(const float *in, float *out, Size n)
{
    __shared__ float tile[kD + 2 * kReach][kH2 + 2 * kReach][kW + 2 * kReach];
    int x0 = blockIdx.x * kW, y0 = blockIdx.y * kH2, z0 = blockIdx.z * kD;
    int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
    for (int k = tz; k < kD + 2 * kReach; k += kD)
        for (int j = ty; j < kH2 + 2 * kReach; j += kH2)
            for (int i = tx; i < kW + 2 * kReach; i += kW)
                tile[k][j][i] = in[n.index(mirror(x0 + i - kReach, n.x), mirror(y0 + j - kReach, n.y), mirror(z0 + k - kReach, n.z))];
    __syncthreads();
    int x = x0 + tx, y = y0 + ty, z = z0 + tz;
    if (!n.has(x, y, z)) return;
    int cx = tx + kReach, cy = ty + kReach, cz = tz + kReach;
    float v = tile[cz][cy][cx], num = 0, den = 0, most = 0;
    for (int oz = -kSearch; oz <= kSearch; ++oz)
        for (int oy = -kSearch; oy <= kSearch; ++oy)
            for (int ox = -kSearch; ox <= kSearch; ++ox) {
                if ((ox == 0 && oy == 0 && oz == 0) || !n.has(x + ox, y + oy, z + oz)) continue;
                float d = 0;
#pragma unroll
                for (int kz = -1; kz <= 1; ++kz)
#pragma unroll
                    for (int ky = -1; ky <= 1; ++ky)
#pragma unroll
                        for (int kx = -1; kx <= 1; ++kx) {
                            float e = tile[cz + kz][cy + ky][cx + kx] - tile[cz + oz + kz][cy + oy + ky][cx + ox + kx];
                            d += tap(kx) * tap(ky) * tap(kz) * e * e;
                        }
                float w = expf(-d / (kH * kH));
                num += w * (tile[cz + oz][cy + oy][cx + ox] - v);
                den += w;
                most = fmaxf(most, w);
            }
    out[n.index(x, y, z)] = v + num / (den + most);
}

// Version 3: one pass for the squares summed along x, one along y, one along z
// with the weights. The images of a pass reach one voxel further along the axes
// that are still to be summed.
struct Sums3 {
    float *num, *den, *most;
};

__device__ inline float square(const float *in, Size n, int x, int y, int z, int3 o)
{
    float e = in[n.index(mirror(x, n.x), mirror(y, n.y), mirror(z, n.z))] -
              in[n.index(mirror(x + o.x, n.x), mirror(y + o.y, n.y), mirror(z + o.z, n.z))];
    return e * e;
}

__global__ void nlm3Rows(const float *in, float *rows, Size n, int3 o) // n.x x (n.y+2) x (n.z+2)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = int(blockIdx.y * blockDim.y + threadIdx.y) - 1, z = int(blockIdx.z) - 1;
    if (x >= n.x || y > n.y) return;
    float s = kMiddle * square(in, n, x, y, z, o) + kBeside * (square(in, n, x - 1, y, z, o) + square(in, n, x + 1, y, z, o));
    rows[(size_t(z + 1) * (n.y + 2) + y + 1) * n.x + x] = s;
}

__global__ void nlm3Columns(const float *rows, float *columns, Size n) // n.x x n.y x (n.z+2)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = int(blockIdx.z) - 1;
    if (x >= n.x || y >= n.y) return;
    const float *at = rows + (size_t(z + 1) * (n.y + 2) + y) * n.x + x;
    columns[(size_t(z + 1) * n.y + y) * n.x + x] = kMiddle * at[n.x] + kBeside * (at[0] + at[2 * n.x]);
}

__global__ void nlm3Weights(const float *in, const float *columns, Sums3 sums, Size n, int3 o)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x >= n.x || y >= n.y || !n.has(x + o.x, y + o.y, z + o.z)) return;
    size_t i = n.index(x, y, z), plane = size_t(n.x) * n.y;
    float d = kMiddle * columns[i + plane] + kBeside * (columns[i] + columns[i + 2 * plane]);
    float w = expf(-d / (kH * kH));
    sums.num[i] += w * (in[n.index(x + o.x, y + o.y, z + o.z)] - in[i]);
    sums.den[i] += w;
    sums.most[i] = fmaxf(sums.most[i], w);
}

__global__ void nlm3Result(const float *in, Sums3 sums, float *out, size_t voxels)
{
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < voxels) out[i] = in[i] + sums.num[i] / (sums.den[i] + sums.most[i]);
}

// Scratch is version 3's memory.
struct Scratch {
    float *rows, *columns;
    Sums3 sums;

    explicit Scratch(Size n)
    {
        size_t voxels = size_t(n.x) * n.y * n.z;
        CHECK(cudaMalloc(&rows, size_t(n.x) * (n.y + 2) * (n.z + 2) * 4));
        CHECK(cudaMalloc(&columns, size_t(n.x) * n.y * (n.z + 2) * 4));
        CHECK(cudaMalloc(&sums.num, voxels * 4));
        CHECK(cudaMalloc(&sums.den, voxels * 4));
        CHECK(cudaMalloc(&sums.most, voxels * 4));
    }
    ~Scratch()
    {
        for (float *p : {rows, columns, sums.num, sums.den, sums.most}) cudaFree(p);
    }
};

static void launch3(const float *in, float *out, Size n, const Scratch &s)
{
    size_t voxels = size_t(n.x) * n.y * n.z;
    for (float *p : {s.sums.num, s.sums.den, s.sums.most}) CHECK(cudaMemset(p, 0, voxels * 4));
    dim3 block(32, 8), grid((n.x + 31) / 32, (n.y + 7) / 8, n.z);
    dim3 gridRows((n.x + 31) / 32, (n.y + 2 + 7) / 8, n.z + 2), gridColumns(grid.x, grid.y, n.z + 2);
    for (int oz = -kSearch; oz <= kSearch; ++oz)
        for (int oy = -kSearch; oy <= kSearch; ++oy)
            for (int ox = -kSearch; ox <= kSearch; ++ox) {
                if (ox == 0 && oy == 0 && oz == 0) continue;
                int3 o = make_int3(ox, oy, oz);
                nlm3Rows<<<gridRows, block>>>(in, s.rows, n, o);
                nlm3Columns<<<gridColumns, block>>>(s.rows, s.columns, n);
                nlm3Weights<<<grid, block>>>(in, s.columns, s.sums, n, o);
            }
    nlm3Result<<<unsigned((voxels + 255) / 256), 256>>>(in, s.sums, out, voxels);
}

// launch4 starts what ships, with one launch more for the columns at the right edge of some volumes.
static void launch4(const float *in, float *out, Size n)
{
    Field f{};
    f.in = in;
    f.out = out;
    const int dims[3] = {n.x, n.y, n.z};
    std::copy(dims, dims + 3, f.dims);
    std::copy(dims, dims + 3, f.max);
    f.slices = n.z;
    for (const Launch &l : nlmLaunches(recipe(), f)) {
        NlmParams p;
        std::memcpy(&p, l.args.data(), sizeof p);
        nlm_3d_f1<<<l.grid, dim3(l.block[0], l.block[1]), l.shared>>>(p);
    }
}

static void launch(int version, const float *in, float *out, Size n, const Scratch &s)
{
    dim3 block(32, 8), grid((n.x + 31) / 32, (n.y + 7) / 8, n.z);
    if (version == 1) nlm1<<<grid, block>>>(in, out, n);
    if (version == 2) nlm2<<<dim3((n.x + kW - 1) / kW, (n.y + kH2 - 1) / kH2, (n.z + kD - 1) / kD), dim3(kW, kH2, kD)>>>(in, out, n);
    if (version == 3) launch3(in, out, n, s);
    if (version == 4) launch4(in, out, n);
    CHECK(cudaGetLastError());
}

int main()
{
    constexpr int kVersions = 4;
    auto run = [](Size n, auto use) {
        std::vector<float> in = noisyVolume(n.x, n.y, n.z);
        float *dIn, *dOut;
        CHECK(cudaMalloc(&dIn, in.size() * 4));
        CHECK(cudaMalloc(&dOut, in.size() * 4));
        CHECK(cudaMemcpy(dIn, in.data(), in.size() * 4, cudaMemcpyHostToDevice));
        Scratch scratch(n);
        use(in, dIn, dOut, scratch);
        CHECK(cudaFree(dIn));
        CHECK(cudaFree(dOut));
    };
    bool good = true;
    const Size small = {67, 33, 9}, paper = {181, 217, 51};
    run(small, [&](const std::vector<float> &in, float *dIn, float *dOut, const Scratch &s) {
        const std::vector<float> want = reference(recipe(), in, small.x, small.y, small.z);
        for (int version = 1; version <= kVersions; ++version) {
            std::vector<float> out(in.size());
            CHECK(cudaMemset(dOut, 0xFF, out.size() * 4));
            launch(version, dIn, dOut, small, s);
            CHECK(cudaMemcpy(out.data(), dOut, out.size() * 4, cudaMemcpyDeviceToHost));
            std::printf("version %d: ", version);
            good &= agrees(out, want);
        }
    });
    if (!good) return 1;
    run(paper, [&](const std::vector<float> &in, float *dIn, float *dOut, const Scratch &s) {
        double pairs = double(in.size()) * std::pow(2 * kSearch + 1, 3);
        for (int version = 1; version <= kVersions; ++version) {
            float ms = milliseconds(10, [&] { launch(version, dIn, dOut, paper, s); });
            std::printf("version %d: %8.3f ms, %6.1f G pairs/s\n", version, ms, pairs / ms * 1e-6);
        }
    });
}
