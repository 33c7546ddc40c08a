"""The page: one file that shows a transformer and runs it, offline."""

from weightsmith.studio.document import collection, page, save_html
from weightsmith.studio.notebook import in_notebook

__all__ = ["collection", "in_notebook", "page", "save_html"]
