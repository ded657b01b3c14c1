import { Elysia } from "elysia";
import {
  inForce,
  lastRun,
  orderRun,
  putRetention,
  RETENTION_SCHEMA,
  readRetention,
  retentionOf,
  shownRun,
} from "../../store/retention/retention.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";

/** An organization's retention rule, the effective periods, and the last run. */
export async function currentRetention({ config, current: { records } }: ApiContext, organizationId: string) {
  const rule = await retentionOf(records, organizationId);
  return {
    ...rule,
    in_force: inForce(rule, config),
    configured: { days: config.retention_days, body_days: config.body_retention_days },
    last_run: shownRun(await lastRun(records, organizationId)),
  };
}

/** Reads how long records and bodies are kept. */
export function retentionEndpoints(context: ApiContext, callers: Callers) {
  const organization = (request: Request) => callers.of(request).organizationId;
  const current = (organizationId: string) => currentRetention(context, organizationId);
  return new Elysia()
    .get(
      "/v1/retention",
      async ({ request }) => success(await current(organization(request))),
      endpoint("Storage", "Read how long records and bodies are kept"),
    )
    .put(
      "/v1/retention",
      async ({ body, request }) => {
        const organizationId = organization(request);
        await putRetention((await context.writer()).records, organizationId, readRetention(body), callers.of(request));
        return success(await current(organizationId));
      },
      {
        body: RETENTION_SCHEMA,
        ...endpoint(
          "Storage",
          "Set how long records and bodies are kept",
          "Missing members use the configured default.",
        ),
      },
    )
    .post(
      "/v1/retention/run",
      async ({ request }) => {
        await orderRun((await context.writer()).records, organization(request));
        return success({ ordered: true });
      },
      endpoint("Storage", "Remove expired records and bodies now", "Runs in the background; see last_run."),
    );
}
