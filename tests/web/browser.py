"""Chromium without a window, driven through its debugging pipe: standard library only.

    with Browser.start() as browser:
        page = browser.open("report.html", width=1280, height=900)
        page.value("document.title")
        page.pdf()
"""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-extensions", "--hide-scrollbars",
         "--remote-debugging-pipe"]


def program():
    """Chromium's path, or None where it is not installed."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    def __init__(self, process, to, back, profile):
        self.process, self.to, self.back, self.profile = process, to, back, profile
        self.count, self.rest, self.events = 0, b"", []

    @classmethod
    def start(cls):
        """Chromium reads commands from descriptor 3 and answers on 4, each message ended by a zero byte."""
        profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        read_to, to = os.pipe()
        back, write_back = os.pipe()

        def hand_over():
            # Through high numbers, because 3 and 4 may be among the four themselves.
            a, b = os.dup2(read_to, 100), os.dup2(write_back, 101)
            os.dup2(a, 3)
            os.dup2(b, 4)

        process = subprocess.Popen([program(), *FLAGS, f"--user-data-dir={profile.name}", "about:blank"], preexec_fn=hand_over,
                                   pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read_to)
        os.close(write_back)
        return cls(process, to, back, profile)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)
        os.close(self.to)
        os.close(self.back)
        self.profile.cleanup()

    def _receive(self):
        while b"\0" not in self.rest:
            more = os.read(self.back, 1 << 16)
            if not more:
                raise SystemExit("chromium ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, parameters=None, session=None):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, event, session):
        while True:
            for e in self.events:
                if e.get("method") == event and e.get("sessionId") == session:
                    self.events.remove(e)
                    return e
            self.events.append(self._receive())

    def open(self, path, width=1280, height=900, scheme="light", fragment=""):
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = Page(self, session)
        page.call("Page.enable")
        page.call("Runtime.enable")
        page.call("Log.enable")
        page.call("Network.enable")
        page.call("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        page.call("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        page.call("Page.navigate", {"url": pathlib.Path(path).resolve().as_uri() + fragment})
        self.wait_for("Page.loadEventFired", session)
        return page


class Page:
    def __init__(self, browser, session):
        self.browser, self.session = browser, session

    def call(self, method, parameters=None):
        return self.browser.call(method, parameters, self.session)

    def value(self, expression):
        result = self.call("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in result:
            raise SystemExit(f"{expression}: {result['exceptionDetails'].get('exception', {}).get('description')}")
        return result["result"].get("value")

    def click(self, selector):
        self.value(f"document.querySelector({json.dumps(selector)}).click()")

    def settle(self):
        """Until the page has drawn what a click changed."""
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def texts(self, selector):
        return self.value(f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.textContent)")

    def shown(self, selector):
        """Whether the element is there and takes room."""
        return self.value(f"(document.querySelector({json.dumps(selector)})?.getClientRects().length ?? 0) > 0")

    def pdf(self):
        """As a reader prints it who has not asked for backgrounds."""
        return base64.b64decode(self.call("Page.printToPDF", {"printBackground": False})["data"])

    def screenshot(self, path, full=False):
        data = self.call("Page.captureScreenshot", {"captureBeyondViewport": full})["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def complaints(self):
        """Uncaught errors, refusals of the policy, and requests for anything but the page itself."""
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            if event["method"] == "Runtime.exceptionThrown":
                details = event["params"]["exceptionDetails"]
                found.append(details.get("exception", {}).get("description", details["text"]))
            if event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
                found.append(event["params"]["entry"]["text"])
            if event["method"] == "Network.requestWillBeSent":
                url = event["params"]["request"]["url"]
                if not url.startswith(("file:", "data:", "about:")):
                    found.append("asked for " + url)
        return found
