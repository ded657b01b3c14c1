import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { checked } from "../../checked.ts";
import { type CredentialRules, readCredential } from "../../credentials/read-credential.ts";
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
import { listedCredentials, providersOf } from "./listed-credentials.ts";

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
export function credentialEndpoints(context: ApiContext, callers: Callers) {
  return new Elysia()
    .get(
      "/v1/credentials",
      async ({ request }) => success(await listedCredentials(context, callers.of(request).organizationId)),
      endpoint("Credentials", "List credentials", "Without their secrets."),
    )
    .get(
      "/v1/credentials/:name",
      async ({ request, params }) => {
        const name = params.name;
        const all = await listedCredentials(context, callers.of(request).organizationId);
        const found = all.find((each) => each.name === name);
        if (found === undefined) throw noSuchCredential(name);
        return success(found);
      },
      endpoint("Credentials", "Read one credential", "Without its secrets."),
    )
    .post(
      "/v1/credentials",
      async ({ request, body }) => success(await added(context, callers.of(request), body)),
      endpoint("Credentials", "Add a credential", SECRETS, { body: NEW }),
    )
    .put(
      "/v1/credentials/:name",
      async ({ request, body, params }) =>
        success(await changed(context, callers.of(request), { name: params.name, body })),
      endpoint("Credentials", "Change a credential", `Omitted members stay; null resets a member. ${SECRETS}`, {
        body: CHANGE,
      }),
    )
    .post(
      "/v1/credentials/:name/test",
      async ({ request, body, params }) =>
        success(await tested(context, callers.of(request), { name: params.name, body })),
      endpoint("Credentials", "Test a credential at its provider", TESTED, { body: TEST, reads: "optional" }),
    )
    .delete(
      "/v1/credentials/:name",
      async ({ request, params }) => success(await removed(context, callers.of(request), params.name)),
      endpoint("Credentials", "Remove a credential"),
    );
}

interface Change {
  readonly name: string;
  readonly body: unknown;
}

async function added(context: ApiContext, caller: Caller, body: unknown) {
  const order = readCredential(body, await rulesOf(context, caller));
  refuseConfigured(context, order.name);
  const home = { config: context.home.config, records: (await context.home.writer()).records, by: caller };
  const { name } = await keepCredential(home, caller.organizationId, order);
  await context.credentials.spread();
  return usable(context, caller, name);
}

async function changed(context: ApiContext, caller: Caller, { name, body }: Change) {
  const { records } = await context.home.writer();
  const previous = await ownCredential(context, records, caller.organizationId, name);
  const order = readCredential(body, await rulesOf(context, caller), previous);
  const home = { config: context.home.config, records, by: caller };
  await keepCredential(home, caller.organizationId, order, previous);
  await context.credentials.spread();
  return usable(context, caller, previous.name);
}

async function tested(context: ApiContext, caller: Caller, { name, body }: Change) {
  const { organizationId } = caller;
  if ((await usable(context, caller, name)) === undefined) throw noSuchCredential(name);
  const { model } = checked(TEST, body ?? {});
  const act = { action: "credential.tested", organizationId, object: { kind: "credential", id: name, name } } as const;
  await noted((await context.home.writer()).records, caller, act);
  return context.gateway.testCredential({ organizationId, name, model });
}

async function removed(context: ApiContext, caller: Caller, requested: string) {
  const { organizationId } = caller;
  const { records } = await context.home.writer();
  const { id, name } = await ownCredential(context, records, organizationId, requested);
  await removeCredential(records, organizationId, name, caller);
  await context.credentials.spread();
  return { id, name };
}

/** A credential by name, of the organization or the configuration. */
async function usable(context: ApiContext, { organizationId }: Caller, name: string) {
  const all = await listedCredentials(context, organizationId);
  return all.find((each) => each.name === name && each.source !== "shared");
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

async function rulesOf(context: ApiContext, caller: Caller): Promise<CredentialRules> {
  return {
    providers: await providersOf(context),
    operator: may(caller, "operator"),
    refuseUrl: credentialGuards(context.home.config, context.ownPorts),
  };
}
