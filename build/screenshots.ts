/**
 * Takes the pictures of docs/images: `bun build/screenshots.ts [NAME…]`.
 *
 * Fills a database with the records of `bench/seed.ts`, sends a few example requests through a service, and takes
 * screenshots of its pages in Chromium; some pages are those of `weir demo`.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../test/browser/open.ts";
import { completion, send, startProvider } from "../test/browser/traffic.ts";
import { askDemo, startDemo } from "../test/e2e/demo.ts";
import { callApi, KEY, programCommand, ROOT, startWeir, type Weir } from "../test/e2e/weir.ts";

const FOLDER = join(ROOT, "docs/images");
const RECORDS = 30_000;

interface Shot {
  readonly name: string;
  readonly path: string;
  readonly theme?: "dark";
  readonly before?: (page: Page) => Promise<void>;
}

/** The histogram appears after the rows. */
const histogram = (page: Page) => page.getByRole("slider", { name: /^Requests over time/ }).waitFor();

const shots = (requestId: string): readonly Shot[] => [
  {
    name: "requests",
    path: "/requests",
    before: histogram,
  },
  {
    name: "filter",
    path: `/requests?range=7d&filter=${encodeURIComponent(
      JSON.stringify({
        left: { request_response_rmt: { provider: { equals: "OPENAI" } } },
        operator: "and",
        right: { request_response_rmt: { latency: { gte: 3_000 } } },
      }),
    )}`,
    theme: "dark",
    before: async (page) => {
      await page.getByRole("button", { name: "Builder" }).click();
      await histogram(page);
    },
  },
  { name: "request", path: `/requests/${requestId}` },
  { name: "overview", path: "/overview" },
  { name: "dashboards", path: "/dashboards/errors" },
  { name: "playground", path: "/playground", before: compareModels },
];

/** Screenshots of the demo's records. */
const demoShots = (reviewId: string): readonly Shot[] => [
  {
    name: "scores",
    path: "/scores?by=prompt_version",
    before: (page) => page.getByRole("region", { name: "Distribution" }).getByRole("link").first().waitFor(),
  },
  {
    name: "review",
    path: `/reviews/${reviewId}`,
    before: async (page) => {
      await page.getByRole("button", { name: /^Yes/ }).waitFor();
      for (const key of ["y", "3"]) await page.keyboard.press(key);
      await page.getByRole("button", { name: /^good/, pressed: true }).waitFor();
    },
  },
];

/** Responses of the tutor, to be scored by people. */
const REVIEW = {
  name: "Responses of the tutor",
  scores: [
    { name: "right", kind: "boolean", description: "What it says is true." },
    {
      name: "tone",
      kind: "choice",
      choices: [
        { label: "bad", value: 0 },
        { label: "fair", value: 0.5 },
        { label: "good", value: 1 },
      ],
    },
  ],
};

/** Sends a prompt to two models and waits for both responses. */
async function compareModels(page: Page): Promise<void> {
  await page.getByRole("combobox", { name: "Model", exact: true }).fill("openai/gpt-5-mini");
  await page.getByRole("button", { name: "Compare with another" }).click();
  await page.getByRole("combobox", { name: "Model 2" }).fill("anthropic/claude-sonnet-5-5");
  await page
    .getByRole("textbox", { name: "Message 1", exact: true })
    .fill("You answer questions about rivers, in one sentence.");
  await page.getByRole("textbox", { name: "Message 2", exact: true }).fill("Why is a weir built across a river?");
  await page.getByLabel("Stream").uncheck();
  await page.getByLabel("Seed").fill("7");
  await page.getByRole("button", { name: "Send to all" }).click();
  for (const model of ["openai/gpt-5-mini", "anthropic/claude-sonnet-5-5"])
    await page
      .getByRole("region", { name: `Response of ${model}` })
      .getByText("Sent to the provider")
      .waitFor();
  await page.getByRole("heading", { level: 1 }).scrollIntoViewIfNeeded();
}

/** A stand-in for two providers, with a credential for each. */
async function keepModels(weir: Weir): Promise<Disposable> {
  const openai = "To raise and steady its water level, so that boats, mills and taps have enough of it all year.";
  const anthropic =
    "A weir holds the water back just enough to keep an even level upstream, while the rest flows over its crest.";
  const provider = startProvider((path, body) => {
    if (path.endsWith("/models")) return Response.json({ object: "list", data: [] });
    return Response.json(
      path.endsWith("/messages")
        ? {
            ...{ id: "msg_1", type: "message", role: "assistant", model: body.model, stop_reason: "end_turn" },
            content: [{ type: "text", text: anthropic }],
            usage: { input_tokens: 31, output_tokens: 27 },
          }
        : { ...completion(openai), model: body.model },
    );
  });
  for (const name of ["openai", "anthropic"]) {
    const credential = {
      provider: name,
      name,
      api_key: `${name}-0123456789`,
      base_url: provider.origin,
      private: true,
    };
    await callApi(weir, "/v1/credentials", { method: "POST", body: JSON.stringify(credential) });
  }
  return provider;
}

