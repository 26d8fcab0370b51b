"""The memory of every game's Board: one record, which kernels receive by its address."""

from typing import Any, ClassVar, Self

import numpy as np

FIRST_CAPACITY = 64  # undo records at the first move; doubled whenever they are full


class BoardMemory:
    """A Board's position, its buffers, and an undo record for each of the moves that led to it.

    A game's `_BOARD` is the dtype of the record: `pos` comes first, and it has `undo` (the address of the undo
    records), `count` (of moves made), `capacity` and `moves` (a buffer). Python reads frequently used fields as bytes
    and words, which costs a tenth of reading a record's field.
    """

    _BOARD: ClassVar[np.dtype]
    _UNDO: ClassVar[np.dtype]
    _NO_UNDO: ClassVar[np.ndarray]
    _UNDO_WORD: ClassVar[int]
    _COUNT_WORD: ClassVar[int]
    _CAPACITY_WORD: ClassVar[int]

    _address: int  # of the record
    _bytes: memoryview
    _words: memoryview  # uint64
    _flags: Any  # memoryview of bool; only bytes that are 0 or 1 are read
    _moves: memoryview  # uint32; kernels write moves here
    _record: Any  # record[position], a view
    _undo: np.ndarray  # record[undo][capacity]; the first `_count` of them are in use

    def _is_legal_text(self, text: str) -> bool:
        """Tell whether the Board's `parse_text` reads a legal move."""
        board: Any = self
        try:
            board.parse_text(text)
        except ValueError:
            return False
        return True

    def _allocate(self) -> None:
        """Allocate new memory, with a position of zeros and no moves."""
        fields: Any = self._BOARD.fields
        (kind, place), position = fields["moves"], fields["pos"][0]
        memory = np.zeros(self._BOARD.itemsize, dtype=np.uint8)
        self._address = memory.ctypes.data
        self._bytes = memory.data
        self._words = self._bytes.cast("Q")
        self._flags = self._bytes.cast("?")
        self._moves = self._bytes[place : place + kind.itemsize].cast("I")
        self._record = np.ndarray(1, position, memory)[0]  # a view, which keeps the memory alive
        self._undo = self._NO_UNDO

    @staticmethod
    def offset_in(dtype: np.dtype, name: str) -> int:
        """Return the byte offset of a field in a record."""
        fields: Any = dtype.fields
        return int(fields[name][1])

    def __init_subclass__(cls, **options: Any) -> None:
        """Prepare the data that all boards of a game share."""
        super().__init_subclass__(**options)
        if hasattr(cls, "_BOARD"):
            cls._NO_UNDO = np.zeros(0, dtype=cls._UNDO)
            cls._UNDO_WORD, cls._COUNT_WORD, cls._CAPACITY_WORD = (
                cls.offset_in(cls._BOARD, name) // 8 for name in ("undo", "count", "capacity")
            )

    @property
    def _count(self) -> int:
        """The number of moves made since the position was set."""
        return self._words[self._COUNT_WORD]

    def _set_position(self, pos: Any) -> None:
        """Set a copy of `pos` (record[position]), without moves."""
        if pos is not self._record:
            data = pos.tobytes()
            self._bytes[: len(data)] = data
        self._forget()

    def _forget(self) -> None:
        """Clear the move stack."""
        self._words[self._COUNT_WORD] = 0

    def _grow(self) -> bool:
        """Double the undo records if none is free for the next move; return whether this was needed."""
        count, capacity = self._count, len(self._undo)
        if count < capacity:
            return False
        self._keep(np.concatenate([self._undo, np.zeros(max(capacity, FIRST_CAPACITY), dtype=self._UNDO)]))
        return True

    def _keep(self, undo: np.ndarray) -> None:
        """Use `undo` as the undo records."""
        self._undo = undo
        self._words[self._UNDO_WORD] = undo.ctypes.data
        self._words[self._CAPACITY_WORD] = len(undo)

    def copy(self) -> Self:
        """Return an independent copy with the same position and move stack."""
        board = type(self).__new__(type(self))
        board._allocate()
        board._set_position(self._record)
        count = self._count
        if count:
            board._keep(self._undo.copy())
            board._words[self._COUNT_WORD] = count
        return board

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def pop(self) -> Any:
        """Take back the last move and return it; raises IndexError if there is none."""
        raise NotImplementedError

    def root(self) -> Self:
        """Return a board with the position that the game began with, and an empty move stack."""
        board = self.copy()
        while board._count:
            board.pop()
        return board

    def _take_over(self, other: Self) -> None:
        """Take the memory of `other`, which must not be used any more."""
        for name in BoardMemory.__annotations__:
            if not name.isupper():
                setattr(self, name, getattr(other, name))
