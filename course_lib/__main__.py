"""`python -m course_lib`: the course command, with no script on the PATH."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
