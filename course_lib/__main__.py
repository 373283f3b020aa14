"""`python -m course_lib`: the course command, with no script on the PATH."""

import sys

from .cli import main

sys.exit(main())
