"""Sphinx's settings for the site, which scripts/docs_site.py builds."""
project = 'Hepta'
copyright = 'the authors of Hepta, BSD-2-Clause'
extensions = ['myst_parser']
myst_heading_anchors = 4
nitpicky = True
suppress_warnings = ['myst.header']  # results begin with ### below #
html_theme = 'pydata_sphinx_theme'
html_title = 'Hepta'
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {'logo': {'text': 'Hepta'}, 'header_links_before_dropdown': 10, 'navbar_align': 'left',
                      'secondary_sidebar_items': ['page-toc'], 'show_prev_next': False, 'footer_start': ['copyright'],
                      'footer_end': []}
html_sidebars = {'index': [], 'start': [], 'papers': [], 'CHANGELOG': []}
pygments_style = 'default'
