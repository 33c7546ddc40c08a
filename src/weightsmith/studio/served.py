"""The page that the studio serves: empty, with the address of the studio; the script asks for the rest."""

from weightsmith.studio.document import as_script, component

SCRIPT, STYLE = "studio.js", "studio.css"  # built from web/src/studio by `make web`

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Weightsmith studio</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/{style}">
</head>
<body>
<noscript>The studio runs transformers in this page, and needs JavaScript for it.</noscript>
<script type="application/json" id="weightsmith-studio">{data}</script>
<script type="module" src="/{script}"></script>
</body>
</html>
"""


def served_page() -> str:
    """Return the page."""
    return _PAGE.format(style=STYLE, script=SCRIPT, data=as_script({"format": 1, "base": "/api/"}))


def served_file(name: str) -> str:
    """Return the script or the style sheet of the page."""
    return component(name)