/** A conversation with enough content for a picture. */
async function tellingRequest(weir: Weir): Promise<string> {
  using provider = startProvider((path) =>
    Response.json(
      path.endsWith("/fail")
        ? { error: { message: "overloaded" } }
        : completion("The gauge at Lenggries stands at 1.32 m. That is normal for November, and the weir is open.", {
            annotations: [
              {
                type: "url_citation",
                url_citation: { url: "https://example.com/gauges", title: "Gauges of the Isar" },
              },
            ],
          }),
      { status: path.endsWith("/fail") ? 503 : 200 },
    ),
  );
  const headers = (path: string) => ({
    "gateway-target-provider": "openai",
    "Gateway-User-Id": "ada@example.com",
    "Gateway-Session-Id": "trip-to-the-river",
    "Gateway-Session-Name": "Trip to the river",
    "Gateway-Session-Path": path,
    "Gateway-Property-Environment": "production",
    "Gateway-Property-Team": "field",
  });
  const messages = [
    { role: "system", content: "You answer questions about rivers. Look levels up before you name them." },
    { role: "user", content: "How high is the Isar at Lenggries today, and is the weir open?" },
    {
      role: "assistant",
      tool_calls: [
        {
          id: "call_1",
          type: "function",
          function: { name: "level_of", arguments: '{"river":"Isar","at":"Lenggries"}' },
        },
      ],
    },
    { role: "tool", tool_call_id: "call_1", content: '{"metres":1.32,"state":"normal"}' },
  ];
  await send(weir, provider, { headers: headers("/plan") });
  await send(weir, provider, { headers: headers("/plan/fail"), path: "/v1/chat/completions/fail" });
  const id = await send(weir, provider, {
    headers: headers("/plan/level"),
    body: { model: "gpt-4o-mini", temperature: 0.2, messages },
  });
  await send(weir, provider, { headers: headers("/plan/route") });
  const api = { method: "POST", headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" } };
  await fetch(`${weir.api}/v1/request/${id}/score`, { ...api, body: JSON.stringify({ scores: { helpful: 0.9 } }) });
  await fetch(`${weir.api}/v1/request/${id}/feedback`, { ...api, body: JSON.stringify({ rating: true }) });
  return id;
}

const wanted = process.argv.slice(2);
const isWanted = ({ name }: Shot) => wanted.length === 0 || wanted.includes(name);

async function photograph(browser: Browser, api: string, key: string, shot: Shot): Promise<void> {
  const { name, path, theme = "light", before } = shot;
  const context = await browser.newContext({
    viewport: { width: 1_180, height: 700 },
    colorScheme: theme,
    timezoneId: "UTC",
  });
  await context.request.post(`${api}/v1/session`, { data: { key } });
  const page = await context.newPage();
  await page.goto(api + path);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
  await before?.(page);
  const file = join(FOLDER, `${name}.png`);
  await page.screenshot({ path: file, animations: "disabled" });
  console.log(`${file}: ${Math.round(statSync(file).size / 1e3)} kB`);
  await context.close();
}

/** Pages with many records, and a few example requests. */
async function photographSeeded(browser: Browser): Promise<void> {
  const dataDirectory = mkdtempSync(join(tmpdir(), "weir-screenshots-"));
  const seeded = spawnSync(
    process.execPath,
    [join(ROOT, "bench/seed.ts"), "--records", String(RECORDS), "--data-dir", dataDirectory],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  if (seeded.status !== 0) throw new Error("the database was not filled");
  const weir = await startWeir({ dataDirectory });
  const models = await keepModels(weir);
  try {
    for (const shot of shots(await tellingRequest(weir)).filter(isWanted))
      await photograph(browser, weir.api, KEY, shot);
  } finally {
    models[Symbol.dispose]();
    await weir.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

async function photographDemo(browser: Browser): Promise<void> {
  await using demo = await startDemo(programCommand());
  // The scores arrive once everything is recorded; until the last one, their number grows.
  const count = async () => {
    const scores: readonly { readonly requests: number }[] = await askDemo(demo, "/v1/score/query", {});
    return scores.reduce((sum, { requests }) => sum + requests, 0);
  };
  for (let [before, now] = [-1, 0]; before !== now || now === 0; await sleep(1_000))
    [before, now] = [now, await count()];
  const { id } = await askDemo(demo, "/v1/reviews", REVIEW);
  const filter = { request_response_rmt: { prompt_id: { equals: "tutor" } } };
  await askDemo(demo, `/v1/reviews/${id}/requests`, { filter, limit: 20 });
  for (const shot of demoShots(id).filter(isWanted)) await photograph(browser, demo.api, demo.key, shot);
}

mkdirSync(FOLDER, { recursive: true });
const browser = await openBrowser();
try {
  if (shots("").some(isWanted)) await photographSeeded(browser);
  if (demoShots("").some(isWanted)) await photographDemo(browser);
} finally {
  await browser.close();
}
