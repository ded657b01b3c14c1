import type { Page } from "playwright-core";

/** What on the page a keyboard does not reach, or reaches without showing it; a line each. */
export async function beyondKeyboard(page: Page): Promise<string[]> {
  await page.keyboard.press("Tab"); // from now on the page shows where the focus is
  return page.evaluate(() => {
    const controls =
      "a[href], button, input, select, textarea, summary, [role=button], [role=slider], [role=tab], [tabindex='0']";
    /** How a control and what is around it look. */
    const look = (element: Element) => {
      const parts: string[] = [];
      let part: Element | null = element;
      for (let depth = 0; part !== null && depth < 4; depth++, part = part.parentElement)
        for (const pseudo of [null, "::before", "::after"]) {
          const style = getComputedStyle(part, pseudo);
          parts.push(style.outline, style.boxShadow, style.borderColor, style.backgroundColor, style.opacity);
        }
      return parts.join();
    };
    const named = (element: Element) => element.outerHTML.slice(0, 200);
    const found: string[] = [];
    for (const element of document.querySelectorAll<HTMLElement>(controls)) {
      const isSeen = element.isConnected && element.checkVisibility() && element.getBoundingClientRect().width > 0;
      // A row of the list is chosen with the key x.
      if (!isSeen || element.matches(":disabled, tr[data-id] input")) continue;
      (document.activeElement as HTMLElement | null)?.blur();
      const before = look(element);
      element.focus({ preventScroll: true });
      if (!element.isConnected) continue; // the page has drawn something else in its place
      if (element.tabIndex < 0 || document.activeElement !== element) found.push(`not reached: ${named(element)}`);
      else if (look(element) === before) found.push(`looks the same with the focus: ${named(element)}`);
    }
    for (const element of document.querySelectorAll("*"))
      if (getComputedStyle(element).cursor === "pointer" && element.closest(`${controls}, label, tr[data-id]`) === null)
        found.push(`for a mouse alone: ${named(element)}`);
    return found;
  });
}
