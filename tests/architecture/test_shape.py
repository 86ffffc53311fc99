"""The shape of the code: small modules with a purpose, short functions, `__init__` files that only re-export."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FORBIDDEN_NAMES = {"base", "common", "helper", "helpers", "manager", "managers", "misc", "util", "utils"}
FORBIDDEN_CALLS = {"__import__", "eval", "exec"}
MODULE_LINES_MAX = 400
FUNCTION_LINES_MAX = 50
LAZY_FACADE = ROOT / "apps/bearagent/src/bearagent/__init__.py"


def modules(*patterns: str) -> list[Path]:
    found = sorted(path for pattern in patterns for path in ROOT.glob(pattern))
    assert found, patterns
    return found


SOURCES = modules("packages/*/src/**/*.py", "apps/*/src/**/*.py")
EVERYTHING = [
    *SOURCES,
    *modules("packages/*/tests/**/*.py", "apps/*/tests/**/*.py", "tests/**/*.py", "tools/**/*.py", "bench/**/*.py"),
]
PACKAGE_FILES = [path for path in SOURCES if path.name == "__init__.py"]


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes(), str(path))


def test_each_module_tells_its_purpose_in_its_first_line() -> None:
    assert [] == [named(path) for path in SOURCES if not ast.get_docstring(tree(path))]


def test_no_module_holds_a_second_purpose() -> None:
    lengths = {named(path): len(path.read_text("utf-8").splitlines()) for path in SOURCES}
    assert {} == {name: length for name, length in lengths.items() if length > MODULE_LINES_MAX}


def test_no_module_is_called_by_a_word_that_says_nothing() -> None:
    assert [] == [named(path) for path in EVERYTHING if FORBIDDEN_NAMES & nouns(path)]


def test_each_function_fits_on_a_screen() -> None:
    lengths = {
        f"{named(path)}:{line} {name}": length for path in EVERYTHING for name, line, length in functions(tree(path))
    }
    assert {} == {name: length for name, length in lengths.items() if length > FUNCTION_LINES_MAX}


def test_no_text_is_run_as_code() -> None:
    names = [(path, node) for path in SOURCES for node in ast.walk(tree(path)) if isinstance(node, ast.Name)]
    assert [] == [f"{named(path)}:{node.lineno} {node.id}" for path, node in names if node.id in FORBIDDEN_CALLS]


def test_an_init_file_does_nothing_but_re_export() -> None:
    statements = [(path, node) for path in PACKAGE_FILES for node in tree(path).body[1:]]
    assert [] == [f"{named(path)}:{node.lineno}" for path, node in statements if not may_stand(node, path)]


def test_an_init_file_exports_what_it_imports() -> None:
    contents = {named(path): tree(path) for path in PACKAGE_FILES if path != LAZY_FACADE}
    assert [] == [name for name, body in contents.items() if imported_names(body) != exported_names(body)]


def nouns(path: Path) -> set[str]:
    """The names on the way to a module, its own included."""
    return {part.strip("_") for part in path.relative_to(ROOT).with_suffix("").parts}


def functions(content: ast.Module) -> Iterator[tuple[str, int, int]]:
    """Name, first line and number of lines of each function, its docstring counted, its decorators not."""
    for node in ast.walk(content):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1


def may_stand(node: ast.stmt, path: Path) -> bool:
    """An import from the package itself or `__all__`; the app's facade may load what it exports when asked."""
    match node:
        case ast.ImportFrom(module=str(module)):
            return path == LAZY_FACADE or module.split(".")[0] == path.relative_to(ROOT).parts[3]
        case ast.Assign(targets=[ast.Name(id="__all__")]) | ast.AnnAssign(target=ast.Name(id="__all__")):
            return True
        case ast.FunctionDef(name="__getattr__" | "__dir__") | ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return path == LAZY_FACADE
        case ast.Import() | ast.Assign() | ast.AnnAssign():
            return path == LAZY_FACADE
        case _:
            return False


def imported_names(content: ast.Module) -> set[str]:
    imports = [node for node in content.body if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name for node in imports for alias in node.names}


def exported_names(content: ast.Module) -> set[str]:
    for node in content.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                return set(ast.literal_eval(value))
            case ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value):
                return set(ast.literal_eval(value))
    return set()
