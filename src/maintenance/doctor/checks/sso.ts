import type { Config } from "../../../config.ts";
import { trustedAuthorities } from "../../../egress/authorities.ts";
import { GatewayError } from "../../../errors.ts";
import { messageOf } from "../../../log.ts";
import { trustingFetch } from "../../../runtime/http/trusting-fetch.ts";
import { SsoClient } from "../../../sso/client.ts";
import {
  isThisMachine,
  publicOrigin,
  redirectAddress,
  type SsoProvider,
  ssoProviders,
  ssoSecrets,
} from "../../../sso/provider.ts";
import { listOrganizations } from "../../../store/people/organization-names.ts";
import { openStore } from "../../../store/store.ts";
import { type Check, type CheckResult, fail, noSecret, ok, type Surroundings, stopsStart, warn } from "../finding.ts";

/** Tokens are rejected beyond this. */
const SKEW_MS_MAX = 60_000;
const ASK_MS = 10_000;

/** Whether users can log in at the identity providers: the issuer, the clocks, and the redirect address. */
export const ssoCheck: Check = {
  name: "single sign-on",
  async run({ config, env, running }) {
    const read = readTables(config);
    if (read.wrong !== undefined) return [read.wrong];
    const { providers } = read;
    if (providers.length === 0) return [ok("none is configured")];
    const known = await organizationsOf(config);
    const outcomes: CheckResult[] = [...overPlainHttp(config), ...missingSecrets(providers, { env, running })];
    for (const provider of providers)
      outcomes.push(...(await checkProvider(config, provider)), ...strayRules(provider, known));
    return outcomes;
  },
};

/** The tables alone: it calls no provider. */
export const upgradeSsoCheck: Check = {
  name: "single sign-on",
  run({ config, env, running }) {
    const { wrong, providers } = readTables(config);
    if (wrong !== undefined) return [wrong];
    const missing = missingSecrets(providers, { env, running });
    return missing.length > 0 ? missing : [ok("every table can be read")];
  },
};

function readTables(config: Config): { readonly wrong?: CheckResult; readonly providers: readonly SsoProvider[] } {
  try {
    return { providers: ssoProviders(config) };
  } catch (error) {
    return { wrong: stopsStart(error), providers: [] };
  }
}

function missingSecrets(
  providers: readonly SsoProvider[],
  { env, running }: Pick<Surroundings, "env" | "running">,
): CheckResult[] {
  return providers.flatMap((provider) => {
    try {
      ssoSecrets([provider], env);
      return [];
    } catch (error) {
      return [noSecret(error, running)];
    }
  });
}

function overPlainHttp(config: Config): CheckResult[] {
  const url = new URL(publicOrigin(config));
  if (url.protocol === "https:" || isThisMachine(url.hostname)) return [];
  const fix = "put TLS in front, or set tls_cert_file and tls_key_file, and start public_url with https://";
  return [warn(`users log in over plain http at ${url.origin}`, fix)];
}

async function checkProvider(config: Config, provider: SsoProvider): Promise<CheckResult[]> {
  const call = trustingFetch(trustedAuthorities(config.extra_ca_file));
  let theirMs: number | undefined;
  const redirect = redirectAddress(config, provider.name);
  const client = new SsoClient(provider, {
    redirect,
    secret: () => undefined,
    fetch: async (url, init) => {
      const response = await call(url, init);
      theirMs = Date.parse(response.headers.get("date") ?? "") || undefined;
      return response;
    },
  });
  const name = `sso.${provider.name}`;
  try {
    await client.metadata();
  } catch (error) {
    const why = error instanceof GatewayError ? messageOf(error.cause ?? error) : messageOf(error);
    const fix =
      "open <issuer>/.well-known/openid-configuration from this machine; for a private authority set extra_ca_file";
    return [fail(`${name}: the issuer ${provider.issuer} has no readable configuration: ${why}`, fix)];
  }
  return [...clockOutcome(name, theirMs), await redirectOutcome(name, client, redirect)];
}

function clockOutcome(name: string, theirMs: number | undefined): CheckResult[] {
  if (theirMs === undefined) return [];
  const apartMs = Math.abs(Date.now() - theirMs);
  if (apartMs <= SKEW_MS_MAX) return [];
  return [
    fail(
      `${name}: this clock and the provider's are ${Math.round(apartMs / 1_000)} s apart; its tokens are refused`,
      "set the clock: `timedatectl timesync-status`",
    ),
  ];
}

/**
 * With `prompt=none`, a provider that knows the client and the redirect URL redirects back immediately. Others show a page of
 * their own.
 */
async function redirectOutcome(name: string, client: SsoClient, redirect: string): Promise<CheckResult> {
  const checks = { state: "doctor", nonce: "doctor", verifier: "of-a-log-in-that-weir-doctor-does-not-finish" };
  const url = new URL(await client.authorizationUrl(checks, false));
  url.searchParams.set("prompt", "none");
  const fix = `register ${redirect} as redirect address of the client ${client.provider.clientId}`;
  try {
    const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(ASK_MS) });
    await response.body?.cancel();
    const location = response.headers.get("location") ?? "";
    if (location.startsWith(`${redirect}?`)) {
      const error = new URL(location).searchParams.get("error") ?? "";
      if (["unauthorized_client", "invalid_scope", "unsupported_response_type"].includes(error))
        return fail(
          `${name}: the provider responds with ${error}`,
          "allow the authorization code flow and the scopes for this client",
        );
      return ok(`${name}: ${client.provider.issuer} responds, and knows ${redirect}`);
    }
    if (response.status >= 400)
      return fail(`${name}: the provider refuses the client or its redirect address (${response.status})`, fix);
    return ok(`${name}: ${client.provider.issuer} responds; only a log-in shows whether it knows ${redirect}`);
  } catch (error) {
    return fail(`${name}: the provider's log-in page does not respond: ${messageOf(error)}`, "check the provider");
  }
}

function strayRules({ name, rules }: SsoProvider, known: ReadonlySet<string> | undefined): CheckResult[] {
  if (known === undefined) return [];
  const stray = new Set(rules.map(({ organization }) => organization).filter((each) => !known.has(each)));
  return [...stray].map((organization) =>
    warn(
      `sso.${name}: a rule names the organization "${organization}", which does not exist`,
      "create it, or change the rule",
    ),
  );
}

/** Undefined if the database cannot be read: another check reports it. */
async function organizationsOf(config: Config): Promise<ReadonlySet<string> | undefined> {
  const store = await openStore(config, "read").catch(() => undefined);
  try {
    const rows = store && (await listOrganizations(store.records));
    return rows && new Set(rows.map(({ name }) => name));
  } catch {
    return undefined;
  } finally {
    await store?.close();
  }
}
