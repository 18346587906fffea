"""What of `helpers/` a wheel holds: what students of any course have, and none of this repository's lessons.

pyproject.toml says all the rest.
"""

from setuptools import setup
from setuptools.command.build_py import build_py

ENGINE_HELPERS = ("__init__", "checks", "checking", "figures", "kept", "storage", "timing")


def of_the_engine(module: str) -> bool:
    """Whether a module, by its dotted name, belongs to the engine."""
    top, _, rest = f"{module}.__init__".partition(".")
    return top != "helpers" or rest.partition(".")[0] in ENGINE_HELPERS


class Engine(build_py):
    """Builds the engine's modules alone."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.packages = [package for package in self.packages if of_the_engine(package)]

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        found = super().find_package_modules(package, package_dir)
        return [each for each in found if of_the_engine(f"{each[0]}.{each[1]}")]


setup(cmdclass={"build_py": Engine})
