// Reads the files of a folder with dcmtk, in the order of their names: all elements, and the pixels, decompressed if
// necessary, as floats in one volume. It computes no geometry. Prints the milliseconds, or with "version" dcmtk's version.
#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dctk.h>
#include <dcmtk/dcmjpeg/djdecode.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc == 2 && !std::strcmp(argv[1], "version")) {
    std::printf("%s\n", OFFIS_DCMTK_VERSION_STRING);
    return 0;
  }
  if (argc != 2) return 2;
  DJDecoderRegistration::registerCodecs();
  auto start = std::chrono::steady_clock::now();
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) names.push_back(entry.path().string());
  std::sort(names.begin(), names.end());
  std::vector<float> volume;
  for (size_t z = 0; z < names.size(); z++) {
    DcmFileFormat file;
    OFCondition ok = file.loadFile(names[z].c_str());
    DcmDataset* data = file.getDataset();
    if (ok.good()) ok = data->chooseRepresentation(EXS_LittleEndianExplicit, nullptr);
    Uint16 rows = 0, cols = 0, is_signed = 0;
    Float64 slope = 1, inter = 0;
    const Uint16* pixels = nullptr;
    unsigned long count = 0;
    if (ok.good()) ok = data->findAndGetUint16(DCM_Rows, rows);
    if (ok.good()) ok = data->findAndGetUint16(DCM_Columns, cols);
    if (ok.good()) ok = data->findAndGetUint16(DCM_PixelRepresentation, is_signed);
    if (ok.good()) ok = data->findAndGetUint16Array(DCM_PixelData, pixels, &count);
    if (ok.bad()) {
      std::fprintf(stderr, "dcmtk: %s: %s\n", names[z].c_str(), ok.text());
      return 1;
    }
    data->findAndGetFloat64(DCM_RescaleSlope, slope);
    data->findAndGetFloat64(DCM_RescaleIntercept, inter);
    size_t n = size_t(rows) * cols;
    if (volume.empty()) volume.resize(n * names.size());
    if (count < n) return 1;
    float* out = volume.data() + z * n;
    if (is_signed) {
      for (size_t i = 0; i < n; i++) out[i] = float(Sint16(pixels[i]) * slope + inter);
    } else {
      for (size_t i = 0; i < n; i++) out[i] = float(pixels[i] * slope + inter);
    }
  }
  std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  std::printf("%.1f\n", took.count());
}
