"""Lines that a user types at a prompt."""


def typed(lines):
    """Return a function that reads `lines`, an iterable, instead of `input`; at the end it raises EOFError.

    An exception's class among them is raised.
    """
    left = iter(lines)

    def read(prompt):
        line = next(left, EOFError)
        if isinstance(line, type):
            raise line
        return line

    return read
