// The page in a real browser: node run.mjs PROGRAM CHROMIUM. Each check stands alone and says what it saw.
import { readFileSync } from "node:fs";
import { World } from "./harness.mjs";
import * as exports from "./exports.mjs";
import * as figures from "./figures.mjs";
import * as folders from "./folders.mjs";
import * as report from "./report.mjs";
import * as live from "./live.mjs";
import * as look from "./look.mjs";
import * as truth from "./truth.mjs";
import * as speed from "./speed.mjs";

const [program, executable, only] = process.argv.slice(2);
const world = new World(program, executable);
let failed = 0;
try {
  await world.open();
  const pages = report.pages(world);
  await world.serve();
  for (const [file, checks] of Object.entries({ report, exports, figures, look, live, truth, folders, speed }))
    for (const [name, check] of Object.entries(checks)) {
      if (!name.startsWith("check") || (only && !`${file}.${name}`.includes(only))) continue;
      const start = performance.now();
      try {
        const said = await check(world, pages);
        if (world.errors.length) throw new Error("expected no error on the page, found " + world.errors.slice(0, 3).join(" | "));
        console.log(`ok   ${file}.${name} ${Math.round(performance.now() - start)} ms${said ? ": " + said : ""}`);
      } catch (error) {
        ++failed;
        console.log(`FAIL ${file}.${name}: ${error.message}`);
        if (process.env.HEADWATER_PAGE_TRACE) console.log(error.stack);
      }
      world.errors.length = 0;
      for (const context of world.browser.contexts()) await context.close();
    }
  console.log(`${world.checkRequests()} requests, all to this machine`);
  console.log(`report ${(readFileSync(pages.text).length / 1e6).toFixed(2)} MB`);
} catch (error) {
  ++failed;
  console.log("FAIL " + error.message);
} finally {
  await world.close();
}
process.exit(failed ? 1 : 0);
