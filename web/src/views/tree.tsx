// The attribution tree: which token passes on what to which, from the top layer down.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Bench } from "../bench";
import type { LiveSession } from "../live/session";
import type { Attribution } from "../model/attribution";
import { readsTip } from "../model/tips";
import { growsFrom, headSums, treeOf, type Tree as TreeData, type TreeEdge } from "../model/tree";
import { number, shownName } from "../model/words";
import { Empty, hideTip, showTip, Slider, themed, TurnedName, useWidth } from "./parts";

interface Node {
  token: number;
  layer: number;
  score: number;
  children: Node[];
  also: TreeData["edges"]; // weaker ones to the same token
}

// Edges as a tree of tokens: a token hangs below whoever reads it most.
export function rooted(tree: TreeData): Node[] {
  const nodes = new Map<number, Node>(),
    node = (t: number, layer: number, score: number) => {
      if (!nodes.has(t)) nodes.set(t, { token: t, layer, score, children: [], also: [] });
      return nodes.get(t)!;
    };
  const children = new Set<number>();
  for (const e of [...tree.edges].sort((x, y) => Math.abs(y.score) - Math.abs(x.score))) {
    const parent = node(e.parent, e.layer + 1, 0);
    if (children.has(e.child) || (nodes.has(e.child) && reaches(nodes.get(e.child)!, e.parent))) {
      nodes.get(e.child)!.also.push(e);
      continue;
    }
    const child = node(e.child, e.layer, e.score);
    child.score = e.score;
    child.layer = e.layer;
    children.add(e.child);
    parent.children.push(child);
  }
  return [...nodes.values()].filter((n) => !children.has(n.token));
}
const reaches = (n: Node, t: number): boolean => n.token === t || n.children.some((c) => reaches(c, t));

function Branch({ node, names, closed, toggle }: { node: Node; names: string[]; closed: Set<number>; toggle: (t: number) => void }) {
  const open = !closed.has(node.token);
  return (
    <li role="treeitem" aria-expanded={node.children.length ? open : undefined} tabIndex={-1} aria-selected="false" data-token={node.token}>
      <span class="leaf">
        {node.children.length ? (
          <button type="button" class="twist" tabIndex={-1} aria-label={open ? "Close" : "Open"} onClick={() => toggle(node.token)}>
            {open ? "▾" : "▸"}
          </button>
        ) : (
          <span class="twist" aria-hidden="true">
            ·
          </span>
        )}
        <b>{shownName(names[node.token])}</b>{" "}
        <span class="soft num">
          {node.score ? `read in L${node.layer}, ${number(node.score)}` : "top"}
          {node.also.map((e) => `; by “${shownName(names[e.parent])}” in L${e.layer}, ${number(e.score)}`).join("")}
        </span>
      </span>
      {open && node.children.length ? (
        <ul role="group">
          {node.children.map((c) => (
            <Branch node={c} names={names} closed={closed} toggle={toggle} />
          ))}
        </ul>
      ) : null}
    </li>
  );
}

const narrowest = 26; // px a column of the drawing needs
function Drawing({ tree, names, layers, width }: { tree: TreeData; names: string[]; layers: number; width: number }) {
  // Of a long text or a picture only the tokens of the tree; the others would put miles between them.
  const left = 44,
    within = new Set([tree.root, ...tree.edges.flatMap((e) => [e.parent, e.child])]),
    all = names.length * narrowest <= width - left - 14,
    columns = names.map((_, t) => t).filter((t) => all || within.has(t)),
    step = Math.max(narrowest, (width - left - 14) / columns.length),
    level = layers > 8 ? 36 : 52,
    turned = step < 56,
    base = 22 + level * layers,
    below = turned ? 24 + 7 * Math.max(...columns.map((t) => [...shownName(names[t], 14)].length)) : 30;
  const x = (t: number) => left + (columns.indexOf(t) + 0.5) * step,
    y = (l: number) => 22 + level * (layers - 1 - l),
    w = Math.max(width, left + step * columns.length + 14);
  const largest = Math.max(1e-30, ...tree.edges.map((e) => Math.abs(e.score))),
    first = new Map<number, number>([[tree.root, y(layers - 1)]]);
  const seen = (t: number, at: number) => first.set(t, Math.min(first.get(t) ?? Infinity, at));
  for (const e of tree.edges) {
    seen(e.parent, y(e.layer));
    seen(e.child, y(e.layer) + level);
  }
  const ink = themed("--ink"),
    soft = themed("--soft"),
    line = themed("--track-strong"),
    accent = themed("--accent"),
    against = themed("--against");
  const tell = (e: TreeEdge) => `L${e.layer}: “${shownName(names[e.parent])}” reads “${shownName(names[e.child])}” ${number(e.score)}`;
  return (
    <svg
      class="figure"
      width={w}
      height={base + below}
      viewBox={`0 0 ${w} ${base + below}`}
      role="img"
      font-family="system-ui, sans-serif"
      aria-label={"Attribution tree. " + tree.edges.map(tell).join("; ")}
    >
      {Array.from({ length: layers }, (_, l) => (
        <text x="6" y={y(l) + 4} font-size="11" fill={soft}>
          L{l}
        </text>
      ))}
      {[...first].map(([t, at]) => (
        <line x1={x(t)} x2={x(t)} y1={at} y2={base} stroke={line} stroke-dasharray="2 4" />
      ))}
      {tree.edges.map((e) => (
        <path
          data-tip={readsTip(`L${e.layer}`, names[e.parent], names[e.child], e.score)}
          d={`M${x(e.parent)} ${y(e.layer)}C${x(e.parent)} ${y(e.layer) + level / 2} ${x(e.child)} ${y(e.layer) + level / 2} ${x(e.child)} ${y(e.layer) + level}`}
          fill="none"
          stroke={e.score < 0 ? against : accent}
          stroke-dasharray={e.score < 0 ? "5 3" : undefined}
          stroke-width={(1 + (5 * Math.abs(e.score)) / largest).toFixed(2)}
          opacity="0.8"
          onMouseMove={(event) => showTip(tell(e), event)}
          onMouseLeave={hideTip}
        />
      ))}
      {tree.edges.map((e) => (
        <>
          <circle cx={x(e.parent)} cy={y(e.layer)} r="4" fill={ink} />
          <circle cx={x(e.child)} cy={y(e.layer) + level} r="4" fill={ink} />
        </>
      ))}
      {columns.map((t) => {
        const name = names[t],
          on = first.has(t),
          fill = on ? ink : soft,
          weight = t === tree.root ? "700" : "400";
        return turned ? (
          <TurnedName x={x(t)} y={base + 8} name={shownName(name, 14)} fill={fill} bold={t === tree.root} />
        ) : (
          <text x={x(t)} y={base + 20} text-anchor="middle" font-size="12" fill={fill} font-weight={weight}>
            {shownName(name, 12)}
          </text>
        );
      })}
    </svg>
  );
}

