// The attribution tree of Hao et al. (2021), as headwater tree makes it. With a = Σ_h Attr_h of a layer and p = a / max a:
// the root is the token whose row, over all layers and without itself, has the largest sum; from the second layer from
// the top downwards an edge (i, j) is taken if i is in the tree, j is not, and p exceeds τ and λ; at last the token the
// output is read from is tied to every token of the tree in the top layer.
import { isMap, type Attribution } from "./attribution";

export interface TreeEdge {
  parent: number;
  child: number;
  layer: number;
  score: number;
}
export interface Tree {
  root: number;
  edges: TreeEdge[];
}

// What a tree is made of: for every layer what each row's reading counts for the answer.
export const growsFrom = (a: Attribution) => a.traits.of_target && a.traits.by_layer && isMap(a) && a.L > 1;

// Σ_h of every layer, [T, T] each; null while a layer is on its way. A file that holds the mean over heads holds their
// sum too, but for a factor.
export function headSums(a: Attribution, heads: number): Float64Array[] | null {
  const layers = Array.from({ length: a.L }, (_, l) => a.layer(l)), // asks for all of them
    factor = a.axes.includes("head") ? 1 : heads,
    cells = a.Q * a.T;
  if (layers.some((values) => values === null)) return null;
  return layers.map((values) => {
    const sum = new Float64Array(cells);
    for (let h = 0; h < a.H; ++h)
      for (let c = 0; c < cells; ++c) {
        const v = values![h * cells + c];
        if (v === v) sum[c] += v * factor;
      }
    return sum;
  });
}

export function treeOf(layers: Float64Array[], answer: number, tau: number, lambda: number): Tree {
  const T = Math.round(Math.sqrt(layers[0].length)),
    second = layers.length - 2;
  const scales = layers.map((a) => a.reduce((x, y) => Math.max(x, y), -Infinity)),
    share = (l: number, i: number, j: number) => (scales[l] > 0 ? layers[l][i * T + j] / scales[l] : 0);
  const rows = Array.from({ length: T }, (_, i) => {
    let sum = i === answer ? -Infinity : 0;
    for (let j = 0; j < T; ++j) {
      let cell = 0;
      for (const a of layers) cell += a[i * T + j];
      if (i !== j) sum += cell;
    }
    return sum;
  });
  const root = rows.indexOf(Math.max(...rows)),
    reached = new Set([root]),
    edges: TreeEdge[] = [];
  const add = (layer: number, parent: number, child: number) =>
    edges.push({ parent, child, layer, score: layers[layer][parent * T + child] });
  for (let l = second; l >= 0; --l)
    for (let i = 0; i < T; ++i) {
      if (!reached.has(i)) continue;
      for (let j = 0; j < T; ++j) {
        const p = share(l, i, j);
        if (reached.has(j) || !(p > tau) || !(p > lambda)) continue;
        reached.add(j);
        add(l, i, j);
      }
    }
  for (let j = 0; j < T; ++j) if (j !== answer && reached.has(j)) add(second + 1, answer, j);
  return { root, edges };
}
