"""The page: one file that shows a transformer and runs it, offline."""

from weightsmith.studio.document import page, save_html

__all__ = ["page", "save_html"]
