"""Explanations for the eye, in the colours of the page and the terminal: blue counts for the target and orange against it;
white is zero."""

from __future__ import annotations

import base64
import html
from typing import TYPE_CHECKING, Any

from .errors import HeadwaterError, InputError
from .records import methods

if TYPE_CHECKING:
    from .explanation import Explanation
    from .result import Result

_FOR, _AGAINST = (30, 108, 178), (184, 84, 20)


def _mixed(share: float) -> tuple[int, ...]:
    share = max(-1.0, min(1.0, 0.0 if share != share else share))
    full = _FOR if share >= 0 else _AGAINST
    return tuple(round(255 + (part - 255) * abs(share)) for part in full)


def colour_of(share: float) -> str:
    """The colour of a share from -1 to 1."""
    return "#" + "".join(f"{part:02x}" for part in _mixed(share))


def _ink(share: float) -> str:
    """White or black, whichever is easier to read on the colour (WCAG's contrast is equal at a luminance of 0.179)."""
    light = [part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in _mixed(share)]
    return "#000" if 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2] > 0.179 else "#fff"


def _rows(explanation: Explanation) -> list[tuple[Result, list[float], float]]:
    rows = []
    for result in explanation:
        try:
            scores = [float(one) for one in result.token_scores()]
        except InputError:
            continue
        rows.append((result, scores, max((abs(one) for one in scores if one == one), default=0.0) or 1.0))
    return rows


def small_html(explanation: Explanation) -> str:
    """The sentence and a line of coloured tokens per result: no script, nothing from elsewhere."""
    parts = [f"<p>{html.escape(explanation.sentence)}</p>"]
    tokens = list(explanation.tokens)
    rows = _rows(explanation)
    for result, scores, largest in rows:
        if len(tokens) != len(scores):
            continue
        cells = "".join(
            f'<span title="{score:+.4g}" style="background:{colour_of(score / largest)};color:{_ink(score / largest)};'
            f'padding:1px 3px;margin:1px;border-radius:3px">{html.escape(token)}</span>'
            for token, score in zip(tokens, scores))
        failed = [check.name for check in result.checks if not check.passed]
        note = f" · check failed: {html.escape(', '.join(failed))}" if failed else ""
        parts.append(f'<div style="line-height:2"><small>{html.escape(result.name)} (largest {largest:.3g}){note}'
                     f"</small><br>{cells}</div>")
    if tokens and any(score < 0 for _, scores, _ in rows for score in scores):
        label = html.escape(str(explanation.target.get("label", "the target")))
        parts.append(f"<small>blue counts for {label}, orange against it</small>")
    picture = _picture(explanation) if not tokens else None
    if picture is not None:
        coded = base64.b64encode(picture).decode()
        parts.append(f'<img alt="{html.escape(explanation.sentence)}" src="data:image/png;base64,{coded}" style="max-width:100%">')
    return f'<div class="headwater">{"".join(parts)}</div>'


def _picture(explanation: Explanation) -> bytes | None:
    """The maps over the picture; None where they cannot be drawn: read from a file, or without a map of patches."""
    try:
        return explanation._require_report("picture").png()
    except HeadwaterError:
        return None


def svg_bars(tokens: list[str], scores: list[float], title: str) -> str:
    """One bar per token, zero in the middle."""
    height, middle, reach = 22, 300, 180
    largest = max((abs(one) for one in scores if one == one), default=0.0) or 1.0
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="560" height="{height * len(tokens) + 30}" '
             f'font-family="sans-serif" font-size="13"><text x="8" y="18" font-weight="bold">{html.escape(title)}</text>']
    for i, (token, score) in enumerate(zip(tokens, scores)):
        y = 30 + i * height
        width = 0.0 if score != score else abs(score) / largest * reach
        x = middle if score >= 0 else middle - width
        lines.append(f'<text x="110" y="{y + 13}" text-anchor="end">{html.escape(token)}</text>'
                     f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{height - 5}" '
                     f'fill="{colour_of(1 if score >= 0 else -1)}"/>'
                     f'<text x="490" y="{y + 13}">{score:+.4g}</text>')
    return "\n".join([*lines, "</svg>"])