// Grown in the page from maps per layer for the answer, wherever that comes from: a report's file or a server.
export function Tree({ b, live }: { b: Bench; live: LiveSession | null }) {
  const [ref, width] = useWidth(300),
    [closed, setClosed] = useState<Set<number>>(new Set());
  const [tau, setTau] = useState(0.4),
    [lambda, setLambda] = useState(0);
  const maker = live?.methodFor("heads") ?? "",
    from = b.attributions.find(growsFrom),
    summed = useRef<{ of: Attribution | undefined; sums: Float64Array[] | null }>({ of: undefined, sums: null });
  if (summed.current.of !== from || !summed.current.sums)
    summed.current = { of: from, sums: from ? headSums(from, b.data.model.heads) : null };
  const { sums } = summed.current,
    answer = b.aim.focus;
  const tree = useMemo(() => (sums ? treeOf(sums, answer, tau, lambda) : null), [sums, answer, tau, lambda]);
  useEffect(() => {
    if (live && !from) live.want(maker);
  }, [live, live?.inputKey]);
  const toggle = (t: number) =>
    setClosed((old) => {
      const next = new Set(old);
      if (!next.delete(t)) next.add(t);
      return next;
    });
  if (!from || !tree)
    return (
      <div ref={ref}>
        <Empty>
          {from
            ? "The layers are on their way …"
            : !live
              ? "A tree is made of a map for the answer in every layer, which this file does not hold."
              : live.waits(maker)
                ? `A tree is made of a result of ${maker}, which waits for a click above: it takes long here.`
                : live.busy && live.wanted.includes(maker)
                  ? `${maker} is running …`
                  : `A tree is made of a result of ${maker}; add it under Methods.`}
        </Empty>
      </div>
    );
  const names = b.units.map((u) => u.text),
    roots = rooted(tree),
    target = b.aim.target.label;
  return (
    <div ref={ref}>
      <div class="tools">
        <Slider name="τ" label="τ: share of a layer's largest attribution an edge needs" range={[0, 0.95, 0.05]} value={tau} set={setTau} />
        <Slider name="λ" label="λ: cost of an edge" range={[0, 1, 0.05]} value={lambda} set={setLambda} />
      </div>
      {tree.edges.length === 0 ? (
        <Empty>No edge is strong enough; lower τ or λ.</Empty>
      ) : (
        <>
          <div class="scroll">
            <Drawing tree={tree} names={names} layers={b.data.model.layers} width={width} />
          </div>
          <p class="caption num">
            {tree.edges.length} edges{target ? ` for “${target}”` : ""}. Lines go from the token that reads down to what it reads; width is
            the attribution, summed over heads{tree.edges.some((e) => e.score < 0) ? "; orange, dashed, counts against" : ""}.
            {from.embedded ? ` ${from.embedded}` : ""}
          </p>
          <ul
            class="tree"
            role="tree"
            aria-label="The same tree as a list"
            onKeyDown={(e) => {
              const items = [...e.currentTarget.querySelectorAll<HTMLElement>("[role=treeitem]")],
                at = items.indexOf(document.activeElement as HTMLElement);
              const go = (i: number) => {
                items[Math.max(0, Math.min(items.length - 1, i))]?.focus();
                e.preventDefault();
              };
              if (e.key === "ArrowDown") go(at + 1);
              else if (e.key === "ArrowUp") go(at - 1);
              else if (at >= 0 && (e.key === "ArrowLeft" || e.key === "ArrowRight" || e.key === "Enter")) {
                const t = Number(items[at].dataset.token),
                  isClosed = closed.has(t);
                if (e.key === "Enter" || (e.key === "ArrowLeft") !== isClosed) toggle(t);
                e.preventDefault();
              }
            }}
            tabIndex={0}
          >
            {roots.map((r) => (
              <Branch node={r} names={names} closed={closed} toggle={toggle} />
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
