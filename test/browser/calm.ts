import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { findingsInBothThemes } from "./axe.ts";
import type { Dashboard } from "./open.ts";
import { HOSTILE } from "./world.ts";

/** What every page keeps to: whatever names hold is text, anybody can use it in either theme, and it fits any screen. */
export async function expectCalm(it: Dashboard, path: string, ready: (page: Page) => Promise<unknown>): Promise<void> {
  await using opened = await it.open(path);
  const { page, faults } = opened;
  await ready(page);
  await eventually(() => page.locator("img, #content script").count()).toBe(0);
  expect(await findingsInBothThemes(page)).toEqual([]);
  await page.setViewportSize({ width: 380, height: 800 });
  await page.waitForFunction(() => document.documentElement.scrollWidth <= 380);
  expect(faults).toEqual([]);
}

/** The hostile text stands there, for everybody to read. */
export const hostileText = (page: Page) => page.getByText(HOSTILE).filter({ visible: true }).first().waitFor();
