"""
Write deploy/helm/rendered: what helm makes of the examples.

    python -m tests.deploy.rendering
"""

from tests.deploy.manifests import HELM, MODES, template

_HEADER = "# Rendered by helm from examples/{}.yaml, for those who have no helm.\n"


def main() -> None:
    """Render the example of each mode."""
    for mode in MODES:
        file = HELM / "rendered" / f"{mode}.yaml"
        file.write_text(_HEADER.format(mode) + template(mode))


if __name__ == "__main__":
    main()
