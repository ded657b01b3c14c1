import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { checked } from "../../checked.ts";
import { GatewayError } from "../../errors.ts";
import { isoTimeOrNull } from "../../record/iso-time.ts";
import { CLIENT_SHAPES } from "../../unified/client-shapes.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 1_000, description }));

const QUESTION = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 10_000, description: "A model string, as a client writes it." }),
    shape: Type.Optional(
      Type.String({
        pattern: "^[a-z0-9]+(-[a-z0-9]+)*$",
        maxLength: 200,
        default: "chat-completions",
        description: `The client's API: ${CLIENT_SHAPES.join(", ")}, or the name of a drop-in's shape.`,
        expects: `give one of ${CLIENT_SHAPES.join(", ")}, or the name of a drop-in's shape`,
      }),
    ),
    body: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: "The client's body; its `model` does not count." }),
    ),
    key_id: text("Id or name of the service key of the request; default: one without lists."),
    user: text("As in `Gateway-User-Id`."),
    session: text("As in `Gateway-Session-Id`."),
    properties: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: "As in `Gateway-Property-*`." }),
    ),
  },
  { additionalProperties: false },
);

const EXPLAINED =
  "The targets in the order in which they would be called, with the request each would receive. Nothing is called, and no secret is shown. " +
  "Errors are those of the request itself.";
const HEALTH =
  "Credentials whose limit is used up, then those that failed recently, the most recently used first. `model` is null where it is the whole " +
  "credential. Failures are kept in memory, per node.";

const LISTED = "The entries of the unified address's own `GET /models`, without a record.";

/** The current routing of requests to the unified address. */
export function routingEndpoints(context: ApiContext, callers: Callers) {
  return new Elysia()
    .get(
      "/v1/route/health",
      async ({ request }) => {
        const health = await context.gateway.routeHealth(callers.of(request).organizationId);
        return success(
          health.map(({ provider, credential, model, state, until, failures, lastError }) => {
            return { provider, credential, model, state, until: isoTimeOrNull(until), failures, last_error: lastError };
          }),
        );
      },
      endpoint("Routes", "List paused credentials", HEALTH),
    )
    .get(
      "/v1/route/models",
      async ({ request }) => success(await context.gateway.listModels(callers.of(request).key)),
      endpoint("Routes", "List the models and routes that this key may use", LISTED),
    )
    .post(
      "/v1/route/explain",
      async ({ request, body }) => {
        const { organizationId } = callers.of(request);
        const { body: question, key_id, model, shape, user, session, properties } = checked(QUESTION, body);
        return success(
          await context.gateway.explainRoute({
            key: keyOf(context, organizationId, key_id),
            model,
            shape: shape ?? "chat-completions",
            body: question === undefined ? undefined : JSON.stringify(question),
            user,
            session,
            properties: properties ?? {},
          }),
        );
      },
      endpoint("Routes", "Explain where a request would go", EXPLAINED, { body: QUESTION }),
    );
}

/** The key to route for. @throws GatewayError `not_found`. */
function keyOf({ keys }: ApiContext, organizationId: string, id: Static<typeof QUESTION>["key_id"]) {
  if (id === undefined) return { id: "", name: "", organizationId, models: null, credentials: null };
  const found = keys.find(organizationId, id);
  if (found === undefined)
    throw new GatewayError(
      "not_found",
      `no key has the id "${id}", and none or several have this name; \`weir keys list\` shows their ids`,
      {
        path: "key_id",
      },
    );
  return found;
}
