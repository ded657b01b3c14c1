import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";
import { ROOT } from "../e2e/weir.ts";

const SOURCE = readFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8");

/** Impacts that are not reported. All findings of a rule have the rule's own impact. */
const NOT_SERIOUS = ["minor", "moderate"];
/** Loads axe into a page, without the rules whose findings are not reported. */
const PREPARE = `${SOURCE}
axe.configure({
  rules: axe._audit.rules
    .filter(({ impact }) => ${JSON.stringify(NOT_SERIOUS)}.includes(impact))
    .map(({ id }) => ({ id, enabled: false })),
});
undefined`;
/** Rules whose outcome depends on the theme. */
const ON_COLORS = ["color-contrast", "link-in-text-block"];

/** What keeps people from using the page as it stands: serious and critical findings, a line each. */
export function findings(page: Page): Promise<string[]> {
  return run(page, {});
}

/** The same in both themes; in the second, of what depends on it. Afterwards the theme is light. */
export async function findingsInBothThemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await run(page, { runOnly: ON_COLORS });
  await page.emulateMedia({ colorScheme: "light" });
  const light = await findings(page);
  return [...light.map((each) => `light: ${each}`), ...dark.map((each) => `dark: ${each}`)];
}

async function run(page: Page, options: RunOptions): Promise<string[]> {
  // As the developer tools do: the page's own policy lets no script in.
  const session = await page.context().newCDPSession(page);
  const evaluate = async (expression: string) => {
    const { result } = await session.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    return result.value;
  };
  if ((await evaluate("typeof axe")) === "undefined") await evaluate(PREPARE);
  const how = JSON.stringify({ ...options, resultTypes: ["violations"] });
  const found = await evaluate(`axe.run(document, ${how}).then((found) => JSON.stringify(found.violations))`);
  await session.detach();
  const violations: AxeResults["violations"] = JSON.parse(found);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} (${failureSummary})`),
    );
}
