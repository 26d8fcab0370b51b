"""Distributes work: jobs are done by threads of this process or by the workers of a Ray cluster.

An item describes a job completely, and a maker returns workers that do jobs, so results do not depend on which worker
does a job. Kernels run without the GIL, so threads suffice on one machine. If a Ray worker dies, its job is
repeated. Ray (https://www.ray.io) is an optional extra, imported when requested.
"""

import functools
import importlib
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator
from inspect import GEN_CLOSED, getgeneratorstate
from typing import Any, Generic, Protocol, Self, TypeVar

from shogi_engine.common.threads import results_on_threads

Item = TypeVar("Item")
Result = TypeVar("Result")
Item_contra = TypeVar("Item_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)

RETRIES = 100  # maximum number of repetitions of a job whose workers died
LOCAL = {"address": "local", "include_dashboard": False}  # started here, though another one may be running
STOP_TIMEOUT = 5.0  # timeout in seconds for running jobs that are no longer needed
AHEAD = 4  # jobs submitted for each core of the cluster


class Worker(Protocol[Item_contra, Result_co]):
    """Does jobs, one at a time."""

    def do(self, item: Item_contra) -> Result_co:
        """Return the result of a job."""

    def close(self) -> None:
        """Free all resources; may be called from any thread and more than once.

        If it is called during a job, the job's result is no longer needed.
        """


class Maker(Hashable, Protocol[Item_contra, Result_co]):
    """Makes workers; hashable, and picklable for a cluster."""

    def __call__(self) -> Worker[Item_contra, Result_co]:
        """Return a new worker."""


def load_ray() -> Any:
    """Return the module ray; raises ValueError if it is not installed."""
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise ValueError("--cluster needs ray, which is not installed: pip install ray") from None


# ---- in a worker process of a cluster ----------------------------------------------------------------------------


@functools.lru_cache(maxsize=1)
def _worker_here(maker: Maker[Any, Any]) -> Worker[Any, Any]:
    """Return this process's worker; a process may serve one maker after another, but not alternate between two."""
    return maker()


def do_piece(maker: Maker[Item, Result], item: Item) -> tuple[Item, Result]:
    """Do a job in a worker process."""
    return item, _worker_here(maker).do(item)


def in_order(results: Iterable[tuple[Item, Result]], number: Callable[[Item], int]) -> Iterator[Result]:
    """Yield the results of jobs numbered from 0 in that order, each as soon as possible."""
    early: dict[int, Result] = {}
    expected = 0
    for item, result in results:
        early[number(item)] = result
        while expected in early:
            yield early.pop(expected)
            expected += 1


# ---- in the calling process --------------------------------------------------------------------------------------


class Pool(Generic[Item, Result]):
    """Workers, here or on a cluster: `with Pool(maker, 2) as pool: for item, result in pool.results(...)`.

    Args:
        maker: makes the workers
        workers: the number of threads, or with the cluster 'local' of its processes
        cluster: '' for none, 'auto' for the cluster that this machine belongs to, 'local' for one on this machine, or
            an address
        cores: the number of cores that a job needs

    Raises:
        ValueError: Ray is not installed
        ConnectionError: there is no such cluster
    """

    def __init__(
        self, maker: Maker[Item, Result], workers: int = 1, cluster: str = "", *, name: str = "work", cores: int = 1
    ) -> None:
        self._maker, self._workers, self._cluster = maker, workers, cluster
        self._name, self._cores = name, cores
        self._idle: list[Worker[Item, Result]] = []
        self._asked: list[Generator[tuple[Item, Result], None, None]] = []
        self._ray: Any = None
        self._own = False

    def __enter__(self) -> Self:
        if self._cluster:
            self._ray = load_ray()
            self._own = not self._ray.is_initialized()
        if self._own:
            local = self._cluster == "local"
            where = {"num_cpus": self._workers * self._cores} if local else {"address": self._cluster}
            self._ray.init(**where, log_to_driver=False, logging_level="error", **LOCAL if local else {})
        return self

    def __exit__(self, *_: object) -> None:
        for results in self._asked:
            results.close()
        for worker in self._idle:
            worker.close()
        self._idle = []
        if self._own:
            self._ray.shutdown()

    def results(self, items: Iterable[Item]) -> Generator[tuple[Item, Result], None, None]:
        """Yield (item, result) of all jobs as they finish, in any order. Raises a job's exception.

        When no more results are needed, at the latest when the pool is left, running jobs are stopped.
        """
        results = self._on_ray(iter(items)) if self._ray is not None else self._on_threads(list(items))
        self._asked = [each for each in self._asked if getgeneratorstate(each) != GEN_CLOSED]
        self._asked.append(results)
        return results

    def _on_threads(self, items: list[Item]) -> Generator[tuple[Item, Result], None, None]:
        used: list[Worker[Item, Result]] = []

        def work(_: int) -> Callable[[Item], Result]:
            used.append(self._idle.pop() if self._idle else self._maker())
            return used[-1].do

        def close() -> None:
            for worker in list(used):
                worker.close()

        done = False
        try:
            yield from results_on_threads(work, items, self._workers, self._name, close, STOP_TIMEOUT)
            done = True
        finally:
            if done:
                self._idle += used
            else:
                close()

    def _on_ray(self, items: Iterator[Item]) -> Generator[tuple[Item, Result], None, None]:
        ray = self._ray
        waiting: list[Any] = []
        task, shared = ray.remote(max_retries=RETRIES, num_cpus=self._cores)(do_piece), ray.put(self._maker)
        try:
            while True:
                places = max(ray.cluster_resources().get("CPU", 1.0) / self._cores, 1.0)
                spare = int(AHEAD * places) - len(waiting)
                waiting += [task.remote(shared, item) for _, item in zip(range(spare), items, strict=False)]
                if not waiting:
                    return
                finished, waiting = ray.wait(waiting)
                try:
                    found = ray.get(finished)
                except ray.exceptions.RayTaskError as fault:
                    raise fault.cause from fault
                yield from found
        finally:
            for each in waiting:
                ray.cancel(each, force=True)
