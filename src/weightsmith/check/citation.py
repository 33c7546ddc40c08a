"""Citing a certificate: its statement in a line of text, and as an entry of BibTeX.

The certificate is untrusted, and nothing is derived. Its text is escaped, so that neither a terminal nor LaTeX takes it
for a command.
"""

import hashlib
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from weightsmith.check.certificate import Certificate, Given, data_of, parse
from weightsmith.check.entries import damaged_entry
from weightsmith.check.family_certificate import FamilyCertificate, is_family_certificate
from weightsmith.tables.latex import escaped

AGAIN = (
    "This is what the certificate says; nothing of it was derived here. "
    "weightsmith check --replay FILE --model MODEL derives it again."
)
MOST_MODELS = 3  # of a family, that a citation names
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def cite(certificate: Given) -> str:
    """Return a citation of a certificate, which is a file, its text or its data: a line of text, and BibTeX.

    Nothing is derived: `replay` does that.

    >>> from weightsmith import check, library
    >>> v = check.recognizes(library.contains("1"), "0*1.*", up_to=4)
    >>> cite(v.certificate()).partition("; model")[0]
    'recognizes as YES the inputs that match 0*1.*: exhaustive up to length 4, all 30 inputs'
    """
    data: Any = data_of(certificate)
    parsed = FamilyCertificate(data) if is_family_certificate(data) else parse(data)
    statement, version, day = parsed.statement(), _version(parsed), _day(parsed)
    plural = "models" if len(parsed.digests) > 1 else "model"
    models = " and ".join(f"sha256:{digest}" for digest in parsed.digests[:MOST_MODELS])
    models += f" and {len(parsed.digests) - MOST_MODELS} more" if len(parsed.digests) > MOST_MODELS else ""
    text = f"{statement}; {plural} {models}; Weightsmith {version}, {day:%Y-%m-%d}"
    fields = {
        "title": "{{" + escaped(parsed.theorem()) + "}}",  # two: styles change case
        "howpublished": "{" + escaped(f"Certificate of Weightsmith {version}") + "}",
        "year": f"{{{day.year}}}",
        "month": MONTHS[day.month - 1],
        "note": "{" + escaped(f"{plural} {models}; {day:%Y-%m-%d}; as the certificate says") + "}",
    }
    key = f"weightsmith-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    entry = ",\n".join([f"@misc{{{key}", *(f"  {name:12} = {value}" for name, value in fields.items())])
    return f"{text}\n\n{entry},\n}}\n\n{AGAIN}"


def _version(certificate: Certificate | FamilyCertificate) -> str:
    versions = certificate.origin.get("versions")
    number = versions.get("weightsmith") if isinstance(versions, Mapping) else None
    if not isinstance(number, str) or re.fullmatch(r"[0-9A-Za-z.+!-]{1,40}", number) is None:
        raise damaged_entry("versions", versions)
    return number


def _day(certificate: Certificate | FamilyCertificate) -> datetime:
    finished = certificate.origin.get("finished")
    try:
        if isinstance(finished, str) and re.fullmatch(r"[0-9T:+Z.-]{10,40}", finished):
            return datetime.fromisoformat(finished).astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise damaged_entry("finished", finished)
