// The text of a prediction that is not explained yet: its place on the page, and no colour.
import type { Predicted } from "../live/early";
import type { LiveSession } from "../live/session";
import { linesOf, spaceBefore } from "../model/lines";
import { Panel } from "./parts";

export function EarlyText({ prediction, live }: { prediction: Predicted; live: LiveSession }) {
  const units = prediction.tokens ?? [];
  if (units.length === 0) return live.input.image ? <Waiting title="Picture" picture={live.input.image} /> : null;
  return (
    <Panel id="early" title="Text">
      {linesOf(units, [live.input.text, live.input.pair, live.input.prefix], true).map((line) => (
        <p class="running" dir={line.right ? "rtl" : "ltr"}>
          {line.pieces.map(({ before, at }) => {
            const space = spaceBefore(units[at].text);
            return (
              <>
                {before + space}
                <span class={"tok plain" + (units[at].special ? " special" : "")}>{units[at].text.slice(space.length) || "␣"}</span>
              </>
            );
          })}
        </p>
      ))}
    </Panel>
  );
}

const Waiting = ({ title, picture }: { title: string; picture: string }) => (
  <Panel id="early" title={title}>
    <img src={picture} alt="The picture that is being explained" class="early-picture" />
  </Panel>
);
