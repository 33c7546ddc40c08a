"""`load`: files of one folder alone, with names of their own."""

import os
from pathlib import Path

import pytest

from weightsmith.errors import FileError, InputError
from weightsmith.programs import Session, evaluate, parse_rasp, rasp_programs


def write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.rasp").write_text(text, "utf-8")
    return folder


def test_a_loaded_file_gives_its_names_but_the_private_ones(tmp_path: Path) -> None:
    write(tmp_path, other="_half = indices / 2; whole = _half * 2; def twice(x) { return _two * x; } _two = 2;")
    program = parse_rasp('load "other"; x = twice(whole);', folder=tmp_path)
    assert evaluate(program, "abc") == [0, 2, 4]
    assert list(rasp_programs('load "other";', folder=tmp_path)) == ["whole"]
    with pytest.raises(InputError, match="line 2, column 5: nothing is called '_half'"):
        parse_rasp('load "other";\nx = _half;', folder=tmp_path)


def test_a_file_does_not_see_the_names_of_who_loads_it(tmp_path: Path) -> None:
    write(tmp_path, other="x = mine;")
    with pytest.raises(InputError, match="other, line 1, column 5: nothing is called 'mine'"):
        parse_rasp('mine = 3; load "other";', folder=str(tmp_path))


def test_files_load_files_and_folders_may_be_named(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    write(tmp_path / "inner", leaf="leaf = indices + 1;")
    write(tmp_path, middle='load "inner/leaf"; middle = leaf * 2;')
    program = parse_rasp(
        'load "middle"; load "rasplib"; load "RASP_support/rasplib"; x = middle + leaf;', folder=tmp_path
    )
    assert evaluate(program, "ab") == [3, 6]


def test_files_that_load_each_other_are_refused(tmp_path: Path) -> None:
    write(tmp_path, a='load "b";', b='\n load "a";')
    with pytest.raises(InputError, match="b, line 2, column 2: 'a' is being loaded already"):
        parse_rasp('load "a";', folder=tmp_path)
    session = Session(tmp_path)
    for _ in range(2):  # the next text starts afresh
        with pytest.raises(InputError, match="is being loaded already"):
            session.run('load "a";')


@pytest.mark.parametrize("name", ["../secret", "a/../../secret", "/etc/hostname", "..", "", "c:secret", "a\\b", "a\0b"])
def test_files_outside_of_the_folder_are_refused(name: str, tmp_path: Path) -> None:
    write(tmp_path, secret="x = indices;")
    (tmp_path / "inside").mkdir()
    with pytest.raises(InputError, match="line 1, column 1: load .*: write a name inside of the program's folder"):
        parse_rasp(f'load "{name}";', folder=tmp_path / "inside")


def test_a_link_that_leads_outside_is_refused(tmp_path: Path) -> None:
    write(tmp_path, secret="x = indices;")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link.rasp").symlink_to(tmp_path / "secret.rasp")
    with pytest.raises(InputError, match="the file lies outside of the program's folder"):
        parse_rasp('load "link";', folder=inside)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="line 1, column 1: load 'missing': No such file or directory"):
        parse_rasp('load "missing";', folder=tmp_path)
    (tmp_path / "bytes.rasp").write_bytes(b"\xff\xfe")
    with pytest.raises(FileError, match="load 'bytes'"):
        parse_rasp('load "bytes";', folder=tmp_path)
    (tmp_path / "folder.rasp").mkdir()
    with pytest.raises(FileError, match="load 'folder': "):
        parse_rasp('load "folder";', folder=tmp_path)
    os.mkfifo(tmp_path / "pipe.rasp")  # which must not keep us waiting
    with pytest.raises(FileError, match="load 'pipe': "):
        parse_rasp('load "pipe";', folder=tmp_path)
    (tmp_path / "long.rasp").write_text(" " * 1_000_001, "utf-8")
    with pytest.raises(InputError, match="a program of 1,000,001 characters"):
        parse_rasp('load "long";', folder=tmp_path)


def test_an_error_in_a_file_names_the_file(tmp_path: Path) -> None:
    write(tmp_path, broken="a = 1;\nb = ;")
    with pytest.raises(InputError, match="broken, line 2, column 5: ';' cannot stand here"):
        parse_rasp('load "broken";', folder=tmp_path)
