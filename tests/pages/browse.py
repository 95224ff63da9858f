#!/usr/bin/env python3
"""browse.py CHROMIUM PAGE... - opens pages in headless Chromium and prints what is wrong with them.

Each page is opened from its file, and looked at with 400 and 1400 pixels, light and dark. Wrong are: a message on
the console, an exception, a request that failed or leaves the folder, a page that is wider than the
window, parts that end at different right edges, and a link without a target. With --shots=DIR a PNG of each is kept. Exit 1: something is
wrong.
"""
import argparse
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

WIDTHS = 400, 1400
SCHEMES = "light", "dark"
# Every link of the page, and whether what it leads to on the page is there; what makes it too wide.
LOOK = """(async () => {
  await Promise.all([...document.images].map(i => i.decode().catch(() => 0)));
  const wide = [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1
      && !e.closest('.scroll') && !e.closest('svg'));
  return JSON.stringify({
    hurt: Boolean(window.hurt),
    edges: [...new Set([...document.querySelectorAll('body > p, body > h2, body > figure, body > .scroll')].map(e => Math.round(e.getBoundingClientRect().right)))],
    width: document.documentElement.scrollWidth,
    wide: wide.slice(0, 3).map(e => e.outerHTML.slice(0, 120)),
    links: [...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href')),
    lost: [...document.querySelectorAll('a[href^="#"]')].map(a => a.hash.slice(1)).filter(id => !document.getElementById(id)),
    broken: [...document.images].filter(i => !i.complete || i.naturalWidth === 0).map(i => i.src),
  });
})()"""
# Uses the page as a reader does: sorts by each column, up and down, filters, and compares two nights. What went wrong.
USE = """(() => {
  const wrong = [], box = document.getElementById('filter');
  for (const title of document.querySelectorAll('table.rows th')) {
    const body = title.closest('table').tBodies[0], before = body.rows.length;
    const words = () => [...body.rows].filter(r => r.className !== 'below').map(r => r.cells[title.cellIndex].textContent);
    const first = words();
    title.click();
    const up = words();
    title.click();
    const down = words();
    if (body.rows.length !== before || [...first].sort().join() !== [...up].sort().join()) wrong.push('sorting loses rows');
    if (new Set(first).size > 1 && up.join() === down.join()) wrong.push('up is down by ' + title.textContent);
    const numbers = up.map(parseFloat);
    if (title.textContent.startsWith('detectable') && numbers.some((n, i) => i > 0 && n < numbers[i - 1])) wrong.push('not sorted by what is detectable');
  }
  if (!box) return wrong;
  const rows = [...document.querySelectorAll('table.rows:not(.pair) tbody tr:not(.below)')], ids = rows.map(r => r.id);
  if (ids.includes('') || new Set(ids).size !== ids.length) wrong.push('a row has no link of its own');
  if (rows.some(r => !r.querySelector('a.here'))) wrong.push('a row shows no link');
  if ([...document.querySelectorAll('code')].some(c => [...c.querySelectorAll('span')].map(s => s.textContent).join(' ') !== c.textContent)) wrong.push('a command can break inside of an option');
  const picker = document.querySelector('.picker');
  if (!picker !== !document.querySelector('table.series')) wrong.push('no two nights can be chosen');
  if (picker) {
    const [from, to] = picker.querySelectorAll('select'), only = picker.querySelector('input');
    const choose = (field) => field.dispatchEvent(new Event('input'));
    const shown = (at) => [...picker.querySelectorAll('tbody tr')].map(r => r.cells[at].textContent);
    only.checked = false;
    [from.selectedIndex, to.selectedIndex] = [0, to.options.length - 1];
    choose(to);
    const there = shown(4).map(parseFloat), sizes = there.map(Math.abs);
    if (there.length !== document.querySelectorAll('table.series svg').length) wrong.push('two nights lack rows');
    if (sizes.some((size, i) => i > 0 && size > sizes[i - 1])) wrong.push('the largest change is not first');
    if (!location.hash.includes('..')) wrong.push('no link to two nights');
    [from.selectedIndex, to.selectedIndex] = [to.selectedIndex, 0];
    choose(to);
    if (there[0] * parseFloat(shown(4)[0]) > 0) wrong.push('the other way round is the same change');
  }
  const hidden = () => [...document.querySelectorAll('table.rows tbody tr')].filter(r => r.hidden).length;
  const type = (words) => { box.value = words; box.dispatchEvent(new Event('input')); };
  type('words that no row has');
  if (hidden() !== document.querySelectorAll('table.rows tbody tr').length) wrong.push('the filter leaves rows');
  type('');
  if (hidden() > 0) wrong.push('the filter hides rows without words');
  return wrong;
})()"""


