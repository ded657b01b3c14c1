import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { findingsInBothThemes } from "./axe.ts";
import type { Dashboard } from "./open.ts";
import { startWalk, type Walk } from "./walk.ts";
import { HOSTILE } from "./world.ts";

/** The tab of each dashboard in which its pages are checked one after the other. It is closed with the dashboard. */
const walks = new WeakMap<Dashboard, Promise<Walk>>();

/** What every page keeps to: whatever names hold is text, anybody can use it in either theme, and it fits any screen. */
export async function expectCalm(it: Dashboard, path: string, ready: (page: Page) => Promise<unknown>): Promise<void> {
  if (!walks.has(it)) walks.set(it, startWalk(it));
  const { page, faults, to, leave } = await walks.get(it)!;
  await page.setViewportSize({ width: 1_280, height: 800 });
  await to(path, ready);
  await eventually(() => page.locator("img, #content script").count()).toBe(0);
  expect(await findingsInBothThemes(page)).toEqual([]);
  const cutTiles = () =>
    page.locator(".tile").evaluateAll((tiles) => tiles.filter((each) => each.scrollWidth > each.clientWidth).length);
  expect(await cutTiles()).toBe(0);
  await page.setViewportSize({ width: 380, height: 800 });
  await page.waitForFunction(() => document.documentElement.scrollWidth <= 380);
  expect(await cutTiles()).toBe(0);
  expect(faults).toEqual([]);
  await leave();
}

/** The hostile text stands there, for everybody to read. */
export const hostileText = (page: Page) => page.getByText(HOSTILE).filter({ visible: true }).first().waitFor();
