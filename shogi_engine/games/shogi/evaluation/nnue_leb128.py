"""Signed LEB128: how SFNN's files compress the rows of their weights.

A number takes one to three bytes of seven bits each, the lowest first. The highest bit of a byte says that another byte
follows; bit 0x40 of the last byte is the sign.
"""

import numpy as np

from shogi_engine.jit import njit

MORE, SIGN, LONGEST = 0x80, 0x40, 3  # bits of a byte, bytes of an int16


@njit
def decompress(coded, out, doubled):
    """Decode `coded` (uint8[n]) to `out` (int16[m]) until either ends.

    Returns how many numbers were decoded, -1 if a number takes more than LONGEST bytes or the last one has no end.

    Args:
        doubled: write twice each number, wrapping
    """
    count, shift, total = 0, 0, np.int64(0)
    for index in range(len(coded)):
        byte = np.int64(coded[index])
        total |= (byte & ~MORE) << shift
        shift += 7
        if byte & MORE:
            if shift == 7 * LONGEST:
                return -1
            continue
        if count == len(out):
            break
        if byte & SIGN:
            total -= 1 << shift
        out[count] = np.int16(np.uint16((total << doubled) & 0xFFFF))
        count += 1
        shift, total = 0, np.int64(0)
    return count if shift == 0 else -1


def compress(numbers: np.ndarray) -> bytes:
    """Return int16[n] coded: the inverse of `decompress`."""
    wide = numbers.astype(np.int64)
    parts = np.stack([wide >> 7 * place & MORE - 1 for place in range(LONGEST)], axis=1)
    sizes = 1 + sum((wide < -(SIGN << 7 * place)) | (wide >= SIGN << 7 * place) for place in range(LONGEST - 1))
    places = np.arange(LONGEST)
    parts |= np.where(places < sizes[:, None] - 1, MORE, 0)
    return parts[places < sizes[:, None]].astype(np.uint8).tobytes()