class Browser:
    """Chromium, spoken to through a pipe: JSON messages with a zero byte behind each."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory()
        read_ours, write_theirs = os.pipe()
        read_theirs, write_ours = os.pipe()

        def hand_over():  # as descriptors 3 and 4, by way of two that are neither
            read, write = os.dup(read_theirs), os.dup(write_theirs)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--hide-scrollbars", f"--user-data-dir={self.profile.name}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=hand_over, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read_theirs)
        os.close(write_theirs)
        self.write_end, self.read_end = write_ours, os.fdopen(read_ours, "rb")
        self.number, self.rest, self.events, self.session = 0, b"", [], None
        target = next(t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network":
            self.ask(f"{domain}.enable")

    def read(self):
        while b"\0" not in self.rest:
            chunk = self.read_end.read1(1 << 16)
            if not chunk:
                raise SystemExit("browse.py: Chromium has ended")
            self.rest += chunk
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(f"browse.py: {method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url):
        self.events = []
        self.ask("Page.navigate", url=url)
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.read())

    def close(self):
        self.session = None
        self.ask("Browser.close")
        self.process.wait()
        self.profile.cleanup()


def complaints(events, folder):
    for event in events:
        method, what = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            yield "exception: " + what["exceptionDetails"].get("exception", {}).get("description", "?").split("\n")[0]
        elif method == "Runtime.consoleAPICalled":
            yield f"console: {what['args']}"
        elif method == "Log.entryAdded":
            yield "log: " + what["entry"]["text"]
        elif method == "Network.loadingFailed":
            yield "not loaded: " + what["errorText"]
        elif method == "Network.requestWillBeSent":
            url = what["request"]["url"]
            if not url.startswith(("data:", "about:", folder)):
                yield f"leaves its folder: {url}"


def is_there(page, link):
    target = link.split("#")[0]
    return not target or target.startswith("https://") or (page.parent / target).exists()


def show(browser, width, scheme):
    browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
    browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])


def look(browser, page, width, scheme, shots):
    show(browser, width, scheme)
    found = json.loads(browser.ask("Runtime.evaluate", expression=LOOK, awaitPromise=True)["result"]["value"])
    wrong = [f"no such part: #{name}" for name in found["lost"]]
    wrong += [f"no such file: {link}" for link in found["links"] if not is_there(page, link)]
    wrong += [f"not drawn: {image}" for image in found["broken"]]
    if shots:
        png = browser.ask("Page.captureScreenshot", captureBeyondViewport=True, format="png")["data"]
        (shots / f"{str(page).replace('/', '_')}_{width}_{scheme}.png").write_bytes(base64.b64decode(png))
    if found["hurt"]:
        wrong.append("a name was run as a script")
    if len(found["edges"]) > 1:
        wrong.append(f"has right edges at {found['edges']} pixels")
    if found["width"] > width:
        wrong.append(f"is {found['width']} pixels wide: {' '.join(found['wide'])}")
    return [f"at {width} pixels, {scheme}: {what}" for what in wrong]


def read(browser, page, shots):
    show(browser, WIDTHS[0], SCHEMES[0])
    browser.open(page.resolve().as_uri())
    wrong = [line for width in WIDTHS for scheme in SCHEMES for line in look(browser, page, width, scheme, shots)]
    wrong += browser.ask("Runtime.evaluate", expression=USE, returnByValue=True)["result"].get("value", ["the page cannot be used"])
    wrong += complaints(browser.events, page.resolve().parent.as_uri())
    return [f"{page}: {what}" for what in wrong]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--shots", type=pathlib.Path)
    parser.add_argument("chromium")
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    given = parser.parse_args()
    if given.shots:
        given.shots.mkdir(parents=True, exist_ok=True)
    browser = Browser(given.chromium)
    wrong = [line for page in given.pages for line in read(browser, page, given.shots)]
    browser.close()
    print("".join(line + "\n" for line in wrong), end="")
    sys.exit(bool(wrong))


main()
