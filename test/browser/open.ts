import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { KEY, startWeir, type Weir, type WeirOptions } from "../e2e/weir.ts";

const EXECUTABLE = process.env["WEIR_TEST_CHROMIUM"] ?? Bun.which("chromium") ?? "/usr/bin/chromium";
const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** How long anything may take to appear: the machine may be busy. */
const APPEARS_MS = 30_000;

/** Debian's Chromium, without anything of its own on the network. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
}

/** A service and a browser beside it. */
export interface Dashboard extends AsyncDisposable {
  readonly weir: Weir;
  readonly browser: Browser;
  /**
   * A page of a context of its own, logged in unless `key` is null. Whatever it runs that it must not, a script that a
   * record brought or one that the policy stopped, is in `faults`.
   */
  open(path: string, options?: OpenOptions): Promise<DashboardPage>;
}

export interface OpenOptions {
  readonly key?: string | null;
  readonly theme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
  readonly locale?: string;
}

interface DashboardPage extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors that the page did not catch, dialogs, and what its policy stopped. */
  readonly faults: readonly string[];
}

export async function openDashboard(options: WeirOptions = {}): Promise<Dashboard> {
  const [weir, browser] = await Promise.all([startWeir(options), openBrowser()]);
  return {
    weir,
    browser,
    open: (path, wanted) => openPage(browser, weir, path, wanted),
    async [Symbol.asyncDispose]() {
      await browser.close();
      await weir[Symbol.asyncDispose]();
    },
  };
}

async function openPage(
  browser: Browser,
  weir: Weir,
  path: string,
  { key = KEY, theme = "light", width = 1_280, height = 800, locale = "en-US" }: OpenOptions = {},
): Promise<DashboardPage> {
  const viewport = { width, height };
  const context = await browser.newContext({ viewport, colorScheme: theme, timezoneId: "UTC", locale });
  context.setDefaultTimeout(APPEARS_MS);
  if (key !== null) await logIn(context, weir, key);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    if (/content security policy/i.test(message.text())) faults.push(`policy: ${message.text()}`);
  });
  await page.goto(weir.api + path);
  return { page, context, faults, [Symbol.asyncDispose]: () => context.close() };
}

/** Takes the cookie without the log-in page, which has its own tests. */
async function logIn(context: BrowserContext, { api }: Weir, key: string): Promise<void> {
  const answer = await context.request.post(`${api}/v1/session`, { data: { key } });
  if (!answer.ok()) throw new Error(`the log-in answered ${answer.status()}: ${await answer.text()}`);
}
