"""What of `helpers/` a wheel holds: what students of any course have, and none of this repository's lessons.

pyproject.toml says all the rest.
"""

import os
import sys

from setuptools import setup
from setuptools.command.build_py import build_py

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # pip calls this from elsewhere

from autograder.courses import ENGINE_HELPERS


class EngineAlone(build_py):
    """Leaves a course's packages and modules out."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        """The modules of a package, each with the package, its name and its file."""
        found = super().find_package_modules(package, package_dir)
        return [each for each in found if of_the_engine(package, f"{each[1]}.py")]

    def find_data_files(self, package: str, src_dir: str) -> list[str]:
        """The files of a package that are no modules."""
        return super().find_data_files(package, src_dir) if of_the_engine(package, "__init__.py") else []


def of_the_engine(package: str, file: str) -> bool:
    """Whether a file of a package belongs to the engine."""
    top, *rest = [*package.split("."), file]
    return top != "helpers" or rest[0] in ENGINE_HELPERS


setup(cmdclass={"build_py": EngineAlone})
