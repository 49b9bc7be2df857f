"""The Workbench in a real browser, driven by Playwright: web/tests/unit and web/tests/page.

Skipped without node, Chromium, or the tools that `npm install` installs in web.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

import browser

WEB = pathlib.Path(__file__).resolve().parents[2] / "web"
SKIPPED = 77


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    args = parser.parse_args()
    node, chromium = shutil.which("node"), browser.program()
    if node is None or chromium is None or not (WEB / "node_modules/playwright-core").exists():
        print("skipped: needs node, chromium and npm install in web")
        sys.exit(SKIPPED)
    for words in (["tests/unit/run.mjs"], ["tests/page/run.mjs", pathlib.Path(args.program).resolve(), chromium]):
        done = subprocess.run([node, *words], cwd=WEB)
        if done.returncode != 0:
            sys.exit(done.returncode)


if __name__ == "__main__":
    main()
