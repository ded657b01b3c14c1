import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { ROOT } from "../e2e/weir.ts";

const SOURCE = readFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8");

/** What keeps people from using the page as it stands: serious and critical findings, a line each. */
export async function findings(page: Page): Promise<string[]> {
  // As the developer tools do: the page's own policy lets no script in.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: SOURCE });
  const { result } = await session.send("Runtime.evaluate", {
    expression: `axe.run(document, { resultTypes: ["violations"] }).then((found) => JSON.stringify(found.violations))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  const violations: AxeResults["violations"] = JSON.parse(result.value);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} (${failureSummary})`),
    );
}
