"""Inputs of random kinds and sizes up to a megabyte: only RecordError, and no input takes long.

`python -m tests.records.test_random_inputs 10000` tries 10 000 for each format, and lists the slowest kinds.
"""

import random
import sys
from time import process_time

import pytest

from shogi_engine.records import RecordError, all_formats, dumps, games, loads
from tests.records.random_records import random_record
from tests.records.test_damage import damaged
from tests.records.test_oversized import KINDS, MANY, PARTS, made

SIZE_MAX, BIG = 1 << 20, 100  # bytes; one input of these is as large
SECONDS = 2.0  # of processor time for a megabyte
OTHER = ["\n", "\r\n", "\x00", "\ud800", "９", "(", ")", "[", "]", " ", "\u3000", "\t", "#", "*", "\\", '"']
NO_GAMES = {
    "jkf": [
        b'{"moves":[]}', b"{}", b"0", b"[]", b'{"moves":[{}]}', b'{"moves":[{},{"special":"TORYO"}]}', b'{"moves":0}',
    ],
    "jsonl": [b"{}\n", b"0\n", b"[]\n", b'{"game":"shogi"}\n', b"[" * 50 + b"\n", b'{"game":"othello","nodes":[{}]}\n'],
}  # fmt: skip


def files_of(rng, format, count, plies):
    """Return files with a random game each."""
    game = format.game or rng.choice(("shogi", "othello"))
    start = None if game == "shogi" else ""
    made = (random_record(rng.randrange(10**6), game, plies, start=start) for _ in range(count))
    return [dumps(record, format.name, "" if format.binary else "utf-8") for record in made]


def repeated(data, size):
    """Return at least `size` bytes."""
    return data * (size // max(1, len(data)) + 1)


def many_games(rng, format, files, size):
    """Return a file of very many games, and what is in it."""
    if format.name == "wthor":
        body = bytearray(b"".join(data[16:] for data in files))
        for _ in range(rng.choice((0, 3))):
            body[rng.randrange(len(body))] = rng.randrange(256)
        count = size // 68 + 1
        return "database", files[0][:4] + count.to_bytes(4, "little") + files[0][8:16] + repeated(body, size)[
            : 68 * count
        ]
    if format.name in NO_GAMES:
        parts = [rng.choice([*NO_GAMES[format.name], *files]) for _ in range(rng.randrange(1, 4))]
        kind = str([part[:40] for part in parts])
        if format.name == "jkf":
            return kind, b"[" + repeated(b",".join(parts) + b",", size) + b"{}]"
        return kind, repeated(b"".join(parts), size)
    return "short games", repeated(b"".join(files_of(rng, format, 40, rng.randrange(2, 6))), size)


def random_input(rng, format, files, size):
    """Return a file of about `size` bytes, and what is in it."""
    way = rng.random()
    if way < (0.6 if format.name in NO_GAMES or format.binary else 0.2):
        return many_games(rng, format, files, size)
    if way < 0.5 and format.name in KINDS:
        kind = rng.choice(KINDS[format.name] + MANY.get(format.name, []))
        return repr(kind), made(kind, size)
    if way < 0.7 and format.name in KINDS:
        parts = [rng.choice([*PARTS[format.name], *OTHER]) for _ in range(rng.randrange(1, 6))]
        whole = "".join(part * rng.choice((1, 1, rng.randrange(1, 2 + size // 16))) for part in parts)
        return str(parts), repeated(whole[:size].encode("utf-8", "surrogatepass"), size)
    data = rng.choice(files)
    if way < 0.85:
        return "games", repeated(data, size)
    for _ in range(rng.randrange(1, 6)):
        data = damaged(rng, data, format.binary) or data
    return "damaged games", repeated(data, size)


def check(format, count, path):
    """Return (processor time for a megabyte, what it is) of the large inputs, slowest first. Raises AssertionError."""
    rng = random.Random(format.name)
    files = files_of(rng, format, 8, 40)
    taken = []
    for number in range(-BIG, count):  # the first are there to compile
        big = number % BIG == 0 and number >= 0
        kind, data = random_input(rng, format, files, SIZE_MAX if big else int(2 ** rng.uniform(4, 15)))
        name, keep, arrays = rng.choice((format.name, "")), rng.random() < 0.7, rng.random() < 0.3
        began = process_time()
        try:
            if arrays:
                path.write_bytes(data)
                for _ in games(path, format=name, keep=keep):
                    pass
            else:
                loads(data, format=name, keep=keep)
        except RecordError:
            pass
        except Exception as error:
            raise AssertionError(f"{format.name} {number}, {kind[:80]}, as {name!r}: {error!r}") from error
        if big:
            taken.append(((process_time() - began) * SIZE_MAX / len(data), f"{name or 'any':10} {kind[:80]}"))
    return sorted(taken, reverse=True)


@pytest.mark.slow
@pytest.mark.parametrize("format", all_formats(), ids=lambda format: format.name)
def test_inputs_of_any_kind_and_size(format, tmp_path):
    slowest = check(format, 10 * BIG, tmp_path / "a")[0]
    assert slowest[0] < 2 * SECONDS, slowest  # a busy machine takes longer


if __name__ == "__main__":
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        for each in all_formats():
            if sys.argv[2:] and each.name not in sys.argv[2:]:
                continue
            found = check(each, int(sys.argv[1]), Path(folder, "a"))
            over = sum(seconds > SECONDS for seconds, _ in found)
            print(f"{each.name}: {len(found)} of a megabyte, {over} took more than {SECONDS} s", flush=True)
            for seconds, kind in found[:3]:
                print(f"    {seconds:5.2f} s  {kind!a}", flush=True)
