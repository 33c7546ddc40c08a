"""The page that the studio serves: empty, with the address of the studio; the script asks for the rest."""

from weightsmith.studio.document import COMPONENT, as_script, component

# Built from web/ by `make web`: the studio's script imports the component's
KINDS = {".js": "text/javascript", ".css": "text/css"}
FILES = ("studio.js", "studio.css", *COMPONENT)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Weightsmith studio</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/weightsmith.css">
<link rel="stylesheet" href="/studio.css">
</head>
<body>
<noscript>The studio runs transformers in this page, and needs JavaScript for it.</noscript>
<script type="application/json" id="weightsmith-studio">{data}</script>
<script type="module" src="/studio.js"></script>
</body>
</html>
"""


def served_page() -> str:
    """Return the page."""
    return _PAGE.format(data=as_script({"format": 1, "base": "/api/"}))


def served_file(name: str) -> tuple[str, str]:
    """Return a script or a style sheet of the page, and its media type."""
    return component(name), KINDS[name[name.rindex(".") :]]
