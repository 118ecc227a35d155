// itkfiles writes the NRRD and MetaImage files of the tests with ITK and prints what ITK reads back: for each
// file the sizes, the positions in LPS+ mm of the first, second (along each axis) and last voxel, and sums.
//
//   g++ -O1 -I/usr/include/ITK-5.2 itkfiles.cpp -o itkfiles -lITKIONRRD-5.2 -lITKIOMeta-5.2 -lITKMetaIO-5.2 \
//     -lITKNrrdIO-5.2 -lITKIOImageBase-5.2 -lITKCommon-5.2 -litksys-5.2 -lITKVNLInstantiation-5.2 -litkvnl-5.2 -litkvnl_algo-5.2
//   cd io; ./itkfiles write nrrd/testdata metaimage/testdata
//   ./itkfiles read nrrd/testdata/*.n???  > nrrd/testdata/facts.json; likewise of metaimage/testdata/*.mh?
#include "itkImage.h"
#include "itkImageFileReader.h"
#include "itkImageFileWriter.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkMetaImageIO.h"
#include "itkNrrdImageIO.h"
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

static itk::ImageIOBase::Pointer ioFor(const std::string & path)
{
  if (path.find(".nrrd") != std::string::npos || path.find(".nhdr") != std::string::npos)
    return itk::NrrdImageIO::New().GetPointer();
  return itk::MetaImageIO::New().GetPointer();
}

template <class T, unsigned D>
void write(const std::string & path, bool compress)
{
  using Image = itk::Image<T, D>;
  auto image = Image::New();
  typename Image::RegionType region;
  typename Image::SpacingType spacing;
  typename Image::PointType origin;
  typename Image::DirectionType direction;
  direction.SetIdentity();
  const int size[4] = { 7, 6, 5, 3 };
  const double step[4] = { 0.75, 0.875, 2.5, 1.5 }, first[4] = { -120.25, 85.5, -310.75, 0 };
  for (unsigned i = 0; i < D; ++i)
  {
    region.SetSize(i, size[i]);
    spacing[i] = step[i];
    origin[i] = first[i];
  }
  if (D >= 3)
  { // a rotation about z, then about x
    const double a = 0.3, b = -0.4;
    const double r[3][3] = { { cos(a), -sin(a), 0 }, { cos(b) * sin(a), cos(b) * cos(a), -sin(b) }, { sin(b) * sin(a), sin(b) * cos(a), cos(b) } };
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        direction[i][j] = r[i][j];
  }
  image->SetRegions(region);
  image->SetSpacing(spacing);
  image->SetOrigin(origin);
  image->SetDirection(direction);
  image->Allocate();
  long n = 0;
  for (itk::ImageRegionIteratorWithIndex<Image> it(image, region); !it.IsAtEnd(); ++it, ++n)
    it.Set(static_cast<T>((n * 37) % 120 + (std::is_floating_point<T>::value ? 0.25 : 0)));
  auto writer = itk::ImageFileWriter<Image>::New();
  writer->SetImageIO(ioFor(path));
  writer->SetInput(image);
  writer->SetFileName(path);
  writer->SetUseCompression(compress);
  writer->Update();
}

template <unsigned D>
void print(const std::string & path)
{
  using Image = itk::Image<double, D>;
  auto reader = itk::ImageFileReader<Image>::New();
  reader->SetImageIO(ioFor(path));
  reader->SetFileName(path);
  reader->Update();
  auto image = reader->GetOutput();
  auto size = image->GetLargestPossibleRegion().GetSize();
  std::string name = path.substr(path.rfind('/') + 1);
  printf("{\"name\": \"%s\", \"dims\": [%d, %d, %d], \"volumes\": %d, \"positions\": [", name.c_str(), int(size[0]), int(size[1]), D > 2 ? int(size[2]) : 1, D > 3 ? int(size[3]) : 1);
  for (int k = 0; k < 5; ++k)
  {
    typename Image::IndexType index;
    index.Fill(0);
    if (k >= 1 && k <= 3 && k <= int(D))
      index[k - 1] = 1;
    if (k == 4)
      for (unsigned i = 0; i < D && i < 3; ++i)
        index[i] = size[i] - 1;
    typename Image::PointType p;
    image->TransformIndexToPhysicalPoint(index, p);
    printf("%s[%.10g, %.10g, %.10g]", k ? ", " : "", p[0], p[1], D > 2 ? p[2] : 0.0);
  }
  double sum = 0, weighted = 0;
  long n = 0, all = long(size[0]) * size[1] * (D > 2 ? size[2] : 1);
  for (itk::ImageRegionIteratorWithIndex<Image> it(image, image->GetLargestPossibleRegion()); !it.IsAtEnd() && n < all; ++it, ++n)
  {
    sum += it.Get();
    weighted += it.Get() * (n % 1000);
  }
  printf("], \"sum\": %.12g, \"weighted\": %.12g}", sum, weighted);
}

int main(int argc, char ** argv)
{
  if (argc > 3 && !strcmp(argv[1], "write"))
  {
    const std::string dir = std::string(argv[2]) + "/", meta = std::string(argv[3]) + "/";
    write<short, 3>(dir + "short.nrrd", false);
    write<short, 3>(dir + "packed.nrrd", true);
    write<unsigned char, 3>(dir + "detached.nhdr", false);
    write<float, 3>(dir + "detached-packed.nhdr", true);
    write<double, 2>(dir + "flat.nrrd", false);
    write<int, 4>(dir + "four.nrrd", true);
    write<short, 3>(meta + "short.mha", false);
    write<unsigned short, 3>(meta + "packed.mha", true);
    write<signed char, 3>(meta + "detached.mhd", false);
    write<float, 3>(meta + "detached-packed.mhd", true);
    write<unsigned int, 2>(meta + "flat.mha", false);
    write<double, 4>(meta + "four.mha", true);
    return 0;
  }
  printf("[\n");
  for (int i = 2; i < argc; ++i)
  {
    auto io = ioFor(argv[i]);
    io->SetFileName(argv[i]);
    io->ReadImageInformation();
    switch (io->GetNumberOfDimensions())
    {
      case 2: print<2>(argv[i]); break;
      case 3: print<3>(argv[i]); break;
      default: print<4>(argv[i]);
    }
    printf(i + 1 < argc ? ",\n" : "\n");
  }
  printf("]\n");
  return 0;
}