def svg_patches(scores: list[list[float]], title: str) -> str:
    """Without matplotlib: a square for every patch."""
    largest, size = max((abs(one) for row in scores for one in row if one == one), default=0.0) or 1.0, 28
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{size * len(scores[0]) + 16}" height="{size * len(scores) + 36}" '
             f'font-family="sans-serif" font-size="13"><text x="8" y="18" font-weight="bold">{html.escape(title)}</text>']
    for i, row in enumerate(scores):
        lines += [f'<rect x="{8 + size * k}" y="{28 + size * i}" width="{size}" height="{size}" '
                  f'fill="{colour_of(score / largest)}"><title>{score:+.4g}</title></rect>' for k, score in enumerate(row)]
    return "\n".join([*lines, "</svg>"])


def _draw_map(ax: Any, values: Any) -> None:
    """Draws in the colours of every other picture: blue from 0 on, orange below it, equal magnitudes equally dark."""
    from matplotlib.colors import ListedColormap
    known: list[float] = [one for row in values.tolist() for one in row if one == one]
    largest, low = max((abs(one) for one in known), default=0.0) or 1.0, -1 if min(known, default=0.0) < 0 else 0
    colours = ListedColormap([colour_of(low + (1 - low) * i / 255) for i in range(256)])
    ax.figure.colorbar(ax.imshow(values, cmap=colours, vmin=low * largest, vmax=largest), ax=ax)


def _plot_patches(explanation: Explanation, result: Result, ax: Any) -> Any:
    if result.axes != ("row", "column"):
        raise InputError(f"plot: expected a score per patch of a picture, found the axes {', '.join(result.axes)} of {result.name}; "
                         "explain by a method that has one, or save it as .png")
    title = f"{result.name}: {explanation.target.get('label', '')}"
    try:
        from matplotlib import pyplot
    except ImportError:
        return svg_patches(result.scores.tolist(), title)
    if ax is None:
        _, ax = pyplot.subplots(figsize=(5, 4))
    _draw_map(ax, result.scores)
    ax.set_xlabel("column of patches")
    ax.set_ylabel("row of patches")
    ax.set_title(title)
    return ax


def plot(explanation: Explanation, layer: int = -1, ax: Any = None) -> Any:
    result, tokens = explanation[0], list(explanation.tokens)
    square = result.axes[-2:] == ("query", "key")
    if not tokens:
        return _plot_patches(explanation, result, ax)
    try:
        from matplotlib import pyplot
    except ImportError:
        return svg_bars(tokens, [float(one) for one in result.token_scores(layer)], result.name)
    if ax is None:
        _, ax = pyplot.subplots(figsize=(6, 0.3 * len(tokens) + 1))
    if square:
        _draw_map(ax, result.matrix[layer])
        ax.set_xticks(range(len(tokens)), tokens, rotation=90)
        ax.set_xlabel("is read")
        ax.set_ylabel("reads")
    else:
        scores = result.token_scores(layer)
        ax.barh(range(len(tokens)), scores, color=[colour_of(1 if one >= 0 else -1) for one in scores])
        ax.axvline(0, color="#111", linewidth=0.8)
        ax.invert_yaxis()
    ax.set_yticks(range(len(tokens)), tokens)
    method = methods().get(result.method)
    where = f", layer {layer % len(result.matrix)}" if square and "layer" in result.axes else ""
    target = f": {explanation.target.get('label', '')}" if method is None or method.needs_target else ""
    ax.set_title(result.name + where + target)
    return ax


def show(explanation: Explanation, height: int = 640) -> Any:
    page = base64.b64encode(explanation.to_html().encode()).decode()
    # Inside something else: a frame alone makes IPython ask for another kind, which needs a server.
    frame = (f'<div><iframe src="data:text/html;base64,{page}" width="100%" height="{height}" style="border:0" '
             'sandbox="allow-scripts allow-downloads" allow="clipboard-write"></iframe></div>')  # Export, and Share
    try:
        from IPython import display
    except ImportError:
        return frame
    html_of: Any = display.HTML  # whose types are not strict
    return html_of(frame)
