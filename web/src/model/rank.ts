// How far two methods order the same units alike.

// Kendall's τ-b: concordant minus discordant pairs over the geometric mean of the pairs each side can order.
export function kendall(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const at: number[] = [];
  for (let i = 0; i < Math.min(a.length, b.length); ++i) if (a[i] === a[i] && b[i] === b[i]) at.push(i);
  let same = 0,
    left = 0,
    right = 0;
  for (let i = 0; i < at.length; ++i)
    for (let j = 0; j < i; ++j) {
      const x = Math.sign(a[at[i]] - a[at[j]]),
        y = Math.sign(b[at[i]] - b[at[j]]);
      same += x * y;
      left += x * x;
      right += y * y;
    }
  return left && right ? same / Math.sqrt(left * right) : NaN;
}

// Ranks from 1 for the smallest, ties shared; NaN stays NaN.
export function ranks(values: ArrayLike<number>): Float64Array {
  const at = Array.from(values, (v, i) => ({ v, i }))
    .filter((x) => x.v === x.v)
    .sort((x, y) => x.v - y.v);
  const result = new Float64Array(values.length).fill(NaN);
  for (let i = 0; i < at.length;) {
    let j = i;
    while (j < at.length && at[j].v === at[i].v) ++j;
    for (let k = i; k < j; ++k) result[at[k].i] = (i + j + 1) / 2;
    i = j;
  }
  return result;
}

// Spearman's ρ over what both have: Pearson's of the ranks among those.
export function spearman(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const both = (v: ArrayLike<number>, w: ArrayLike<number>) => Array.from(v, (x, i) => (x === x && w[i] === w[i] ? x : NaN));
  return pearson(ranks(both(a, b)), ranks(both(b, a)));
}

// How differently the methods rank each unit: the spread of its ranks as a share of the largest one possible.
export function disagreement(rows: ArrayLike<number>[]): Float64Array {
  const ranked = rows.map(ranks),
    n = rows.length ? rows[0].length : 0,
    result = new Float64Array(n).fill(NaN);
  const counts = ranked.map((r) => r.reduce((s, x) => s + (x === x ? 1 : 0), 0));
  for (let t = 0; t < n; ++t) {
    const places = ranked.map((r, m) => (counts[m] > 1 ? (r[t] - 1) / (counts[m] - 1) : NaN)).filter((x) => x === x);
    if (places.length > 1) result[t] = Math.max(...places) - Math.min(...places);
  }
  return result;
}

// Pearson's correlation over what both have.
export function pearson(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const at: number[] = [];
  for (let i = 0; i < Math.min(a.length, b.length); ++i) if (a[i] === a[i] && b[i] === b[i]) at.push(i);
  const mean = (v: ArrayLike<number>) => at.reduce((s, i) => s + v[i], 0) / at.length,
    x = mean(a),
    y = mean(b);
  let xy = 0,
    xx = 0,
    yy = 0;
  for (const i of at) {
    xy += (a[i] - x) * (b[i] - y);
    xx += (a[i] - x) ** 2;
    yy += (b[i] - y) ** 2;
  }
  return xy / Math.sqrt(xx * yy);
}
