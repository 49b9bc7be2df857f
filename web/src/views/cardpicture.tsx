// What a card will open, as a small drawing of its kind: no result, but the look of one. A picture's card has the picture.
import type { Example } from "../live/api";

const width = 220,
  height = 74;

// Words with a colour each, from against (−1) to for (1).
function Words({ shades }: { shades: number[] }) {
  let x = 8,
    y = 12;
  return (
    <>
      {shades.map((s, i) => {
        const w = 22 + ((i * 37) % 23);
        if (x + w > width - 8) {
          x = 8;
          y += 20;
        }
        const at = x;
        x += w + 5;
        return (
          <rect
            x={at}
            y={y}
            width={w}
            height="14"
            rx="3"
            class={s < 0 ? "less" : "more"}
            fill-opacity={(0.08 + 0.92 * Math.abs(s)).toFixed(2)}
          />
        );
      })}
    </>
  );
}

// Maps, one for each layer: a band along the diagonal that becomes a column.
function Grids({ count, cells }: { count: number; cells: number }) {
  const side = 56,
    step = side / cells;
  return (
    <>
      {Array.from({ length: count }, (_, m) =>
        Array.from({ length: cells * cells }, (_, i) => {
          const r = Math.floor(i / cells),
            c = i % cells,
            band = Math.exp(-((r - c) ** 2) / (1 + m)),
            column = c === 3 ? 0.3 * m : 0;
          return (
            <rect
              x={12 + m * (side + 14) + c * step}
              y={9 + r * step}
              width={step - 0.6}
              height={step - 0.6}
              class="more"
              fill-opacity={Math.min(1, 0.06 + (1 - 0.25 * m) * band + column).toFixed(2)}
            />
          );
        }),
      )}
    </>
  );
}

function Ways() {
  const at = (k: number) => 24 + 34 * k,
    from = [0, 1, 2, 3, 3, 4, 5],
    to = [2, 2, 2, 2, 4, 4, 4];
  return (
    <g fill="none" class="way">
      {from.map((f, i) => (
        <path d={`M${at(f)} 66C${at(f)} 50 ${at(to[i])} 52 ${at(to[i])} 37`} stroke-width={[1, 2, 4, 3, 1.5, 4, 2][i]} />
      ))}
      <path d={`M${at(2)} 37C${at(2)} 22 ${at(0)} 24 ${at(0)} 8`} stroke-width="5" />
      <path d={`M${at(4)} 37C${at(4)} 22 ${at(0)} 24 ${at(0)} 8`} stroke-width="3" />
    </g>
  );
}

function HeadCells() {
  return (
    <>
      {Array.from({ length: 48 }, (_, i) => (
        <rect
          x={12 + (i % 12) * 16.5}
          y={8 + Math.floor(i / 12) * 15}
          width="14.5"
          height="13"
          rx="2"
          class="more"
          fill-opacity={(0.08 + 0.92 * [0.1, 0.3, 0.05, 0.2, 0.9, 0.15, 0.4, 0.08, 0.12, 0.6, 0.1, 0.25, 0.05][(i * 7) % 13]).toFixed(2)}
        />
      ))}
    </>
  );
}

export function CardPicture({ example }: { example: Example }) {
  if (example.image) return <img class="card-picture" src={example.image} alt="" />;
  const tab = example.tab ?? "scores";
  return (
    <svg class="card-picture" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {tab === "flow" || tab === "blocks" ? (
        <Ways />
      ) : tab === "heads" ? (
        <HeadCells />
      ) : tab === "layers" ? (
        <Grids count={3} cells={7} />
      ) : tab === "matrix" ? (
        <Grids count={1} cells={9} />
      ) : (
        <Words shades={[0.1, 0.05, -0.2, -0.9, 0.1, 0.2, 0.05, 0.4, 0.9, 0.15, -0.3, 0.1, 0.05]} />
      )}
    </svg>
  );
}
