"""RASP as text: the language of its authors, read into the form that every program takes."""
