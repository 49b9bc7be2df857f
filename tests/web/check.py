"""The HTML report in a real browser: what it says, what it draws, how it prints. What needs npm is in workbench.py.

Pages are made by the program from the models that ship. Skipped without Chromium (tools/debian-packages.txt, dev).
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

import browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
TEXT = "The plot is thin, but the actors are so good that you will not mind at all."
DARKEST = (8, 46, 100)  # the strongest blue of a light page


def expect(condition, what):
    if not condition:
        sys.exit(f"web: expected {what}")


def luminance(colour):
    linear = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def rgb(text):
    return tuple(int(x) for x in re.findall(r"\d+", text)[:3])


def fills(pdf):
    """Every colour a PDF fills an area with."""
    found = set()
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL):
        try:
            content = zlib.decompressobj().decompress(stream)
        except zlib.error:
            continue
        for match in re.findall(rb"([\d.]+) ([\d.]+) ([\d.]+) rg\b", content):
            found.add(tuple(round(255 * float(x)) for x in match))
    return found


def near(colours, wanted):
    return any(max(abs(a - b) for a, b in zip(c, wanted)) <= 2 for c in colours)


class Pages:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.environment = {**os.environ, "HEADWATER_MODELS": str(ROOT / "models")}

    def run(self, *arguments):
        result = subprocess.run([self.program, "explain", "-q", *arguments], capture_output=True, text=True, env=self.environment)
        expect(result.returncode == 0, f"{arguments} to work, found {result.stderr}")
        return result.stdout

    def make(self, name, *arguments):
        path = self.folder / name
        self.run("-o", path, *arguments)
        return path


def check_words(chromium, path):
    """A score per token does not read, has no query, no row of layers; the sign has its own colour and its words."""
    page = chromium.open(path)
    words = page.value("[...document.querySelectorAll('#top, #text, #pairs, #trust')].map((e) => e.innerText).join(' ')")
    for word in ("read", "query", "key", "pairs"):
        expect(not re.search(rf"\b{word}", words), f"no '{word}' beside token scores, found it in {words}")
    expect(page.texts("#main [role=tab]") == ["Scores"], f"no layers and no matrix for one row, found {page.texts('#main [role=tab]')}")
    expect(page.texts("#pairs h3") == ["Strongest tokens"], "'Strongest tokens'")
    expect("blue counts for “POSITIVE”, orange against it" in words, f"a legend with the sign, found {words}")
    colours = page.value("[...document.querySelectorAll('#pairs .pick')].map((r) => [r.querySelector('.num').textContent,"
                         " getComputedStyle(r.querySelector('i')).backgroundColor])")
    above = {colour for number, colour in colours if number.startswith("+")}
    below = {colour for number, colour in colours if number.startswith("−")}
    expect(len(above) == len(below) == 1 and above != below, f"one colour for each sign, found {colours}")
    expect(page.complaints() == [], f"no error, found {page.complaints()}")


def check_sentence(chromium, path, report):
    """The page opens with the answer's sentence, which is the record's."""
    page = chromium.open(path)
    expect(page.texts("h1") == [report["sentence"]], f"the sentence {report['sentence']!r} on top, found {page.texts('h1')}")
    expect(" because of " in report["sentence"] and "good" in report["sentence"], f"a reason, found {report['sentence']}")


def check_aggregate(chromium, path):
    """An aggregated result has the card of its method, and says what was made of it."""
    page = chromium.open(path)
    card = page.texts("#method")[0]
    expect(card.startswith("Value zeroing, rollout"), f"the result's name, found {card}")
    for words in ("Mohebbi", "Read with care", "value_zeroing_rollout", "rollout: the maps multiplied"):
        expect(words in card, f"'{words}' on the method's card, found {card}")


def check_measured(chromium, path, report):
    """What was not measured has no number, and agreement says over how many."""
    page = chromium.open(path)
    labels = page.value("[...document.querySelectorAll('.strip-row .tok')].map((t) => t.getAttribute('aria-label'))")
    special = [label for label in labels if label.startswith("[")]
    expect(len(special) == 4 and all(label.endswith("not measured") for label in special), f"no number on special tokens, found {special}")
    words = sum(not t["special"] for t in report["tokens"])
    page = chromium.open(path, fragment="#drawer=agreement")
    cells = page.texts("#agreement tbody td")
    expect(cells[:2] == ["integrated_gradients · occlusion", str(words)], f"agreement over {words} tokens, found {cells}")
    caption = page.texts("#agreement .caption")[0]
    expect("row" not in caption, f"scores per token have no row, found {caption!r}")


def check_targets(chromium, path):
    """A switch between targets: the scores change, what knows no class stays and says so."""
    page = chromium.open(path)
    expect(page.texts(".strip-row .method-name") == ["integrated_gradients", "attention_rollout"], "all methods, one under another")
    said = page.value("[...document.querySelectorAll('.noclass')].map((e) => e.title)")
    expect(said == ["attention_rollout does not look at the class: it is the same for every target."], f"what knows no class to say so, found {said}")
    tone = "[...document.querySelectorAll('.strip-row')].map((s) => [...s.querySelectorAll('.tok')].find((t) => t.textContent === 'good').style.backgroundColor)"
    before = page.value(tone)
    page.value("[...document.querySelectorAll('nav button')].find((b) => b.textContent === 'NEGATIVE').click()")
    page.settle()
    after = page.value(tone)
    expect(len(before) == 3 and before[0] != before[1] and after == [before[1], before[0], before[2]],
           f"the two targets to change places and what knows no class to stay, found {before} {after}")
    expect("explained: NEGATIVE, logit " in page.texts("#top")[0], "the target's name at the top")
    expect("target=1" in page.value("location.hash"), "the target in the address")
    again = chromium.open(path, fragment="#target=1")
    expect(again.value(tone) == after, "the address to bring the target back")
    expect(page.complaints() == [], f"no error, found {page.complaints()}")


def told(row, tokens):
    """The rule of the layer shown first, in its own words: result/rows.h."""
    total = sum(abs(v) for v in row)
    shares = [abs(v) / total for v in row]
    words = sum(p for p, t in list(zip(shares, tokens))[1:] if not t["special"])
    return min(words, sum(abs(p - 1 / len(row)) for p in shares) / 2)


def check_maps(chromium, path, report):
    """The first layer shown is the one that says most; maps have their own scale where a common one leaves one blank."""
    attribution = report["attributions"][0]
    rows = [[sum(head[0][k] for head in layer) / len(layer) for k in range(len(report["tokens"]))] for layer in attribution["scores"]]
    values = [told(row, report["tokens"]) for row in rows]
    page = chromium.open(path)
    chosen = page.value("document.querySelector('.thumb[aria-pressed=true]').dataset.at")
    expect(chosen == f"{values.index(max(values))},-1", f"the layer of {values} that says most, found {chosen}")
    peaks = [max(v for row in head for v in row) for layer in attribution["scores"] for head in layer]
    expect(min(peaks) < max(peaks) / 2, "an example with a weak map")
    caption = page.texts("#main-panel .caption")[0]
    expect("Every map on its own scale: on a common one" in caption, f"a scale of its own, found {caption}")
    page.value("[...document.querySelectorAll('.tools button')].find((b) => b.textContent === 'shared').click()")
    page.settle()
    expect("One scale for all maps." in page.texts("#main-panel .caption")[0], "the common scale on request")


def check_print(chromium, path):
    """On paper, without backgrounds asked for and from a dark screen: dark blue behind the strongest word, on white."""
    page = chromium.open(path, scheme="dark")
    screen = page.value("getComputedStyle(document.body).backgroundColor")
    drawn = fills(page.pdf())
    expect(near(drawn, DARKEST), f"the strongest word's colour on paper, found {sorted(drawn)}")
    expect(not near(drawn, rgb(screen)), "a light page on paper")
    expect(page.value("getComputedStyle(document.body).backgroundColor") == screen, "the screen as it was, after printing")
    shown = "[...document.querySelectorAll('.tok')].find((t) => t.textContent === 'good').style.backgroundColor"
    expect(rgb(page.value(shown)) != DARKEST, "the dark page's colours back on the screen")
    page.call("Emulation.setEmulatedMedia", {"media": "print"})
    expect(not page.shown("nav") and not page.shown(".tabs"), "no controls on paper")


def check_look(chromium, path):
    """Narrow or wide, light or dark: nothing runs over the edge, every word can be read."""
    for scheme in ("light", "dark"):
        for width in (400, 1280):
            page = chromium.open(path, width=width, scheme=scheme)
            expect(page.value("document.documentElement.scrollWidth") <= width, f"nothing beyond {width} pixels")
            pairs = page.value("[...document.querySelectorAll('.tok')].map((t) => { const s = getComputedStyle(t); return [s.color, s.backgroundColor]; })")
            worst = min((contrast(rgb(a), rgb(b)) for a, b in pairs if not b.startswith("rgba")), default=21)
            expect(worst >= 4.5, f"a contrast of 4.5 on every word, found {worst:.2f}")
            expect(page.complaints() == [], f"no error, found {page.complaints()}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    args = parser.parse_args()
    if browser.program() is None:
        print("skipped: chromium is not installed; tools/install-packages dev brings it")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as name:
        pages = Pages(pathlib.Path(args.program).resolve(), pathlib.Path(name))
        scores = pages.make("scores.html", "-m", "sentiment", "--method", "integrated_gradients", TEXT)
        targets = pages.make("targets.html", "-m", "sentiment", "--method", "integrated_gradients,attention_rollout",
                             "--target", "POSITIVE", "--target", "NEGATIVE", TEXT)
        maps = pages.make("maps.html", "-m", "sentiment", "--method", "attention", TEXT)
        numbers = json.loads(pages.run("-m", "sentiment", "--method", "attention", "--format", "json", TEXT))
        mixing = pages.make("mixing.html", "-m", "sentiment", "--method", "value_zeroing", "--aggregate", "rollout", "--words", TEXT)
        plain = pages.make("plain.html", "-m", "sentiment", TEXT)
        answer = json.loads(pages.run("-m", "sentiment", "--format", "json", TEXT))
        both = pages.make("both.html", "-m", "sentiment", "--method", "integrated_gradients,occlusion", TEXT)
        picture = pages.make("picture.html", "-m", "vision", "--method", "chefer,attention_rollout", "--target", "cat", "--target", "dog",
                             "--image", ROOT / "tests/golden/images/exif1.jpg")
        with browser.Browser.start() as chromium:
            check_words(chromium, scores)
            check_sentence(chromium, plain, answer)
            check_aggregate(chromium, mixing)
            check_measured(chromium, both, answer)
            check_targets(chromium, targets)
            check_maps(chromium, maps, numbers)
            check_print(chromium, scores)
            for path in (scores, targets, maps, mixing, plain, picture):
                check_look(chromium, path)
    print("the page holds")


if __name__ == "__main__":
    main()
