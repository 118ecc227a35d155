"""The command line: ``python -m quell`` and the script quell of an installed package."""

import os
import sys

from ._errors import QuellError
from ._process import program


def main() -> None:
    try:
        path = program()
    except QuellError as e:
        sys.exit(f"quell: {e}")
    os.execv(path, ["quell", *sys.argv[1:]])


if __name__ == "__main__":
    main()
