"""The benchmark: questions of each query type with answers that can be checked, by which models are profiled."""
