import { Elysia, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { type KeySnapshot, SCOPES } from "../../keys.ts";
import { DEFAULT_SCOPES, parseExpiry, parsePatterns, parseScopes } from "../../store/key-terms.ts";
import { createServiceKey, firstOrganizationId, listKeys, organizationName, revokeKey } from "../../store/keys.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import type { ApiRoom } from "../room.ts";
import type { Gate } from "./gate.ts";

/** Not blank: people find a key by its name. */
const NAME = { minLength: 1, maxLength: 200, pattern: "\\S", expects: "give 1 to 200 characters, not only blanks" };

const ORDER = t.Object(
  {
    name: t.String(NAME),
    organization: t.Optional(t.String({ ...NAME, description: "Made where there is none of this name." })),
    scopes: t.Optional(t.Array(t.String(), { description: `Of ${SCOPES.join(", ")}; admin implies all.` })),
    models: t.Optional(
      t.Union([t.Array(t.String()), t.Null()], {
        description:
          "Patterns of the models and routes that it may use, such as `openai/*`; `!` excludes. All unless given.",
      }),
    ),
    credentials: t.Optional(
      t.Union([t.Array(t.String()), t.Null()], {
        description: "Patterns of the credentials that it may use; [] for none. All unless given.",
      }),
    ),
    expires: t.Optional(t.Union([t.String(), t.Null()], { description: "90s, 15m, 12h, 30d or an ISO 8601 date." })),
  },
  { additionalProperties: false },
);

/** Service keys. Admins of the first organization run the deployment; others see and make keys of their own only. */
export function keyEndpoints(room: ApiRoom, gate: () => Gate) {
  const { records } = room.home.reader;
  const reach = async (caller: KeySnapshot) =>
    (await firstOrganizationId(records)) === caller.organizationId ? {} : { organizationId: caller.organizationId };

  return new Elysia()
    .get(
      "/v1/keys",
      async ({ request }) => success(await listKeys(records, await reach(gate().caller(request)))),
      endpoint("admin", "Keys", "List keys"),
    )
    .post(
      "/v1/keys",
      async ({ body, request }) => {
        const caller = gate().caller(request);
        const own = await organizationName(records, caller.organizationId);
        const organization = body.organization ?? own;
        if (organization === undefined) throw new GatewayError("not_found", "the key's organization is gone");
        if (organization !== own && "organizationId" in (await reach(caller))) {
          throw new GatewayError("insufficient_scope", "only admins of the first organization make keys for others", {
            path: "organization",
          });
        }
        const made = await createServiceKey((await room.home.writer()).records, {
          name: body.name,
          organization,
          scopes: body.scopes === undefined ? DEFAULT_SCOPES : parseScopes(body.scopes),
          region: room.config.region,
          models: body.models ? parsePatterns(body.models, "models") : null,
          credentials: body.credentials ? parsePatterns(body.credentials, "credentials") : null,
          expiresAt: typeof body.expires === "string" ? parseExpiry(body.expires, Date.now()) : null,
        });
        await room.keys.spread();
        return success(made);
      },
      { body: ORDER, ...endpoint("admin", "Keys", "Make a key", "The answer is the only place that shows the key.") },
    )
    .delete(
      "/v1/keys/:id",
      async ({ params, request }) => {
        const { organizationId } = { organizationId: undefined, ...(await reach(gate().caller(request))) };
        const { records: writable } = await room.home.writer();
        if (!(await revokeKey(writable, params.id, organizationId))) {
          throw new GatewayError("not_found", "there is no key of this id");
        }
        await room.keys.spread();
        const [revoked] = await listKeys(writable, { id: params.id });
        return success(revoked);
      },
      endpoint("admin", "Keys", "Revoke a key"),
    );
}
