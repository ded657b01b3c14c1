import { Elysia, type Static, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { SCOPES } from "../../keys.ts";
import { type Permission, permissionsOf, scopesWithin } from "../../people/permissions.ts";
import { isoTime } from "../../record/iso-time.ts";
import { isWithin } from "../../routing/pattern.ts";
import {
  boundedExpiry,
  DEFAULT_SCOPES,
  parseExpiry,
  parseGrace,
  parsePatterns,
  parseScopes,
} from "../../store/key-terms.ts";
import { createServiceKey, type ListedKey, listKeys, revokeKey, rotateKey, type WhichKeys } from "../../store/keys.ts";
import { transferKey, whyNoOwner } from "../../store/people/key-owner.ts";
import { firstOrganizationId, organizationName } from "../../store/people/organization-names.ts";
import { maxKeyDays } from "../../store/people/organizations.ts";
import type { Database } from "../../store/store.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { type Caller, lacks, may } from "./caller.ts";
import type { Callers } from "./callers.ts";

/** Not blank: people find a key by its name. */
const NAME = { minLength: 1, maxLength: 200, pattern: "\\S", expects: "give 1 to 200 characters, not only blanks" };

const ORDER = t.Object(
  {
    name: t.String(NAME),
    organization: t.Optional(t.String({ ...NAME, description: "Created if no organization has this name." })),
    scopes: t.Optional(t.Array(t.String(), { description: `Of ${SCOPES.join(", ")}; admin implies all.` })),
    models: t.Optional(
      t.Union([t.Array(t.String()), t.Null()], {
        description:
          "Patterns of the models and routes that it may use, such as `openai/*`; `!` excludes. Default: as the creating key.",
      }),
    ),
    credentials: t.Optional(
      t.Union([t.Array(t.String()), t.Null()], {
        description: "Patterns of the credentials that it may use; [] for none. Default: as the creating key.",
      }),
    ),
    expires: t.Optional(
      t.Union([t.String(), t.Null()], {
        description:
          "90s, 15m, 12h, 30d or an ISO 8601 date; at the latest, and by default, when the creating key expires.",
      }),
    ),
    personal: t.Optional(
      t.Boolean({
        description: "Of a user: whether the key is theirs and stops with them. Only admins may say false.",
      }),
    ),
  },
  { additionalProperties: false },
);

const ROTATION = t.Object(
  {
    grace: t.Optional(
      t.String({ description: "How long the old secret still works, such as 24h. Default: not at all." }),
    ),
  },
  { additionalProperties: false },
);

const TRANSFER = t.Object(
  {
    user_id: t.Union(
      [t.String({ minLength: 1, maxLength: 200, expects: "give the id of a user, or null" }), t.Null()],
      {
        description:
          "The new owner: a member of the key's organization whose role allows its scopes; null for no owner.",
      },
    ),
  },
  { additionalProperties: false },
);

/** Service keys: the caller's own with `keys`, those of the organization with `admin`, all with `operator`. */
export function keyEndpoints(context: ApiContext, callers: Callers) {
  const { records } = context.home.reader;
  const writable = async () => (await context.home.writer()).records;

  return new Elysia()
    .get(
      "/v1/keys",
      async ({ request }) => success(await listKeys(records, reach(callers.of(request)))),
      endpoint("Keys", "List keys", "One's own; those of the organization with `admin`."),
    )
    .post(
      "/v1/keys",
      async ({ body, request }) => {
        const caller = callers.of(request);
        const own = await organizationName(records, caller.organizationId);
        const organization = body.organization ?? own;
        if (organization === undefined) throw new GatewayError("not_found", "the key's organization is gone");
        if (organization !== own && !may(caller, "operator")) throw lacks("operator", "organization");
        const scopes = body.scopes === undefined ? DEFAULT_SCOPES : parseScopes(body.scopes);
        const given = scopesWithin(scopes, caller.permissions);
        const tooStrong = scopes.find((scope) => !given.includes(scope));
        if (tooStrong !== undefined) throw tooStrongFor(tooStrong);
        const maxDays = await maxKeyDays(records, context.home.config, organization);
        const order = {
          name: body.name,
          organization,
          scopes,
          region: context.config.region,
          models: patternsOf(body, caller, "models"),
          credentials: patternsOf(body, caller, "credentials"),
          expiresAt: expiryOf(body.expires ?? undefined, maxDays, caller),
          userId: ownerOf(caller, body.personal),
        };
        await refuseStronger(records, caller, order);
        const made = await createServiceKey(await writable(), order, caller);
        await context.keys.spread();
        return success(made);
      },
      { body: ORDER, ...endpoint("Keys", "Create a key", "Only this response shows the key.") },
    )
    .post(
      "/v1/keys/:id/rotate",
      async ({ params, body, request }) => {
        const caller = callers.of(request);
        const graceMs = body?.grace === undefined ? 0 : parseGrace(body.grace);
        const which = { ...reach(caller), id: params.id };
        const [known] = await listKeys(records, which);
        if (known !== undefined) {
          refuseLonger(caller, known.expires_at === null ? null : Date.parse(known.expires_at));
          await refuseStronger(records, caller, { ...known, userId: known.user_id });
        }
        const rotated = await rotateKey(await writable(), which, graceMs, caller);
        if (rotated === undefined) throw noSuchKey();
        await context.keys.spread();
        return success(rotated);
      },
      {
        body: t.Optional(ROTATION),
        ...endpoint(
          "Keys",
          "Rotate a key",
          "Only this response shows the new key. Ends the log-ins that were made with the old one.",
        ),
      },
    )
    .delete(
      "/v1/keys/:id",
      async ({ params, request }) => {
        const caller = callers.of(request);
        const database = await writable();
        if (!(await revokeKey(database, { ...reach(caller), id: params.id }, caller))) throw noSuchKey();
        await context.keys.spread();
        const [revoked] = await listKeys(database, { id: params.id });
        return success(revoked);
      },
      endpoint("Keys", "Revoke a key"),
    )
    .use(transferEndpoint(context, callers));
}

function transferEndpoint(context: ApiContext, callers: Callers) {
  const { records } = context.home.reader;
  return new Elysia().patch(
    "/v1/keys/:id",
    async ({ params, body, request }) => {
      const caller = callers.of(request);
      const which = { ...reach(caller), id: params.id };
      const [known] = await listKeys(records, which);
      if (known === undefined) throw noSuchKey();
      const { user_id: userId } = body;
      // The former owner knows the secret, and could do with it what the new owner may.
      for (const owner of [known.user_id, userId]) await refuseStronger(records, caller, { ...known, userId: owner });
      const why = userId === null ? undefined : await whyNoOwner(records, known, userId);
      if (why !== undefined) throw new GatewayError("invalid_body", `user_id: ${why}`, { path: "user_id" });
      const transferred = await transferKey((await context.home.writer()).records, which, userId, caller);
      if (transferred === undefined) throw new GatewayError("not_found", "this key is revoked");
      await context.keys.spread();
      return success(transferred);
    },
    {
      body: TRANSFER,
      ...endpoint(
        "Keys",
        "Transfer a key",
        "To another owner, or to none, so that it stops with no user. The former owner still knows its secret.",
      ),
    },
  );
}

type OrderedPatterns = Pick<Static<typeof ORDER>, "models" | "credentials">;

/** The patterns of a new key; by default those of the key that creates it. */
function patternsOf(body: OrderedPatterns, caller: Caller, member: "models" | "credentials"): readonly string[] | null {
  const patterns = body[member];
  if (patterns === undefined) return caller.key[member];
  return patterns === null ? null : parsePatterns(patterns, member);
}

const noSuchKey = () => new GatewayError("not_found", "there is no key with this id");

/** The keys that a caller may see and change. */
function reach(caller: Caller): WhichKeys {
  if (may(caller, "operator")) return {};
  const { organizationId } = caller;
  return may(caller, "admin") ? { organizationId } : { organizationId, userId: caller.key.userId ?? "" };
}

/** Keys that a service key creates belong to that key's owner. */
function ownerOf(caller: Caller, personal: boolean | undefined): string | null {
  if (personal !== false) return caller.key.userId;
  if (!may(caller, "admin")) throw lacks("admin", "personal");
  return null;
}

/**
 * A caller who creates or rotates a key learns its secret, and one who transfers a key may know it. The caller's own key has
 * no more permissions than the caller; another key has all that its scopes allow, now or later, and `admin` in the first organization operates the deployment.
 * The models and credentials of the caller's key restrict both.
 *
 * @throws GatewayError `insufficient_permission` if that is more than the caller may do.
 */
async function refuseStronger(
  records: Database,
  caller: Caller,
  key: Pick<ListedKey, "organization" | "scopes" | "models" | "credentials"> & { readonly userId: string | null },
): Promise<void> {
  for (const member of ["models", "credentials"] as const) {
    const own = caller.key[member];
    if (isWithin(key[member], own)) continue;
    const message = `a key cannot have more ${member} than its creator, which has ${own?.join(", ") || "none"}`;
    throw new GatewayError("insufficient_permission", message, { path: member });
  }
  if (key.userId !== null && key.userId === caller.key.userId) return;
  const runsAll = key.scopes.includes("admin") && key.organization === (await firstOrganization(records));
  const allowed: readonly Permission[] = [...permissionsOf(key.scopes), ...(runsAll ? (["operator"] as const) : [])];
  const lacking = allowed.find((permission) => !may(caller, permission));
  if (lacking === undefined) return;
  const message = `a key cannot have more permissions than its creator: this one has ${lacking}`;
  throw new GatewayError("insufficient_permission", message, { path: "scopes" });
}

/** When a new key expires; null for never. @throws GatewayError. */
function expiryOf(requested: string | undefined, maxDays: number, caller: Caller): number | null {
  const now = Date.now();
  const own = caller.key.expiresAt;
  if (requested === undefined) return earlier(boundedExpiry(null, maxDays, now), own);
  const at = boundedExpiry(parseExpiry(requested, now), maxDays, now);
  refuseLonger(caller, at);
  return at;
}

const earlier = (one: number | null, other: number | null) =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/**
 * A key that expires gives out no secret that works after it, and neither does the old secret of a rotated key.
 *
 * @throws GatewayError `insufficient_permission`.
 */
function refuseLonger({ key }: Caller, expiresAt: number | null): void {
  if (key.expiresAt === null || (expiresAt !== null && expiresAt <= key.expiresAt)) return;
  const message = `a key cannot work longer than its creator, which expires at ${isoTime(key.expiresAt)}`;
  throw new GatewayError("insufficient_permission", message, { path: "expires" });
}

async function firstOrganization(records: Database): Promise<string | undefined> {
  const id = await firstOrganizationId(records);
  return id === undefined ? undefined : organizationName(records, id);
}

function tooStrongFor(scope: string): GatewayError {
  const message = `a key is never stronger than who makes it: the scope ${scope} needs a permission that is lacking`;
  return new GatewayError("insufficient_permission", message, { path: "scopes" });
}
