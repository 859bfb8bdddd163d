"""The docstring of each package lists exactly its modules and sub-packages."""

from __future__ import annotations

import ast
import re

PACKAGES = ("benchmarks", "brain", "cognitive")


def packages(root):
    return [path.parent for package in PACKAGES for path in sorted((root / package).rglob("__init__.py"))]


def listed(package) -> list[str]:
    docstring = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
    _, heading, rest = docstring.partition("Modules, in order of execution:\n")
    return re.findall(r"^- `(\w+)`: \S.*", rest, re.MULTILINE) if heading else []


def there(package) -> set[str]:
    modules = {path.stem for path in package.glob("*.py")} - {"__init__", "__main__"}
    return modules | {path.parent.name for path in package.glob("*/__init__.py")}


def test_package_docstring_lists_exactly_its_modules(root):
    wrong = {}
    for package in packages(root):
        name = package.relative_to(root).as_posix()
        names = listed(package)
        if set(names) != there(package) or len(names) != len(set(names)):
            wrong[name] = sorted(set(names) ^ there(package))
    assert wrong == {}
