import type { Browser, BrowserContext, Page } from "playwright-core";

/** How long anything may take to appear: the machine may be busy. */
const APPEARS_MS = 150_000;

/** A page in a context of its own. */
interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors that the page did not catch, dialogs, and what its policy stopped, since it was taken. */
  faults: string[];
  readonly locale: string;
  readonly isAlone: boolean;
}

/**
 * The pages of a browser, used again by one test after another: a new context has an empty cache and a process of its own,
 * which costs four times as much CPU. A page is given out as if it were new: without cookies, storage, routes, size and theme of
 * the test before.
 */
export class Tabs {
  readonly #browser: Browser;
  readonly #free: Tab[] = [];
  readonly #contexts = new Set<BrowserContext>();
  readonly #blank: string;

  /** @param blank - address of a page without scripts at the origin of those that are opened. */
  constructor(browser: Browser, blank: string) {
    this.#browser = browser;
    this.#blank = blank;
  }

  async take(locale: string, isAlone: boolean): Promise<Tab> {
    const at = isAlone ? -1 : this.#free.findIndex((tab) => tab.locale === locale);
    const [tab = await this.#make(locale, isAlone)] = at < 0 ? [] : this.#free.splice(at, 1);
    tab.faults = [];
    return tab;
  }

  /** A page that cannot be cleared, because it is closed or does not respond, is not used again. */
  async giveBack(tab: Tab): Promise<void> {
    if (tab.isAlone) return tab.context.close();
    try {
      await clear(tab, this.#blank);
      this.#free.push(tab);
    } catch {
      await tab.context.close();
    }
  }

  /** Closes the pages that tests have not given back too. */
  async close(): Promise<void> {
    await Promise.all([...this.#contexts].map((context) => context.close()));
  }

  async #make(locale: string, isAlone: boolean): Promise<Tab> {
    // An animation is drawn sixty times a second, without a graphics card: it takes a fifth of a page's CPU time.
    const context = await this.#browser.newContext({ timezoneId: "UTC", locale, reducedMotion: "reduce" });
    this.#contexts.add(context);
    context.on("close", () => this.#contexts.delete(context));
    context.setDefaultTimeout(APPEARS_MS);
    const page = await context.newPage();
    const tab: Tab = { page, context, faults: [], locale, isAlone };
    page.on("pageerror", (error) => tab.faults.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => {
      tab.faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("console", (message) => {
      if (/content security policy/i.test(message.text())) tab.faults.push(`policy: ${message.text()}`);
    });
    return tab;
  }
}

/** Leaves the document where it is until the next one is loaded: a blank page between costs half of a page's load again. */
async function clear({ page, context }: Tab, blank: string): Promise<void> {
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  if (!page.url().startsWith(new URL(blank).origin) || !(await page.evaluate(quieten).then(always, never))) {
    // Another origin's page, or one that may not touch its storage. Not `about:blank`, which is a process of its own.
    await page.goto(blank);
    await page.evaluate(quieten);
  }
  await page.mouse.move(-1, -1);
  await context.clearCookies();
}

/** In the page: its requests are cut off, it sends no more, and what it has stored is gone. */
function quieten(): void {
  Object.assign(window, { fetch: () => new Promise(() => {}) });
  window.stop();
  localStorage.clear();
  sessionStorage.clear();
}

const always = () => true;
const never = () => false;
