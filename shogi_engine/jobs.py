"""One way to spread work: pieces done by threads of this process or by the workers of a Ray cluster.

A piece is an item that says all there is to say about it, and a maker returns what does pieces, so results do not
depend on who did which. Kernels run without the GIL, so threads are enough on one machine. A Ray worker that dies costs
the piece it was at: that one is done again. Ray (https://www.ray.io) is an optional extra, imported where asked for.
"""

import contextlib
import functools
import importlib
import tempfile
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from shogi_engine.threads import results_on_threads

Item = TypeVar("Item")
Result = TypeVar("Result")
Item_contra = TypeVar("Item_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)

RETRIES = 100  # of a piece whose worker died
AHEAD = 4  # pieces that are handed out for each core of the cluster


class Worker(Protocol[Item_contra, Result_co]):
    """Does pieces, one at a time, in the thread that it was made in."""

    def do(self, item: Item_contra) -> Result_co:
        """Return the result of a piece."""

    def close(self) -> None:
        """Free what it holds; from any thread, while a piece is being done too: that piece is not wanted any more."""


class Maker(Hashable, Protocol[Item_contra, Result_co]):
    """Makes workers; hashable, and picklable for a cluster.

    warm_up : what is done once on each machine before its first worker begins, such as compiling kernels.
    """

    def __call__(self) -> Worker[Item_contra, Result_co]:
        """Return a new worker."""

    def warm_up(self) -> None:
        """Prepare the machine; one process of it at a time."""


def load_ray() -> Any:
    """Return the module ray; raises ValueError if it is not installed."""
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise ValueError("--cluster needs ray, which is not installed: pip install 'shogi-engine[ray]'") from None


def spread(
    maker: Maker[Item, Result],
    items: Sequence[Item],
    *,
    workers: int = 1,
    cluster: str = "",
    name: str = "work",
    cores: int = 1,
) -> Iterator[tuple[Item, Result]]:
    """Yield (item, result) of all pieces, as they are finished, in any order. Raises what a piece raised.

    workers : threads of this process; with the cluster 'local', its processes    cluster : '' for none, 'auto' for the
    one that this machine belongs to, 'local' for one of this machine, or an address    cores : that a piece needs
    Once nobody wants more, pieces at work are cut short. Raises ValueError if there is no Ray.
    """
    if cluster:
        return _on_ray(load_ray(), maker, items, cluster, workers, cores)
    return _on_threads(maker, items, workers, name)


def _on_threads(
    maker: Maker[Item, Result], items: Sequence[Item], threads: int, name: str
) -> Iterator[tuple[Item, Result]]:
    made: list[Worker[Item, Result]] = []

    def work(_: int) -> Callable[[Item], Result]:
        made.append(maker())
        return made[-1].do

    def close() -> None:
        for worker in list(made):
            worker.close()

    try:
        yield from results_on_threads(work, items, threads, name, close)
    finally:
        close()


# ---- Ray ---------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def one_at_a_time(name: str) -> Iterator[None]:
    """Keep the other processes of this machine (and this user) out while the block runs."""
    try:
        import fcntl
    except ImportError:  # Windows: both do the same work, and one file wins
        yield
        return
    from shogi_engine.jit import cache_folder

    with open((cache_folder() or Path(tempfile.gettempdir())) / f"{name}.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield  # closing the file unlocks it, and so does the end of the process


@functools.lru_cache(maxsize=1)
def _worker_here(maker: Maker[Any, Any]) -> Worker[Any, Any]:
    """Return this process's worker; the process may do pieces of one maker after another, not of two by turns."""
    with one_at_a_time("warm-up"):
        maker.warm_up()
    return maker()


def do_piece(maker: Maker[Item, Result], item: Item) -> tuple[Item, Result]:
    """Do a piece in a worker process."""
    return item, _worker_here(maker).do(item)


def _on_ray(
    ray: Any, maker: Maker[Item, Result], items: Sequence[Item], cluster: str, workers: int, cores: int
) -> Iterator[tuple[Item, Result]]:
    own = not ray.is_initialized()
    if own:
        where = {"num_cpus": workers * cores} if cluster == "local" else {"address": cluster}
        ray.init(**where, include_dashboard=False, log_to_driver=False, configure_logging=False)
    waiting: list[Any] = []
    try:
        task, shared = ray.remote(max_retries=RETRIES, num_cpus=cores)(do_piece), ray.put(maker)
        left = iter(items)
        while True:
            room = int(AHEAD * max(ray.cluster_resources().get("CPU", 1.0) / cores, 1.0)) - len(waiting)
            waiting += [task.remote(shared, item) for _, item in zip(range(room), left, strict=False)]
            if not waiting:
                return
            finished, waiting = ray.wait(waiting)
            yield from ray.get(finished)
    finally:
        for each in waiting:
            ray.cancel(each, force=True)
        if own:
            ray.shutdown()
