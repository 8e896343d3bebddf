"""A hook of mkdocs: the pages that are not in docs/, and links that lead out of it."""

import posixpath
import re
from typing import Any

from mkdocs.structure.files import File, Files

# The page of the site, and the file that it is made of.
PAGES = {
    "readme.md": "README.md",
    "contributing.md": "CONTRIBUTING.md",
    "changes.md": "CHANGELOG.md",
    "security.md": "SECURITY.md",
    "samples.md": "audio_samples/README.md",
}
NO_PAGE = {"security.md", "samples.md"}  # linked to, and not in the navigation
# What a notebook may call, by module, with the words of its docstrings.
REFERENCE = {
    "A notebook": "rostrum",
    "Records": "pipeline.records",
    "A stage": "pipeline.stage",
    "Settings": "pipeline.run.configuration",
    "Models": "pipeline.models",
    "Measures": "pipeline.measures",
}
FILE_AS_TEXT = re.compile(r"\[(?:[\w./]*/)?([\w-]+)\.md\](?=\()")  # "[papers.md](" reads "[papers](" on the site
LINK = re.compile(r"(?<=\]\()(?!https?:|mailto:|#)([^)#\s]+)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made of other files."""
    for page, source in PAGES.items():
        with open(source, encoding="utf-8") as file:
            added = File.generated(config, page, content=_with_links_of_the_site(file.read(), source))
        if page in NO_PAGE:
            added.inclusion = added.inclusion.NOT_IN_NAV
        files.append(added)
    parts = [f"## {title}\n\n::: {module}\n" for title, module in REFERENCE.items()]
    files.append(File.generated(config, "reference.md", content="\n".join(["# Reference\n", *parts])))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """A page of docs/ with its links to pages that are made of other files."""
    uri = page.file.src_uri
    return markdown if uri in PAGES else _with_links_of_the_site(markdown, f"docs/{uri}")


def _with_links_of_the_site(markdown: str, source: str) -> str:
    """A file's Markdown, its links as they are in the site. A link to source code stays as its text."""
    pages = {file: page for page, file in PAGES.items()}

    def inside(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), match[1]))
        return pages.get(target) or target.removeprefix("docs/")

    return LINK.sub(inside, FILE_AS_TEXT.sub(r"[\1]", markdown))
