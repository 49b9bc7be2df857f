"""The program: `headwater explain …`, or `python -m headwater explain …`."""

from __future__ import annotations

import os
import signal
import sys


def main() -> int:
    """Runs the command line and returns its exit code."""
    from . import _core

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the program has its own way to end
    return _core.program([b"headwater", *(os.fsencode(argument) for argument in sys.argv[1:])])


if __name__ == "__main__":
    sys.exit(main())
