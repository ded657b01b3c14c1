import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { checked } from "../../checked.ts";
import { type ConfiguredCredential, configuredCredentials } from "../../credentials/configured.ts";
import { knownProviders } from "../../credentials/form.ts";
import { type CredentialRules, readCredential } from "../../credentials/read-credential.ts";
import { shownConfigured, shownCredential, shownLent } from "../../credentials/shown.ts";
import type { StoredCredential } from "../../credentials/stored.ts";
import { TERMS_SCHEMA } from "../../credentials/terms.ts";
import { GatewayError } from "../../errors.ts";
import { noted } from "../../store/audit/recorded.ts";
import { listCredentials, removeCredential } from "../../store/credentials/credentials.ts";
import { credentialGuards } from "../../store/credentials/guards.ts";
import { keepCredential } from "../../store/credentials/keep.ts";
import { type Caller, may } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";

const nullable = Object.fromEntries(
  Object.entries(TERMS_SCHEMA.properties).map(([name, schema]) => [name, { anyOf: [schema, { type: "null" }] }]),
);
const bodySchema = (own: object, required: readonly string[]) => ({
  type: "object",
  required,
  properties: {
    ...own,
    secrets: { type: "object", description: "The secret members, if they are separate." },
    ...nullable,
  },
  additionalProperties: true,
  description: "Also the provider's own members, such as `api_key`, `region` or `endpoint`.",
});
const NAME = { type: "string", description: "Unique in the organization; default: made from the provider's." };
const NEW = bodySchema({ name: NAME, provider: { type: "string", description: "Name or alias." } }, ["provider"]);
const CHANGE = bodySchema({}, []);

/** A test needs no body. */
const TEST = Type.Object(
  {
    model: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: "A model to count tokens with, for providers that do not list models.",
      }),
    ),
  },
  { additionalProperties: false },
);
const TESTED =
  "Requests the provider's list of models, or else the token count of one word. `ok` says whether that succeeded.";

const SECRETS = "Secrets are encrypted, and never shown again.";

/** Providers' keys of an organization; the operator's shared ones and those of `weir.toml` are listed too. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of endpoints, one statement each
export function credentialEndpoints(context: ApiContext, callers: Callers) {
  const organization = (request: Request) => callers.of(request).organizationId;
  const list = credentialsOf(context);
  const one = async (organizationId: string, name: string) => {
    const found = (await list(organizationId)).find((each) => each.name === name && each.source !== "shared");
    return success(found);
  };
  const changed = async (organizationId: string, name: string) => {
    await context.credentials.spread();
    return one(organizationId, name);
  };
  return new Elysia()
    .get(
      "/v1/credentials",
      async ({ request }) => success(await list(organization(request))),
      endpoint("Credentials", "List credentials", "Without their secrets."),
    )
    .get(
      "/v1/credentials/:name",
      async ({ request, params }) => {
        const found = (await list(organization(request))).find(({ name }) => name === nameOf(params));
        if (found === undefined) throw noSuchCredential(nameOf(params));
        return success(found);
      },
      endpoint("Credentials", "Read one credential", "Without its secrets."),
    )
    .post(
      "/v1/credentials",
      async ({ request, body }) => {
        const organizationId = organization(request);
        const order = readCredential(body, await rulesOf(context, callers.of(request)));
        refuseConfigured(context, order.name);
        const caller = callers.of(request);
        const home = { config: context.home.config, records: (await context.home.writer()).records, by: caller };
        return changed(organizationId, (await keepCredential(home, organizationId, order)).name);
      },
      endpoint("Credentials", "Add a credential", SECRETS, { body: NEW }),
    )
    .put(
      "/v1/credentials/:name",
      async ({ request, body, params }) => {
        const organizationId = organization(request);
        const { records } = await context.home.writer();
        const previous = await ownCredential(context, records, organizationId, nameOf(params));
        const order = readCredential(body, await rulesOf(context, callers.of(request)), previous);
        await keepCredential(
          { config: context.home.config, records, by: callers.of(request) },
          organizationId,
          order,
          previous,
        );
        return changed(organizationId, previous.name);
      },
      endpoint("Credentials", "Change a credential", `Omitted members stay; null resets a member. ${SECRETS}`, {
        body: CHANGE,
      }),
    )
    .post(
      "/v1/credentials/:name/test",
      async ({ request, body, params }) => {
        const organizationId = organization(request);
        const known = (await list(organizationId)).find(
          (each) => each.name === nameOf(params) && each.source !== "shared",
        );
        if (known === undefined) throw noSuchCredential(nameOf(params));
        const { model } = checked(TEST, body ?? {});
        const object = { kind: "credential", id: known.name, name: known.name };
        const act = { action: "credential.tested", organizationId, object } as const;
        await noted((await context.home.writer()).records, callers.of(request), act);
        return success(await context.gateway.testCredential({ organizationId, name: known.name, model }));
      },
      endpoint("Credentials", "Ask the provider whether a credential works", TESTED, { body: TEST, reads: "optional" }),
    )
    .delete(
      "/v1/credentials/:name",
      async ({ request, params }) => {
        const organizationId = organization(request);
        const { records } = await context.home.writer();
        const { id, name } = await ownCredential(context, records, organizationId, nameOf(params));
        await removeCredential(records, organizationId, name, callers.of(request));
        await context.credentials.spread();
        return success({ id, name });
      },
      endpoint("Credentials", "Remove a credential"),
    );
}

/** A name in a path may be escaped. */
export function nameOf({ name }: { readonly name: string }): string {
  return decodeURIComponent(name);
}

