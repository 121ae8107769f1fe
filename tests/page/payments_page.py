"""Opens the page of the payments example in a headless Chromium, kills a relay by its button, and waits until the page
tells of the recovery. What is to be seen is judged by content: by the page's text, and by which colours the picture has.

usage: payments_page.py DEMO_PAYMENTS [PICTURE]; exits with 77, in words, where no Chromium is installed.
"""
# SPDX-License-Identifier: BSL-1.0
import base64
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zlib


def find_chromium():
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        if path := shutil.which(name):
            return path
    return None


class Browser:
    """One page, spoken to through Chromium's own pipe: JSON objects, each ended by a zero byte."""

    def __init__(self, program, profile):
        to_browser, self.sending = os.pipe()
        self.receiving, from_browser = os.pipe()

        def ends():  # what Chromium expects its pipe to be
            os.dup2(to_browser, 13)
            os.dup2(from_browser, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", "--window-size=1100,1400", f"--user-data-dir={profile}"],
            preexec_fn=ends, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.unread = b""
        self.last = 0
        self.session = None

    def call(self, method, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.sending, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.unread:
                piece = os.read(self.receiving, 65536)
                if not piece:
                    raise RuntimeError("Chromium has ended")
                self.unread += piece
            line, self.unread = self.unread.split(b"\0", 1)
            answer = json.loads(line)
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(answer["error"]["message"])
                return answer["result"]

    def open(self, url):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Page.navigate", url=url)

    def evaluate(self, text):
        return self.call("Runtime.evaluate", expression=text, returnByValue=True)["result"].get("value")

    def wait_for(self, text, seconds, what):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if found := self.evaluate(text):
                return found
            time.sleep(0.2)
        raise RuntimeError(f"not within {seconds} s: {what}; the page says\n{self.evaluate('document.body.innerText')}")

    def click(self, selector):
        """By the mouse, in the middle of it, as a person does."""
        x, y = self.evaluate("(r => [r.x + r.width / 2, r.y + r.height / 2])"
                             f"(document.querySelector('{selector}').getBoundingClientRect())")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def close(self):
        self.process.kill()
        self.process.wait()


def colours_of(png):
    """How many points of each colour a PNG of 8 bits has, without alpha."""
    at, data, width, height, depth = 8, b"", 0, 0, 0
    while at < len(png):
        size, kind = int.from_bytes(png[at:at + 4], "big"), png[at + 4:at + 8]
        body = png[at + 8:at + 8 + size]
        at += size + 12
        if kind == b"IHDR":
            width, height = int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big")
            depth = {2: 3, 6: 4}[body[9]]
        elif kind == b"IDAT":
            data += body
    raw, row = zlib.decompress(data), width * depth
    before, count = bytearray(row), collections.Counter()
    for y in range(height):
        how, line = raw[y * (row + 1)], bytearray(raw[y * (row + 1) + 1:(y + 1) * (row + 1)])
        for i in range(row):
            left = line[i - depth] if i >= depth else 0
            above, corner = before[i], before[i - depth] if i >= depth else 0
            if how == 1:
                line[i] = (line[i] + left) & 255
            elif how == 2:
                line[i] = (line[i] + above) & 255
            elif how == 3:
                line[i] = (line[i] + (left + above) // 2) & 255
            elif how == 4:
                guess = left + above - corner
                nearest = min((abs(guess - left), 0, left), (abs(guess - above), 1, above),
                              (abs(guess - corner), 2, corner))
                line[i] = (line[i] + nearest[2]) & 255
        before = line
        for i in range(0, row, depth):
            count[tuple(line[i:i + 3])] += 1
    return count


def expect(holds, what):
    if not holds:
        raise RuntimeError(f"not so: {what}")
    print(what, flush=True)


def watch_recovery(browser, picture):
    browser.wait_for("document.body.dataset.shown > 2", 20, "events come")
    expect(browser.evaluate("document.getElementById('control').textContent") == "optimistic",
           "the page says which control is at work")
    sessions = browser.wait_for("(rows => rows.length >= 2 && rows)"
                                "([...document.querySelectorAll('#sessions tr')].map(row => row.innerText))", 20,
                                "two relays")
    expect(sum("relay-" in row for row in sessions) >= 2, "it shows the relays with their leases")
    browser.wait_for("Number(document.getElementById('intents').textContent) > 5", 30, "intents are made")
    browser.wait_for("/CHARGED [1-9]/.test(document.getElementById('states').textContent)", 30, "some are charged")

    browser.click("#kill")
    story = "document.getElementById('story').textContent"
    browser.wait_for(f"{story}.includes('a relay is killed')", 10, "the click is heard")
    browser.wait_for(f"{story}.includes('beats no more')", 20, "the relay is missed")
    browser.wait_for("document.body.dataset.recovered === 'yes'", 40, "the recovery")
    told = browser.evaluate(story)
    print(told, flush=True)
    expect("another was started: relay-1" in told, "it tells that a relay was killed, missed and followed by another")
    states = browser.evaluate("document.getElementById('states').textContent")
    total = int(browser.evaluate("document.getElementById('intents').textContent"))
    expect(sum(int(part.split()[1]) for part in states.split(" · ")) == total, "every intent is in one state")

    png = browser.picture()
    if picture:
        with open(picture, "wb") as file:
            file.write(png)
    colours = colours_of(png)
    expect(colours[(0x4a, 0x9d, 0x5b)] > 1000, "the picture has a bar for what is CHARGED")
    expect(len(colours) > 20, "and text beside it")


def watch_locks(browser):
    browser.wait_for("document.body.dataset.shown > 2", 20, "events come")
    expect(browser.evaluate("document.getElementById('control').textContent") == "pessimistic",
           "under the other control, the page says so")
    lock = browser.wait_for("document.querySelector('#locks tr')?.innerText", 30, "a lock")
    intent, state, holder, token = lock.split("\t")
    expect(intent.startswith("pi_") and holder.startswith("server-") and int(token) > 0,
           "a lock is shown with its holder and its token")


def in_browser(chromium, program, control, look):
    """Starts the system and a browser on its page, and ends both."""
    demo = subprocess.Popen([program, "watch", control, "110"], stdout=subprocess.PIPE, text=True)
    try:
        url = demo.stdout.readline().split("watch it on ")[1].strip()
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            browser = Browser(chromium, profile)
            try:
                browser.open(url)
                look(browser)
            finally:
                browser.close()
        demo.terminate()
        expect(demo.wait(20) == 0, "the system ends in order")
    finally:
        demo.kill()


def main():
    program, picture = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    chromium = find_chromium()
    if not chromium:
        print("skipped: no Chromium is installed here (apt-get install chromium)")
        return 77
    in_browser(chromium, program, "optimistic", lambda browser: watch_recovery(browser, picture))
    in_browser(chromium, program, "pessimistic", watch_locks)
    return 0


sys.exit(main())
