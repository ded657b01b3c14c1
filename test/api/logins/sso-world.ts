import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../../src/config.ts";
import { freePort } from "../../ports.ts";
import { Browser, type Opened } from "../../sso/browser.ts";
import { CLIENT_ID, CLIENT_SECRET, IdentityProvider } from "../../sso/identity-provider.ts";
import { openApi, type TestApi } from "../open.ts";

/** An API with two identity providers: `corp` says all in its ID token, `other` at its userinfo endpoint alone. */
export interface SsoWorld extends AsyncDisposable {
  readonly it: TestApi;
  readonly corp: IdentityProvider;
  readonly other: IdentityProvider;
  /** Somebody of these claims logs in; `corp` unless another is named. */
  logIn(account: string, options?: LogInOptions): Promise<Opened & { readonly browser: Browser }>;
}

interface LogInOptions {
  readonly at?: "corp" | "other";
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly browser?: Browser;
  readonly returnTo?: string;
}

const RULES = {
  corp: [
    { group: "ml", organization: "default", role: "developer" },
    { group: "heads", organization: "default", role: "admin" },
    { group: "ml", organization: "other", role: "analyst" },
    { domain: "lab.test", organization: "default", role: "viewer" },
    { claim: { name: "department", value: "finance" }, organization: "other", role: "viewer" },
    { group: "ml", organization: "nowhere", role: "admin" },
  ],
  other: [{ email: "bo@example.test", organization: "default", role: "viewer" }],
};

export async function openSsoWorld(settings: Partial<Config> = {}): Promise<SsoWorld> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const redirects = (name: string) => [`${origin}/v1/login/${name}/callback`];
  const corp = await IdentityProvider.start({ redirects: redirects("corp"), afterLogout: [`${origin}/`] });
  const other = await IdentityProvider.start({
    redirects: redirects("other"),
    thin: true,
    clientAuth: "client_secret_post",
  });
  const folder = mkdtempSync(join(tmpdir(), "weir-sso-"));
  writeFileSync(join(folder, "secret"), `${CLIENT_SECRET}\n`);
  const common = { client_id: CLIENT_ID, client_secret: `file:${join(folder, "secret")}` };
  const scopes = "openid profile email groups";
  const it = await openApi({
    api_port: port,
    public_url: origin,
    sso: {
      corp: { ...common, issuer: corp.issuer, scopes, label: "Corp", rules: RULES.corp },
      other: { ...common, issuer: other.issuer, scopes, label: "The other", rules: RULES.other, end_session: false },
    },
    ...settings,
  });
  return {
    it,
    corp,
    other,
    async logIn(account, { at = "corp", claims, browser = new Browser(), returnTo = "/requests" } = {}) {
      const provider = at === "corp" ? corp : other;
      if (claims !== undefined) provider.accounts.set(account, claims);
      provider.account = account;
      const start = `${it.origin}/v1/login/${at}?return=${encodeURIComponent(returnTo)}`;
      return { ...(await browser.open(start, ({ href }) => href === it.origin + returnTo)), browser };
    },
    async [Symbol.asyncDispose]() {
      await it[Symbol.asyncDispose]();
      await corp[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}
