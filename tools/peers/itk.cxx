// Filters a NIfTI volume with one of ITK's filters and prints the CPU seconds (user and
// system, all threads) of the filter alone, the least of so many runs, or fewer after so many seconds:
//   itk median|bilateral RUNS SECONDS IN OUT
// The parameters are those of peers.py.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "itkBilateralImageFilter.h"
#include "itkImageFileReader.h"
#include "itkImageFileWriter.h"
#include "itkMedianImageFilter.h"

using Image = itk::Image<float, 3>;

static double seconds() {
	rusage r;
	getrusage(RUSAGE_SELF, &r);
	return r.ru_utime.tv_sec + r.ru_stime.tv_sec + 1e-6 * (r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

static Image::Pointer filtered(const std::string& name, Image::Pointer in) {
	Image::SizeType radius;
	if (name == "median") {
		auto f = itk::MedianImageFilter<Image, Image>::New();
		radius.Fill(1);
		f->SetRadius(radius);
		f->SetInput(in);
		f->Update();
		return f->GetOutput();
	}
	auto f = itk::BilateralImageFilter<Image, Image>::New();
	radius.Fill(3);
	f->AutomaticKernelSizeOff();
	f->SetRadius(radius);
	f->SetDomainSigma(1.5);
	f->SetRangeSigma(24);
	f->SetInput(in);
	f->Update();
	return f->GetOutput();
}

int main(int argc, char** argv) {
	if (argc != 6) {
		std::cerr << "usage: itk median|bilateral RUNS SECONDS IN OUT\n";
		return 2;
	}
	try {
		auto in = itk::ReadImage<Image>(argv[4]);
		double least = 1e300, sum = 0;
		Image::Pointer out;
		for (int i = 0; i < std::atoi(argv[2]) && sum < std::atof(argv[3]); i++) {
			double before = seconds();
			out = filtered(argv[1], in);
			double used = seconds() - before;
			least = std::min(least, used);
			sum += used;
		}
		itk::WriteImage(out, argv[5]);
		std::printf("%.4f\n", least);
	} catch (const itk::ExceptionObject& e) {
		std::cerr << e << "\n";
		return 1;
	}
}
