import { expect, test } from "bun:test";
import { clock, count, createProgress, size } from "../../src/api-client/progress.ts";
import { type Fault, startApi } from "./api-server.ts";
import { makeRecord } from "./records.ts";
import { QUICK, run } from "./run-in-test.ts";

const RECORDS = Array.from({ length: 3000 }, (_, index) => makeRecord(index));
const ALL = ["--start-date", "2026-01-01", "--end-date", "2026-12-31", "--output", "-"];
const SLOW = (): Fault => ({ kind: "slow" });

/** A terminal that keeps what it was shown. */
function terminal(columns: number, isTTY = true) {
  const shown: string[] = [];
  return { shown, isTTY, columns, write: (text: string) => shown.push(text) };
}

test("a terminal shows a bar with share, count, rate and time left, and it fits the line", async () => {
  await using api = await startApi({ records: RECORDS, fault: SLOW });
  const stderr = terminal(80);
  const fault = { firstDelayMs: 300, delayMsMax: 300 };
  expect(await run(api.url, ALL, { stderr, pace: { ...QUICK, ...fault } })).toMatchObject({ status: 0 });
  const all = stderr.shown.join("");
  expect(all).toContain("\r\x1b[2K");
  expect(all).toMatch(/weir export: 3,000 records, 2\.\d MB in 0:\d\d, [\d,]+\/s to stdout\n$/);
});

test("the bar shows progress, rate and remaining time", async () => {
  const screen = terminal(100);
  const progress = createProgress({ screen, quiet: false, lineEveryMs: 10_000 });
  progress.expect(4000);
  progress.phase("exporting", 1000);
  const begun = performance.now();
  progress.advance(1000, 2_500_000);
  while (!screen.shown.some((text) => text.includes("2,000/4,000"))) await Bun.sleep(10);
  const seconds = (performance.now() - begun) / 1000;
  progress.stop();
  const line = screen.shown.find((text) => text.includes("2,000/4,000"))?.replace("\r\x1b[2K", "") ?? "";
  const [, rate = "0"] = /([\d,]+)\/s/.exec(line) ?? [];
  expect(line).toMatch(/^exporting █+░+ 50% 2,000\/4,000 {2}[\d,]+\/s {2}ETA 0:\d\d {2}2\.5 MB$/);
  // 1,000 records since the phase began, not the 2,000 that are there: the others are an earlier run's.
  expect(Number(rate.replace(",", ""))).toBeGreaterThanOrEqual(Math.floor(1000 / seconds) - 1);
  expect(line.length).toBeLessThan(100);
  expect(screen.shown.at(-1)).toBe("\r\x1b[2K");
});

test.each([
  [200, 200],
  [80, 80],
  [40, 40],
  [20, 20],
  [5, 5],
  [0, 80], // a terminal that does not say
])("a line of a terminal with %i columns has less than %i characters", async (columns, most) => {
  const screen = terminal(columns);
  const progress = createProgress({ screen, quiet: false, lineEveryMs: 10_000 });
  progress.expect(1_234_567);
  progress.phase("exporting", 0);
  progress.advance(1000, 5_000_000);
  progress.waiting("status 503: the database cannot be reached now", 9000, 3);
  while (screen.shown.length === 0) await Bun.sleep(10);
  progress.stop();
  for (const text of screen.shown) expect(text.replace("\r\x1b[2K", "").length).toBeLessThan(most);
  if (most >= 40) expect(screen.shown.join("")).toContain("exporting");
});

test("a wait is shown with its reason, the attempt and the seconds left", async () => {
  const screen = terminal(120);
  const progress = createProgress({ screen, quiet: false, lineEveryMs: 10_000 });
  progress.waiting("status 503", 9000, 3);
  while (screen.shown.length === 0) await Bun.sleep(10);
  progress.stop();
  expect(screen.shown[0]).toMatch(/attempt 4 in [1-9] s: status 503/);
});

test("elsewhere there is a plain line now and then, and one at the end", async () => {
  await using api = await startApi({ records: RECORDS, fault: SLOW });
  const stderr = terminal(80, false);
  expect(await run(api.url, ALL, { stderr, lineEveryMs: 5 })).toMatchObject({ status: 0 });
  expect(stderr.shown.length).toBeGreaterThan(2);
  for (const line of stderr.shown) expect(line).toMatch(/^weir export: [^\r\x1b]*\n$/);
  expect(stderr.shown.join("")).toMatch(/exporting \d+% [\d,]+\/3,000/);
});

test("--quiet prints failures only", async () => {
  await using api = await startApi({ records: RECORDS, fault: SLOW });
  for (const isTTY of [true, false]) {
    const stderr = terminal(80, isTTY);
    await run(api.url, [...ALL, "--quiet"], { stderr, lineEveryMs: 1 });
    expect(stderr.shown).toEqual([]);
    await run(api.url, [...ALL, "--quiet"], { stderr }, { WEIR_API_KEY: "sk-wrong" });
    expect(stderr.shown.join("")).toMatch(/401/);
  }
});

test("bad usage is one line that names the help", async () => {
  const bad = await run("http://127.0.0.1:1", ["--nonsense"]);
  expect(bad.status).toBe(2);
  expect(bad.stderr).toMatch(/^weir export: .*--nonsense.* \(see weir help export\)\n$/);
});

test.each([
  [0, "0:00"],
  [0.2, "0:01"],
  [59.5, "1:00"],
  [61, "1:01"],
  [3599, "59:59"],
  [3661, "1:01:01"],
  [360_000, "100:00:00"],
])("%p seconds are shown as %s", (seconds, text) => {
  expect(clock(seconds)).toBe(text);
});

test("counts and sizes are shown as a person reads them", () => {
  expect([count(1234567), size(999), size(2_500_000), size(3_210_000_000)]).toEqual([
    "1,234,567",
    "1.0 kB",
    "2.5 MB",
    "3.21 GB",
  ]);
});
