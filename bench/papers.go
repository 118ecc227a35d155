package bench

// Paper is a paper with experiments that are reproduced.
type Paper struct {
	Key     string `json:"key"`     // "zheng"
	Authors string `json:"authors"` // with the year
	Title   string `json:"title"`
	Machine string `json:"machine"` // what its figures were measured on
}

var (
	zheng = Paper{
		Key: "zheng", Authors: "Zheng, Xu, Mueller 2011", Title: "Performance Tuning for CUDA-Accelerated Neighborhood Denoising Filters",
		Machine: "GeForce GTX 480, Core 2 Duo at 2.66 GHz",
	}
	upadhya = Paper{
		Key: "upadhya", Authors: "Upadhya 2018", Title: "GPU Accelerated Non-Local Means Image Denoising",
		Machine: "GeForce GTX 950M, Core i7-7500U (one thread)",
	}
	bethel = Paper{
		Key: "bethel", Authors: "Bethel 2012", Title: "Exploration of Optimization Options for Increasing Performance of a GPU Implementation of a Three-dimensional Bilateral Filter",
		Machine: "GeForce GTX 280, Opteron 270 at 2.0 GHz (one thread)",
	}
	horacek = Paper{
		Key: "horacek", Authors: "Horacek, Kolomaznik, Pelikan, Horak 2011", Title: "Denoising Volumetric Data on GPU",
		Machine: "GeForce 8800 GT, GTX 275 and GTX 460, Core i7 at 3.07 GHz and Core 2 Quad at 2.4 GHz",
	}
	klepaczko = Paper{
		Key: "klepaczko", Authors: "Klepaczko 2013", Title: "A GPU Accelerated Local Polynomial Approximation Algorithm for Efficient Denoising of MR Images",
		Machine: "GeForce GTX 560M, Core i7-2630QM (one thread)",
	}
)
