// The first screen: what this is, a sentence that is being explained, and cards of what else to look at.
import type { Bench } from "../bench";
import type { Example } from "../live/api";
import type { LiveSession } from "../live/session";
import { titleOf } from "../model/attribution";
import { sideNames } from "../model/colour";
import { linesOfBench } from "../model/lines";
import { rowScale } from "../model/maps";
import { readFromLeft } from "../model/reading";
import { percent, shownName } from "../model/words";
import { CardPicture } from "./cardpicture";
import { drawnFlow, edgePath, flowBox, type Drawn } from "./flow";
import { Bars } from "./header";
import { themed, TurnedName, useWidth } from "./parts";
import { Row } from "./striprow";

// Of the strongest edges those that a way of strong edges leads to.
function connected(drawn: Drawn) {
  const reached = new Set([`${drawn.graph.levels - 1}/${drawn.row}`]),
    kept = [];
  for (const e of [...drawn.edges].sort((x, y) => y.upper - x.upper))
    if (reached.has(`${e.upper}/${e.from}`)) {
      reached.add(`${e.lower}/${e.to}`);
      kept.push(e);
    }
  return kept;
}

// From the answer at the top to the words below: what the answer's row reads, layer by layer; dashes run up the way.
function RunningFlow({ b }: { b: Bench }) {
  const [ref, width] = useWidth(280),
    drawn = drawnFlow(b);
  if (!drawn || drawn.missing) return <div ref={ref} class="hero-flow" />;
  const edges = connected(drawn),
    box = flowBox(b, { ...drawn, edges }, width),
    top = Math.max(...drawn.graph.reached, 1e-30),
    every = Math.ceil(13 / box.step),
    still = matchMedia("(prefers-reduced-motion: reduce)").matches,
    name = (g: number) => shownName(b.groups[g].name, 14),
    best = [...box.shown].sort((x, y) => drawn.graph.reached[y] - drawn.graph.reached[x]).slice(0, 3);
  return (
    <div ref={ref} class="hero-flow">
      <svg
        viewBox={`0 0 ${box.width} ${box.height}`}
        width={box.width}
        height={box.height}
        role="img"
        font-family="system-ui, sans-serif"
        aria-label={`How the words reach ${name(drawn.row)}, where the answer is read: ${best.map((g) => `${name(g)} ${percent(drawn.graph.reached[g])}`).join(", ")}`}
      >
        {drawn.stages.map((stage) => (
          <text x="46" y={box.y(stage.level) + 4} text-anchor="end" font-size="11" fill={themed("--soft")}>
            {stage.name}
          </text>
        ))}
        <text x="46" y={box.y(0) + 4} text-anchor="end" font-size="11" fill={themed("--soft")}>
          words
        </text>
        <g fill="none" stroke={themed("--accent")} stroke-linecap="round">
          {edges.map((e) => {
            const wide = 0.6 + 7 * Math.sqrt(e.weight),
              d = edgePath(box, e);
            return (
              <>
                <path d={d} stroke-width={wide.toFixed(2)} opacity={(0.12 + 0.4 * Math.sqrt(e.weight)).toFixed(3)} />
                {still || e.weight < 0.01 ? null : (
                  <path d={d} class="runs" stroke-width={Math.max(1.4, 0.55 * wide).toFixed(2)} stroke-dasharray="3 17" opacity="0.9">
                    <animate attributeName="stroke-dashoffset" from="0" to="20" dur="1.4s" repeatCount="indefinite" />
                  </path>
                )}
              </>
            );
          })}
        </g>
        <circle cx={box.x(drawn.row)} cy={box.y(drawn.graph.levels - 1)} r="7" fill={themed("--select")} />
        {box.shown.map((g, place) => {
          const h = (30 * drawn.graph.reached[g]) / top,
            x = box.x(g),
            y = box.y(0) + 16,
            ink = themed(g === drawn.row ? "--ink" : "--soft");
          return (
            <>
              <rect
                x={x - Math.min(9, box.step * 0.35)}
                y={y + 30 - h}
                width={Math.min(18, box.step * 0.7)}
                height={h}
                fill={themed("--accent")}
              />
              {place % every && g !== drawn.row ? null : box.turned ? (
                <TurnedName x={x} y={y + 38} name={name(g)} fill={ink} bold={g === drawn.row} />
              ) : (
                <text x={x} y={y + 50} text-anchor="middle" font-size="12" fill={ink}>
                  {name(g)}
                </text>
              )}
            </>
          );
        })}
      </svg>
    </div>
  );
}

