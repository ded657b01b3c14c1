import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { KEY, ROOT, startWeir, type Weir } from "../e2e/weir.ts";
import { freePort } from "../ports.ts";
import { CLIENT_ID, CLIENT_SECRET, IdentityProvider } from "../sso/identity-provider.ts";
import { findingsInBothThemes } from "./axe.ts";
import { browserOfProcess } from "./open.ts";

let folder: string;
let corp: IdentityProvider;
let weir: Weir;
let browser: Browser;
let origin: string;

/** A service that speaks TLS itself, as people reach it, with one provider that works and one that is away. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "weir-sso-browser-"));
  const port = await freePort();
  origin = `https://localhost:${port}`;
  corp = await IdentityProvider.start({ redirects: [`${origin}/v1/login/corp/callback`], afterLogout: [`${origin}/`] });
  const pem = (name: string) => JSON.stringify(join(ROOT, "test/runtime/fixtures", name));
  writeFileSync(
    join(folder, "weir.toml"),
    `public_url = "${origin}"
tls_cert_file = ${pem("other-cert.pem")}
tls_key_file = ${pem("other-key.pem")}
[sso.corp]
issuer = "${corp.issuer}"
client_id = "${CLIENT_ID}"
client_secret = "env:CORP_SECRET"
label = "Corp"
rules = [{ domain = "lab.test", organization = "default", role = "analyst" }]
[sso.gone]
issuer = "http://127.0.0.1:9"
client_id = "weir"
label = "Gone"
`,
  );
  const env = { WEIR_API_PORT: String(port), CORP_SECRET: CLIENT_SECRET };
  [weir, browser] = await Promise.all([startWeir({ dataDirectory: folder, env }), browserOfProcess()]);
});
afterAll(async () => {
  await weir?.stop();
  await corp?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function inBrowser(use: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  try {
    await use(await context.newPage());
  } finally {
    await context.close();
  }
}

test("a button leads to the provider and back to the page that was opened, with a cookie that no script reads", () =>
  inBrowser(async (page) => {
    corp.accounts.set("ada", { email: "ada@lab.test", email_verified: true, name: "Ada" });
    corp.account = "ada";
    await page.goto(`${origin}/requests?range=7d`);
    const button = page.getByRole("link", { name: "Log in with Corp" });
    await button.waitFor();
    expect(await findingsInBothThemes(page)).toEqual([]);
    await button.click();
    await page.getByRole("heading", { name: "Requests", level: 1 }).waitFor();
    await page.waitForURL(`${origin}/requests?range=7d`);
    const cookies = (await page.context().cookies(origin)).filter(({ name }) => name.includes("weir_s"));
    expect(cookies).toMatchObject([
      {
        name: `__Host-weir_session_${weir.apiPort}`,
        httpOnly: true,
        secure: true,
        sameSite: "Lax",
        path: "/",
        domain: "localhost",
      },
    ]);
    expect(await page.evaluate(() => document.cookie)).not.toContain("weir_session");

    await page.getByRole("button", { name: "Log out" }).click();
    await page.waitForURL((url) => url.origin === corp.issuer); // which asks whether to end its own
    await page.goto(origin);
    await button.waitFor();
  }));

test("a refusal is reported on the page, with the way out, and other ways to log in", () =>
  inBrowser(async (page) => {
    corp.accounts.set("eve", { email: "eve@elsewhere.test", email_verified: true });
    corp.account = "eve";
    await page.goto(origin);
    await page.getByRole("link", { name: "Log in with Corp" }).click();
    const alert = page.getByRole("alert");
    await alert.getByText("Corp knows you as eve@elsewhere.test, but you are in no organization here").waitFor();
    expect(await findingsInBothThemes(page)).toEqual([]);
    await page.waitForURL(({ pathname }) => pathname === "/overview"); // what failed is not loaded again
    corp.account = "ada";
    corp.accounts.set("ada", { email: "ada@lab.test", email_verified: true, name: "Ada" });
    await page.getByRole("link", { name: "Log in with another account of Corp" }).click();
    await page.getByText("ada@lab.test", { exact: true }).waitFor();
  }));

test("an unreachable provider is reported, and a service key logs in from the same page", () =>
  inBrowser(async (page) => {
    await page.goto(origin);
    await page.getByRole("link", { name: "Log in with Gone" }).click();
    await page.getByRole("alert").getByText("Gone cannot be reached now; other ways to log in still work.").waitFor();
    await page.getByRole("button", { name: "Log in with a service key" }).click();
    await page.getByLabel("Service key").fill(KEY);
    await page.keyboard.press("Enter");
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
  }));
