"""Records: the structured dtypes that kernels and plain Python share."""

from typing import Any

import numpy as np


def record_dtype(fields: list[tuple]) -> np.dtype:
    """Return an aligned structured dtype whose elements are `np.record`s (attributes work with and without JIT).

    Every size is a multiple of 8, because numpy forgets the alignment of a record dtype inside another one.
    """
    names, formats, offsets, end = [], [], [], 0
    for name, *layout in fields:
        element = np.dtype(tuple(layout) if len(layout) > 1 else layout[0])
        scalar = element.base
        step = 8 if scalar.names else scalar.itemsize
        offset = -(-end // step) * step
        names.append(name)
        formats.append(element)
        offsets.append(offset)
        end = offset + element.itemsize
    plain: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": -(-end // 8) * 8}
    return np.dtype((np.record, np.dtype(plain, align=True)))


def new_record(dtype: np.dtype) -> Any:
    """Return one zeroed record of `dtype`; it owns its memory."""
    return np.zeros(1, dtype=dtype).view(np.recarray)[0]
