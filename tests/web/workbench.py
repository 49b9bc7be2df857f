"""The Workbench in a real browser, driven by Playwright: web/tests/unit and web/tests/page.

Skipped without node, Chromium, or the tools that `npm install` installs in web; tools/check-page installs them
and asks for the checks with --required.
"""

import argparse
import os
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
    parser.add_argument("--required", action="store_true", help="fail where something is missing")
    args = parser.parse_args()
    if not args.required and os.environ.get("HEADWATER_PAGE_CHECKED_APART"):
        print("skipped: tools/check-page runs it")
        sys.exit(SKIPPED)
    node, chromium = shutil.which("node"), browser.program()
    if node is None or chromium is None or not (WEB / "node_modules/playwright-core").exists():
        print("expected node, chromium and npm install in web" if args.required else "skipped: needs node, chromium and npm install in web")
        sys.exit(1 if args.required else SKIPPED)
    for words in (["tests/unit/run.mjs"], ["tests/page/run.mjs", pathlib.Path(args.program).resolve(), chromium]):
        done = subprocess.run([node, *words], cwd=WEB)
        if done.returncode != 0:
            sys.exit(done.returncode)


if __name__ == "__main__":
    main()
