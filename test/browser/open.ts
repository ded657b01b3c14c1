import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { KEY, startWeir, type Weir, type WeirOptions } from "../e2e/weir.ts";
import { Tabs } from "./tabs.ts";

/** Chromium without a window around its pages takes a fifth less CPU, for the same pages. */
const EXECUTABLE =
  process.env["WEIR_TEST_CHROMIUM"] ??
  Bun.which("chromium-headless-shell") ??
  Bun.which("chromium") ??
  "/usr/bin/chromium";
/** The address bar's own pages, two for each window: they load 400 files and cost as much CPU as the dashboard. */
const UNSEEN_PAGES = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "PreloadTopChromeWebUI"];
/** What Playwright turns off; the last list that Chromium is given is the one that counts. */
const OFF_FOR_PLAYWRIGHT = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
];
const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${[...UNSEEN_PAGES, ...OFF_FOR_PLAYWRIGHT].join(",")}`,
];

/** Debian's Chromium, without anything of its own on the network. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
}

let ofProcess: Promise<Browser> | undefined;

/** The browser of all files that this process runs: a start costs as much CPU as ten tests. It ends with the process. */
export async function browserOfProcess(): Promise<Browser> {
  const running = await ofProcess?.catch(() => undefined);
  if (running?.isConnected() !== true) ofProcess = openBrowser();
  return ofProcess!;
}

/** A service and a browser beside it. */
export interface Dashboard extends AsyncDisposable {
  readonly weir: Weir;
  /**
   * A page that nothing else uses, logged in unless `key` is null. Whatever it runs that it must not, a script that a
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
  /** In a context that no other test gets: for what stays with a context, as a clock does. */
  readonly alone?: boolean;
  /** Done with the page before it is at its address. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

interface DashboardPage extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors that the page did not catch, dialogs, and what its policy stopped. */
  readonly faults: readonly string[];
}

export async function openDashboard(options: WeirOptions = {}): Promise<Dashboard> {
  const [weir, browser] = await Promise.all([startWeir(options), browserOfProcess()]);
  const tabs = new Tabs(browser, `${weir.api}/healthz`);
  return {
    weir,
    async open(path, options = {}) {
      const { key = KEY, theme = "light", width = 1_280, height = 800, locale = "en-US", alone = false } = options;
      const tab = await tabs.take(locale, alone);
      const { context, page, faults } = tab;
      if (key !== null) await logIn(context, weir, key);
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: theme });
      await options.prepare?.(page);
      await page.goto(weir.api + path);
      return { page, context, faults, [Symbol.asyncDispose]: () => tabs.giveBack(tab) };
    },
    async [Symbol.asyncDispose]() {
      await tabs.close();
      await weir[Symbol.asyncDispose]();
    },
  };
}

/** Takes the cookie without the log-in page, which has its own tests. */
async function logIn(context: BrowserContext, { api }: Weir, key: string): Promise<void> {
  const response = await context.request.post(`${api}/v1/session`, { data: { key } });
  if (!response.ok()) throw new Error(`the log-in answered ${response.status()}: ${await response.text()}`);
}
