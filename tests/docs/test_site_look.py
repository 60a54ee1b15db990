#!/usr/bin/env python3
"""Headless Chromium opens each page of the site, wide and narrow: no page is wider than its window, and the search finds words."""
import functools
import html.parser
import http.server
import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

WIDTHS = [1280, 390]
WORDS = ['fusedcg', 'near null space', 'MATIS']

# Opens all pages in a frame of each width, and the pages of the search until they have results
LOOK = '''<!doctype html><title>look</title><iframe id="frame" height="900"></iframe><pre id="found"></pre><script>
const frame = document.getElementById('frame'), found = {wide: [], searches: {}}
const open = url => new Promise(done => { frame.onload = done; frame.src = url })
const wait = ms => new Promise(done => setTimeout(done, ms))
async function look(pages, widths, words) {
  for (const width of widths) {
    frame.width = width
    for (const page of pages) {
      await open(page)
      const root = frame.contentDocument.documentElement
      if (root.scrollWidth > root.clientWidth) found.wide.push([page, width, root.scrollWidth])
    }
  }
  for (const word of words) {
    await open('search.html?q=' + encodeURIComponent(word))
    for (let k = 0; k < 100 && !found.searches[word]; k++) {
      await wait(100)
      found.searches[word] = frame.contentDocument.querySelectorAll('#search-results li').length
    }
  }
  document.getElementById('found').textContent = JSON.stringify(found)
}
window.onload = () => look(PAGES, WIDTHS, WORDS)
</script>'''


class Found(html.parser.HTMLParser):
    """The text of the element with the results"""
    def __init__(self, text):
        super().__init__()
        self.inside, self.text = False, ''
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.inside = dict(attributes).get('id') == 'found'

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        self.text += data if self.inside else ''


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def look(browser, site):
    """What LOOK finds on the pages of the folder"""
    pages = sorted(str(p.relative_to(site)) for p in site.rglob('*.html') if '_static' not in p.parts and p.name != 'look.html')
    text = LOOK
    for name, value in (('PAGES', pages), ('WIDTHS', WIDTHS), ('WORDS', WORDS)):
        text = re.sub(rf'\b{name}\b', lambda _: json.dumps(value), text)
    (site / 'look.html').write_text(text)
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        out = subprocess.run([browser, '--headless', '--no-sandbox', '--disable-gpu', f'--user-data-dir={folder}',
                              '--window-size=1400,1000', '--virtual-time-budget=600000', '--dump-dom',
                              f'http://127.0.0.1:{server.server_port}/look.html'], capture_output=True, text=True, timeout=500)
    server.shutdown()
    (site / 'look.html').unlink()
    return len(pages), Found(out.stdout).text or out.stderr


def main():
    browser = shutil.which('chromium') or shutil.which('google-chrome')
    site = Path(sys.argv[1]).resolve()
    if not browser or not (site / 'index.html').exists():
        print('skipped: there is no Chromium, or no site')
        return 0
    number, text = look(browser, site)
    try:
        found = json.loads(text)
    except ValueError:
        print(f'Chromium says nothing of the pages: {text[-2000:]}')
        return 1
    wrong = [f'{page} is {wide} wide in a window of {width}' for page, width, wide in found['wide']]
    wrong += [f'the search finds nothing for {word}' for word in WORDS if not found['searches'].get(word)]
    print('\n'.join([*wrong, f'{number} pages, {len(wrong)} faults; results of searches: {found["searches"]}']))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
