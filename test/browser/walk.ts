import type { Page, Request } from "playwright-core";
import { until } from "../until.ts";
import type { Dashboard } from "./open.ts";

/** An address at which there is no page: it shows this heading, and asks for nothing. */
const NOWHERE = "/nowhere";
const NOWHERE_HEADING = "There is no such page";

/**
 * A tab that goes from page to page without loading any of them, as people do. A load of each page costs three times as
 * much CPU. So does the first run of axe in a document, before it is compiled.
 */
export interface Walk extends AsyncDisposable {
  readonly page: Page;
  /** Of all pages since the walk began. */
  readonly faults: readonly string[];
  /**
   * Resolves once the page at `path` is `ready`, has its responses, and shows them. The page before is gone when `ready`
   * is called.
   */
  to(path: string, ready: (page: Page) => Promise<unknown>): Promise<void>;
  /** Leaves the page, so that it asks for nothing more. */
  leave(): Promise<void>;
}

/** The tab is logged in, light and of the usual size. */
export async function startWalk(it: Dashboard): Promise<Walk> {
  const opened = await it.open(NOWHERE);
  const { page, faults } = opened;
  const underWay = new Set<Request>();
  page.on("request", (request) => underWay.add(request));
  page.on("requestfinished", (request) => underWay.delete(request));
  page.on("requestfailed", (request) => underWay.delete(request));
  const nowhere = page.getByRole("heading", { level: 1, name: NOWHERE_HEADING, exact: true });
  await nowhere.waitFor();
  const push = (path: string) => page.evaluate((address) => history.pushState(null, "", address), path);
  const leave = async () => {
    await push(NOWHERE);
    await nowhere.waitFor();
  };
  const drawn = () =>
    page.evaluate(() => new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  const to = async (path: string, ready: (page: Page) => Promise<unknown>) => {
    await leave();
    await push(path);
    await nowhere.waitFor({ state: "detached" });
    await ready(page);
    let isAtRest = false;
    // A response may make it ask for more.
    while (!isAtRest) {
      await until(() => underWay.size === 0);
      await drawn();
      isAtRest = underWay.size === 0;
    }
  };
  return { page, faults, to, leave, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}