/** The credentials that the caller's organization may use. */
function credentialsOf(context: ApiContext) {
  return async (organizationId: string) => {
    const { records } = context.home.reader;
    const [all, lockedIds] = await Promise.all([listCredentials(records), context.gateway.lockedCredentials()]);
    const locked = new Set(lockedIds);
    const own = all.filter((each) => each.organization_id === organizationId);
    const lent = all.filter((each) => each.organization_id !== organizationId && each.terms.shared);
    return [
      ...(await configured(context)).map(shownConfigured),
      ...own.map((each) => shownCredential(each, locked.has(each.id))),
      ...lent.map((each) => shownLent(each, locked.has(each.id))),
    ];
  };
}

async function configured(context: ApiContext): Promise<readonly ConfiguredCredential[]> {
  const { config } = context.home;
  if (Object.keys(config.credentials).length === 0) return [];
  return configuredCredentials(config, { providers: await providersOf(context), refuseUrl: () => undefined });
}

function refuseConfigured({ home }: ApiContext, name: string | undefined): void {
  if (name === undefined || !Object.hasOwn(home.config.credentials, name)) return;
  throw new GatewayError("duplicate_name", `the configuration file has a credential "${name}"; take another name`, {
    path: "name",
  });
}

/** @throws GatewayError `not_found`, or `defined_in_file` if only `weir.toml` can change it. */
async function ownCredential(
  { home }: ApiContext,
  records: Parameters<typeof listCredentials>[0],
  organizationId: string,
  name: string,
): Promise<StoredCredential> {
  const found = (await listCredentials(records, organizationId)).find((each) => each.name === name);
  if (found !== undefined) return found;
  if (Object.hasOwn(home.config.credentials, name))
    throw new GatewayError(
      "defined_in_file",
      `the configuration file defines the credential "${name}"; change it there`,
    );
  throw noSuchCredential(name);
}

function noSuchCredential(name: string): GatewayError {
  return new GatewayError("not_found", `there is no credential ${JSON.stringify(name.slice(0, 100))}`);
}

async function providersOf(context: ApiContext) {
  const files = await context.gateway.providers();
  return knownProviders(files.flatMap(({ name, ...view }) => (name === null ? [] : [{ ...view, name }])));
}

async function rulesOf(context: ApiContext, caller: Caller): Promise<CredentialRules> {
  return {
    providers: await providersOf(context),
    operator: may(caller, "operator"),
    refuseUrl: credentialGuards(context.home.config, context.ownPorts),
  };
}
