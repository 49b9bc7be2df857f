"""The built page that is committed is the sources' own.

Always: web/dist/sources.sha256 names every source of the bundle with its hash. Where the tools are installed
(npm install in web), the bundle is built again beside it and compared byte for byte.
"""

import hashlib
import pathlib
import shutil
import subprocess
import sys
import tempfile

WEB = pathlib.Path(__file__).resolve().parents[2] / "web"
ALONE = ["package-lock.json", "package.json", "tsconfig.json", "vite.config.ts"]
MOST_BYTES = 300_000


def main():
    sources = sorted([p.relative_to(WEB).as_posix() for p in (WEB / "src").rglob("*") if p.is_file()] + ALONE)
    made_of = "".join(f"{hashlib.sha256((WEB / s).read_bytes()).hexdigest()}  {s}\n" for s in sources)
    if made_of != (WEB / "dist/sources.sha256").read_text():
        sys.exit("bundle: expected web/dist to be made of these sources, found others; run npm run build in web")
    size = sum((WEB / "dist" / f).stat().st_size for f in ("page.js", "page.css"))
    if size > MOST_BYTES:
        sys.exit(f"bundle: expected at most {MOST_BYTES} bytes, found {size}")
    vite = WEB / "node_modules/vite/bin/vite.js"
    if shutil.which("node") is None or not vite.exists():
        print(f"the sources' hashes agree, {size} bytes; not built again without web/node_modules")
        return
    with tempfile.TemporaryDirectory() as folder:
        built = subprocess.run(["node", vite, "build", "--outDir", folder, "--logLevel", "error"], cwd=WEB, capture_output=True, text=True)
        if built.returncode != 0:
            sys.exit(f"bundle: expected a build, found {built.stderr}")
        for file in ("page.js", "page.css"):
            if (pathlib.Path(folder) / file).read_bytes() != (WEB / "dist" / file).read_bytes():
                sys.exit(f"bundle: expected {file} byte for byte, found another; run npm run build in web")
    print(f"built again, byte for byte the same, {size} bytes")


if __name__ == "__main__":
    main()
