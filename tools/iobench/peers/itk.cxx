// Opens the series in a folder with ITK's GDCM reader, as Slicer does: sorted by GDCMSeriesFileNames, into one volume of
// floats. Prints the milliseconds, or with "version" ITK's version.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <itkGDCMImageIO.h>
#include <itkGDCMSeriesFileNames.h>
#include <itkImage.h>
#include <itkImageSeriesReader.h>
#include <itkVersion.h>

int main(int argc, char** argv) {
  if (argc == 2 && !std::strcmp(argv[1], "version")) {
    std::printf("%s\n", itk::Version::GetITKVersion());
    return 0;
  }
  if (argc != 2) return 2;
  try {
    auto start = std::chrono::steady_clock::now();
    auto names = itk::GDCMSeriesFileNames::New();
    names->SetDirectory(argv[1]);
    auto reader = itk::ImageSeriesReader<itk::Image<float, 3>>::New();
    reader->SetImageIO(itk::GDCMImageIO::New());
    reader->SetFileNames(names->GetInputFileNames());
    reader->Update();
    std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    if (reader->GetOutput()->GetLargestPossibleRegion().GetSize()[2] < 2) throw std::runtime_error("no volume");
    std::printf("%.1f\n", took.count());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "itk: %s\n", e.what());
    return 1;
  }
}
