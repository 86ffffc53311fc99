"""Contract suites, fakes and hypothesis strategies for BearAgent's ports, as a pytest plugin."""

__all__: list[str] = []
