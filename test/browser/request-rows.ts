import type { Page } from "playwright-core";

export const rows = (page: Page) => page.getByRole("table", { name: "Requests" }).locator("tr[data-id]");
/** Rows of these users stand there, in this order, and no others: rows and their count come apart from each other. */
export const expectUsers = (page: Page, names: readonly string[]) =>
  page.waitForFunction((wanted) => {
    const heads = [...document.querySelectorAll("thead th")]; // the first is that of the checkboxes
    const at = heads.findIndex((head) => head.getAttribute("data-column") === "user") + 1;
    return (
      [...document.querySelectorAll(`tr[data-id] td:nth-child(${at})`)].map((c) => c.textContent).join() === wanted
    );
  }, names.join());
export const columns = (page: Page) =>
  page.locator("th[data-column]").evaluateAll((heads) => heads.map((head) => head.getAttribute("data-column")!));
/** The filter in the page's address. */
export const filterIn = (page: Page): unknown => JSON.parse(new URL(page.url()).searchParams.get("filter") ?? "null");
