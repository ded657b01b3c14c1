/**
 * How long a browser takes to show the requests of a large database, and how smoothly they scroll. For each of a cold and
 * a warm start: milliseconds until the first row is painted, and what was transferred. Then the list is scrolled for some
 * seconds, and the time between its frames is printed, beside that of an empty page in the same browser; and, of another
 * round, the CPU time of each frame, which says the same on a machine that is busy with something else.
 *
 * Claim: first rows within a second, and no more than one frame in a hundred longer than 50 ms, with 1,000,000 records.
 * Run: `bun bench/dashboard.ts [--records 1000000] [--data-dir DIR] [--seconds 10]`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../test/browser/open.ts";
import { KEY, ROOT, startWeir, type Weir } from "../test/e2e/weir.ts";
import { FRAME_CATEGORIES, frameTimes } from "./frame-times.ts";
import { quantile, spread } from "./measured.ts";

const { values } = parseArgs({
  options: {
    records: { type: "string", default: "1000000" },
    "data-dir": { type: "string" },
    seconds: { type: "string", default: "10" },
    starts: { type: "string", default: "5" },
  },
});
const temporary = values["data-dir"] === undefined;
const dataDirectory = values["data-dir"] ?? mkdtempSync(join(tmpdir(), "weir-dashboard-"));
if (!existsSync(join(dataDirectory, "weir.db"))) {
  const command = [join(ROOT, "bench/seed.ts"), "--records", values.records, "--data-dir", dataDirectory];
  const { status } = spawnSync(process.execPath, command, { stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new Error("the database was not filled");
}

/** Milliseconds from the start of the navigation, as the page itself sees it. */
interface Start {
  readonly firstPaint: number;
  readonly rows: number;
  readonly kilobytes: number;
}

declare global {
  /** When the first row was painted. */
  var firstRowPaint: Promise<number> | undefined;
}

/** In the page: notes when the first row is painted. A call from outside would wait for whatever runs there next. */
function noteFirstRow(): void {
  globalThis.firstRowPaint = new Promise((note) => {
    const rows = new MutationObserver(() => {
      if (document.querySelector("tr[data-id]") === null) return;
      rows.disconnect();
      // What comes after the frame that has the row runs once it is painted.
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => note(performance.now());
        port2.postMessage(undefined);
      });
    });
    rows.observe(document, { subtree: true, childList: true });
  });
}

async function openRequests(page: Page, { api }: Weir): Promise<Start> {
  await page.goto(`${api}/requests`, { waitUntil: "commit" });
  await page.locator("tr[data-id]").first().waitFor();
  return page.evaluate(async () => {
    const rows = (await globalThis.firstRowPaint) ?? Number.NaN;
    const loaded = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
    const bytes = loaded.reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).transferSize, 0);
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    return { firstPaint: paint?.startTime ?? Number.NaN, rows, kilobytes: bytes / 1_000 };
  });
}

/** Milliseconds between frames over some seconds, while the list moves by `px` with each of them. */
function frames(page: Page, seconds: number, px: number): Promise<number[]> {
  return page.evaluate(
    async ([ms, step]) => {
      const list = document.querySelector(".requests-scroller");
      const between: number[] = [];
      let last = performance.now();
      const until = last + ms!;
      while (last < until) {
        const now = await new Promise<number>((next) => requestAnimationFrame(next));
        between.push(now - last);
        last = now;
        if (list !== null) list.scrollTop += step!;
      }
      return between.slice(2);
    },
    [seconds * 1_000, px] as const,
  );
}

const rowsPassed = (page: Page): Promise<number> =>
  page.evaluate(() => Math.round(document.querySelector(".requests-scroller")!.scrollTop / 34));

async function loggedIn(browser: Browser, { api }: Weir) {
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
  await context.request.post(`${api}/v1/session`, { data: { key: KEY } });
  await context.addInitScript(noteFirstRow);
  return context;
}

const startLine = (name: string, starts: readonly Start[]) => {
  const list = (of: (start: Start) => number) => starts.map((start) => Math.round(of(start))).join(" ");
  console.log(
    `${name}: rows after ${list(({ rows }) => rows)} ms (median ${Math.round(
      quantile(
        starts.map(({ rows }) => rows),
        0.5,
      ),
    )})`,
  );
  console.log(
    `  first paint after ${list(({ firstPaint }) => firstPaint)} ms; ${list(({ kilobytes }) => kilobytes)} kB transferred`,
  );
};

const frameLine = (ms: readonly number[]) =>
  `${spread(ms)}; ${ms.filter((each) => each > 50).length} of ${ms.length} over 50 ms`;

const weir = await startWeir({ dataDirectory, env: { WEIR_BOOTSTRAP_KEY: KEY } });
const browser = await openBrowser();
try {
  const cold: Start[] = [];
  const warm: Start[] = [];
  for (let start = 0; start < Number(values.starts); start++) {
    const context = await loggedIn(browser, weir);
    const page = await context.newPage();
    cold.push(await openRequests(page, weir));
    warm.push(await openRequests(page, weir));
    await context.close();
  }
  console.log(
    `load average ${loadavg()
      .map((each) => each.toFixed(1))
      .join(" ")}, ${availableParallelism()} processors`,
  );
  startLine("cold", cold);
  startLine("warm", warm);

  const context = await loggedIn(browser, weir);
  const page = await context.newPage();
  const seconds = Number(values.seconds);
  await page.goto("about:blank");
  console.log(`empty page: ${spread(await frames(page, Math.min(3, seconds), 0))} between frames`);
  await openRequests(page, weir);
  await page.getByText(/^[\d,]+ requests$/).waitFor({ timeout: 60_000 });
  console.log(`count shown: ${await page.locator(".count-of").textContent()}`);
  for (const px of [34, 340]) {
    await page.reload();
    await page.locator("tr[data-id]").first().waitFor();
    const between = await frames(page, seconds, px);
    console.log(`scrolling by ${px} px a frame, ${await rowsPassed(page)} rows: ${frameLine(between)} between frames`);
    await page.reload();
    await page.locator("tr[data-id]").first().waitFor();
    await browser.startTracing(page, { categories: FRAME_CATEGORIES });
    await frames(page, seconds, px);
    const times = frameTimes(await browser.stopTracing());
    console.log(`  again, ${await rowsPassed(page)} rows: ${frameLine(times)} of processor time`);
  }
  console.log(`rows in the page: ${await page.locator("tr[data-id]").count()}`);
  await context.close();
} finally {
  await browser.close();
  await weir.stop();
  if (temporary) rmSync(dataDirectory, { recursive: true, force: true });
}
