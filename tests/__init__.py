"""The tests. What several of them use is in `tests.support`, slow twins of the kernels in `tests.support.twins`."""
