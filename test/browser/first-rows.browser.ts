import { afterAll, beforeAll, expect, test } from "bun:test";
import { KEY } from "../e2e/weir.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { rows } from "./request-rows.ts";
import { chat, completion, type Provider, send, startProvider } from "./traffic.ts";

let it: Dashboard;
let provider: Provider;
beforeAll(async () => {
  it = await openDashboard();
  provider = startProvider(() => Response.json(completion("yes")));
  await send(it.weir, provider, { body: chat("a question") });
});
afterAll(async () => {
  provider[Symbol.dispose]();
  await it[Symbol.asyncDispose]();
});

const QUERY = "**/v1/request/query*";
/** The program itself: the largest file. It imports what the earlier script has too. */
const PROGRAM = /\/assets\/main-[^/]+\.js$/;

test("the first rows are requested before the program has loaded, and once", async () => {
  const queries: string[] = [];
  const queried = Promise.withResolvers<void>();
  let held = 0;
  await using opened = await it.open("/requests", {
    alone: true,
    prepare: async (page) => {
      await page.route(QUERY, (route) => {
        const { limit } = route.request().postDataJSON();
        if (limit === 100) queries.push(route.request().url()); // the histogram has a query for the first time
        queried.resolve();
        return route.continue();
      });
      await page.route(PROGRAM, async (route) => {
        const response = await route.fetch();
        if ((await response.body()).byteLength > 100_000) {
          held++;
          await queried.promise;
        }
        return route.fulfill({ response });
      });
    },
  });
  await rows(opened.page).first().waitFor();
  await opened.page.getByText("1 request", { exact: true }).waitFor();
  expect({ held, queries }).toEqual({ held: 1, queries: [expect.any(String)] });
});

test("a list with a query in its address sends only that query", async () => {
  const sorts: unknown[] = [];
  await using opened = await it.open("/requests?sort=user_id.desc", {
    alone: true,
    prepare: (page) =>
      page.route(QUERY, (route) => {
        const { limit, sort } = route.request().postDataJSON();
        if (limit === 100) sorts.push(sort); // as above
        return route.continue();
      }),
  });
  await rows(opened.page).first().waitFor();
  expect(sorts).toEqual([{ user_id: "desc" }]);
});

test("without a log-in the early query is refused, and the rows are loaded after the log-in", async () => {
  await using opened = await it.open("/requests", { key: null, alone: true });
  const { page, faults } = opened;
  await page.getByLabel("Service key").fill(KEY);
  await page.keyboard.press("Enter");
  await rows(page).first().waitFor();
  expect(faults).toEqual([]);
});
