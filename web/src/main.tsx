// Which face this is: a document inside the page makes a report, otherwise the page asks its server.
import { render } from "preact";
import { Bench } from "./bench";
import { LiveSession } from "./live/session";
import { embeddedDocument } from "./model/document";
import { App } from "./views/app";
import "./style.css";

const bench = new Bench(),
  root = document.getElementById("app")!;
bench.readAddress(location.hash || (document.documentElement.dataset.view ?? "")); // a saved page opens as it was left
const embedded = embeddedDocument(document),
  live = embedded ? null : new LiveSession(bench);
root.replaceChildren();
if (embedded) bench.load(embedded, true);
render(<App b={bench} live={live} />, root);
live?.start();

// Paper is light, whatever the screen is.
let onScreen: "" | "light" | "dark" = "";
addEventListener("beforeprint", () => {
  onScreen = bench.view.theme;
  bench.view = { ...bench.view, theme: "light" };
  render(<App b={bench} live={live} />, root);
  bench.changed();
});
addEventListener("afterprint", () => {
  bench.view = { ...bench.view, theme: onScreen };
  bench.changed();
});
