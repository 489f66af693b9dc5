"""The pages of docs/: they build without a warning, and a message of the product is found on one of them."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-docs" / "bin" / "python"

sys.path.insert(0, str(ROOT / "docs" / "_ext"))
import messages  # noqa: E402

# Sphinx takes half a minute; `make docs` builds the pages as well.
pytestmark = [pytest.mark.full, pytest.mark.timeout(600)]


class Text(HTMLParser):
    """The text of a page as a reader searches it, and its links and anchors."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(html)

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.links += [value for name in ("href", "src") if (value := values.get(name))]
        self.anchors |= {value for value in [values.get("id")] if value}

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.parts))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built pages."""
    if not PYTHON.exists():
        pytest.skip("Sphinx is not installed: `make docs` installs it into .venv-docs")
    target = tmp_path_factory.mktemp("site")
    options = ["-W", "--keep-going", "-q", "-d", str(target / "doctrees")]
    command = [str(PYTHON), "-m", "sphinx", *options, str(ROOT / "docs"), str(target / "html")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=590)
    assert (done.returncode, done.stderr) == (0, "")
    return target / "html"


def test_every_local_link_leads_to_a_page_and_its_anchor(site: Path) -> None:
    pages = {path: Text(path.read_text("utf-8")) for path in site.rglob("*.html")}
    assert len(pages) > 20
    broken = []
    for path, page in pages.items():
        for link in page.links:
            name, _, anchor = link.partition("#")
            target = (path.parent / name.partition("?")[0]).resolve() if name else path
            if re.match(r"\w+:|//", link) or path.name in ("genindex.html", "search.html"):
                continue
            if not target.exists() or (anchor and target in pages and anchor not in pages[target].anchors):
                broken.append(f"{path.relative_to(site)}: {link}")
    assert broken == []


def test_links_of_the_readme_lead_to_pages_of_the_site(site: Path) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    links = re.findall(r"readthedocs\.io/en/latest/([\w./-]+\.html)(?:#([\w-]+))?", readme)
    assert len(links) > 10
    pages = {name: Text((site / name).read_text("utf-8")) for name, _ in links if (site / name).exists()}
    assert [
        link for link in links if link[0] not in pages or link[1] not in {"", *pages[link[0]].anchors}
    ] == []
    # PyPI shows the page as well, and has no files beside it.
    assert re.findall(r"\]\((?!https?:|#)[^)]*\)", readme) == []


def test_a_message_of_the_product_is_found_by_its_words(site: Path) -> None:
    page = Text((site / "troubleshooting.html").read_text("utf-8")).text
    found = messages.messages()
    assert len(found) > 500
    assert [message for message in found if re.sub(r"\s+", " ", message) not in page] == []


@pytest.mark.parametrize(
    ("message", "section"),
    [
        ("… refused the key of profile … (…). …", "The key, the account, the limit"),
        ("… answers … at … and at …. Check the server URL …", "The model server is not reached"),
        ("The kernel died, so its variables are gone.", "The kernel"),
        ("… is not a notebook: ….", "The cell or the notebook"),
        ("this Linux has no Landlock", "Attempts are not isolated"),
        ("The Jupyter server has not loaded this extension yet.", "The Jupyter server"),
    ],
)
def test_a_message_stands_in_the_section_that_helps(site: Path, message: str, section: str) -> None:
    html = (site / "troubleshooting.html").read_text("utf-8")
    sections = [Text(part).text for part in re.split(r"(?=<h2>)", html)]
    assert [part.split("¶")[0] for part in sections if message in part] == [section]


def test_pages_for_users_come_without_those_for_contributors(site: Path) -> None:
    _, _, body = (site / "index.html").read_text("utf-8").partition("<article")
    links = Text(f"<article{body.partition('</article>')[0]}").links
    assert "contributing/index.html" in links
    assert [link for link in links if re.match("decisions|hardening|contributing/(?!index)", link)] == []