function Running({ live }: { live: LiveSession }) {
  const { welcome } = live,
    b = welcome.bench;
  if (!b.document || !b.current)
    return (
      <div class="hero waiting" aria-busy="true">
        <p class="soft">A first sentence is being explained …</p>
      </div>
    );
  b.view = { ...b.view, theme: live.bench.view.theme, palette: live.bench.view.palette };
  const a = b.current,
    map = b.mapOf(a),
    p = b.data.prediction,
    sides = sideNames(b.view.palette).map((side, i) => (i ? side : side[0].toUpperCase() + side.slice(1))),
    scores = (p.scores ?? p.outcomes?.find((o) => o.position === b.aim.target.position)?.scores ?? []).slice(0, 4);
  return (
    <div class="hero">
      <div class="hero-words">
        {map ? (
          <Row
            b={b}
            a={a}
            map={map}
            row={b.rowOf(a)}
            scale={rowScale(map, b.rowOf(a), b.groups)}
            tone={b.tone}
            locked={null}
            keys={[]}
            chosen={false}
            lines={linesOfBench(b)}
            plain
          />
        ) : null}
        <p class="hero-answer">{readFromLeft(b.headline)}</p>
        <Bars scores={scores} chosen={b.aim.target.index} />
        <p class="soft">
          {sides[0]} words speak for the answer, {sides[1]} words against it ({titleOf(a)}). The lines follow the words through the layers
          of the model to the answer ({welcome.followed}). Both were computed just now, on this machine.
        </p>
        <button type="button" class="primary" onClick={() => welcome.open()}>
          Take this sentence apart
        </button>
      </div>
      <RunningFlow b={b} />
    </div>
  );
}

// Several models may offer the same example: it stands here once.
function cardsOf(live: LiveSession): { e: Example; model: string }[] {
  const seen = new Set<string>();
  return live.models
    .flatMap((m) => (m.examples ?? []).map((e) => ({ e, model: m.id })))
    .filter(({ e }) => {
      const key = e.title + "\n" + (e.text ?? "");
      return !seen.has(key) && seen.add(key);
    });
}

export function WelcomeHead() {
  return (
    <div class="wrap welcome">
      <h1>Which words made the model decide?</h1>
      <p>
        Type a text: headwater runs a Transformer on this machine and shows which words its answer rests on, and the way they took through
        its layers.
      </p>
    </div>
  );
}

export function Examples({ live }: { live: LiveSession }) {
  const kind = live.current?.input === "image" ? "a picture" : "a text";
  return (
    <section id="examples" aria-label="Examples">
      {live.models.some((m) => m.examples?.some((e) => e.text)) ? <Running live={live} /> : null}
      <h2>Or look at one of these</h2>
      <div class="cards">
        {cardsOf(live).map(({ e, model }) => (
          <button type="button" class="example" onClick={() => live.open(e, model)}>
            <CardPicture example={e} />
            <b>{e.title}</b>
            <span dir="auto">
              {e.text ?? (e.image ? "a picture" : "")}
              {e.pair ? " / " + e.pair : ""}
            </span>
            <span class="soft">
              {model}
              {e.methods?.length ? ": " + e.methods.map((m) => live.titleOf(m)).join(", ") : ""}
            </span>
          </button>
        ))}
      </div>
      <p class="soft">Or give {kind} of your own above; nothing leaves this machine.</p>
    </section>
  );
}
