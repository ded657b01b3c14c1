import { randomUUID } from "node:crypto";
import { Elysia, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { isoTime, readIsoTime } from "../../record/iso-time.ts";
import { noted } from "../../store/audit/recorded.ts";
import { placeOrder, type RecomputeOrder, stateOf } from "../../store/models/recompute-order.ts";
import { actingOf, type Caller } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";

const RECOMPUTE = t.Object(
  {
    since: t.Optional(t.Union([t.String({ description: "Records from this ISO 8601 time on." }), t.Null()])),
    model: t.Optional(t.Union([t.String({ description: "Of this model only." }), t.Null()])),
    dry_run: t.Optional(t.Union([t.Boolean({ description: "true changes nothing." }), t.Null()])),
  },
  { additionalProperties: false },
);

/** Computes recorded costs again; the jobs do the work. */
export function recomputeEndpoints(context: ApiContext, callers: Callers) {
  return new Elysia()
    .post(
      "/v1/models/prices/recompute",
      async ({ request, body }) => {
        const since = body.since == null ? 0 : readIsoTime(body.since);
        if (since === undefined) {
          throw new GatewayError("invalid_body", "since is an ISO 8601 date such as 2026-01-31", { path: "since" });
        }
        const id = randomUUID();
        const { records } = await context.writer();
        const order = { id, since, model: body.model ?? null, dryRun: body.dry_run === true };
        await placeOrder(records, order);
        if (!order.dryRun) await noteRecomputing(context, callers.of(request), order);
        return success({ id });
      },
      {
        body: RECOMPUTE,
        ...endpoint(
          "Models",
          "Recompute recorded costs",
          "Prices recorded usage of all organizations again, at current prices. Costs that a provider stated stay. It runs in the background.",
        ),
      },
    )
    .get(
      "/v1/models/prices/recompute/:id",
      async ({ params }) => {
        const none = { id: params.id, done: false, seen: 0, changed: 0, before: 0, after: 0, total: 0 };
        return success((await stateOf(context.reader.records, params.id)) ?? none);
      },
      endpoint("Models", "Progress of a recomputation", "`before` and `after`: US dollars of the records seen."),
    );
}

async function noteRecomputing(context: ApiContext, caller: Caller, { since, model }: RecomputeOrder): Promise<void> {
  const { records } = await context.home.writer();
  await noted(records, actingOf(caller), {
    action: "costs.recomputed",
    organizationId: caller.organizationId,
    object: { kind: "price", id: model ?? "*", name: model ?? "all models" },
    after: { since: isoTime(since), model },
  });
}
