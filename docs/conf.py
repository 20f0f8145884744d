"""How the site is built: `make docs`."""

import importlib.metadata
import logging
import os
import warnings

from docutils import nodes
from sphinx.application import Sphinx
from sphinx_gallery.sorting import FileNameSortKey

project = "sklazy"
author = "the sklazy developers"
copyright = "the sklazy developers, BSD-3-Clause"
release = version = importlib.metadata.version("sklazy")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "results/*.html"]
suppress_warnings = ["config.cache"]
templates_path = ["_templates"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}

# --- text -------------------------------------------------------------------------
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

default_role = "py:obj"  # names in single backticks link to the reference

# --- reference --------------------------------------------------------------------
autosummary_generate = True
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"  # numpydoc has the types, in words
numpydoc_show_class_members = False  # the template lists them
numpydoc_xref_param_type = False

# --- gallery ----------------------------------------------------------------------
# Estimators shown on its pages link to the reference beside them.
os.environ["SKLAZY_DOCS"] = ".."
logging.getLogger("sklazy").setLevel(logging.ERROR)  # no notices of the compiler
warnings.filterwarnings("ignore", message=".*non-interactive.*")
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "/plot_",
    "ignore_pattern": r"__init__\.py",
    "within_subsection_order": FileNameSortKey,
    "download_all_examples": True,
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,  # its page asks other hosts for scripts
    "min_reported_time": 1,
    "abort_on_example_error": True,
    "reset_modules": ("matplotlib",),
    "matplotlib_animations": False,
    "capture_repr": ("_repr_html_",),  # no lists of what matplotlib returns
}

# --- pages ------------------------------------------------------------------------
html_theme = "pydata_sphinx_theme"
html_title = "sklazy"
html_static_path = ["_static"]
html_favicon = "_static/favicon.svg"
html_context = {"default_mode": "auto"}  # else the theme complains at a first visit
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {name: [] for name in ("index", "start", "coming_from", "api")}


def strip_tails(_: Sphinx, doctree: nodes.document) -> None:
    """Take the empty line that doctests need from the end of code boxes."""
    for block in doctree.findall(nodes.literal_block):
        text = block.astext().rstrip()
        if text != block.astext():
            block.rawsource = text
            block.children[:] = [nodes.Text(text)]


def setup(app: Sphinx) -> None:
    """Connect what is done to every page."""
    app.connect("doctree-read", strip_tails)
