import { Elysia, t } from "elysia";
import { TIME_BUCKETS } from "../../filter/group-by.ts";
import { isoTime } from "../../record/iso-time.ts";
import { noted } from "../../store/audit/recorded.ts";
import { Deadline } from "../../store/database/deadline.ts";
import type { Callers } from "../access/callers.ts";
import { settled } from "../caught-up.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { PAGE_QUERY, readPage } from "../input/page-query.ts";
import { FILTER, readBucket, readScope } from "../input/query-body.ts";

const PURGE = t.Object(
  {
    key: t.Optional(
      t.String({
        pattern: "^[0-9a-f]{64}$",
        description: "As GET /v1/cache/entries shows it.",
        expects: "give a key as GET /v1/cache/entries shows it",
      }),
    ),
    model: t.Optional(t.String({ minLength: 1, description: "The model named in the requests." })),
    request_id: t.Optional(t.String({ description: "The request whose response is stored." })),
    property: t.Optional(
      t.Object({ name: t.String({ minLength: 1 }), value: t.Optional(t.String()) }, { additionalProperties: false }),
    ),
  },
  { additionalProperties: false },
);

const SERIES = t.Object(
  { filter: t.Optional(FILTER), time_bucket: t.String({ description: `${Object.keys(TIME_BUCKETS).join(", ")}.` }) },
  { additionalProperties: false },
);

export function cacheEndpoints(context: ApiContext, callers: Callers) {
  return new Elysia()
    .get(
      "/v1/cache",
      async ({ request }) => {
        const { organizationId } = callers.of(request);
        await settled(context);
        const deadline = new Deadline(context.config.query_timeout_seconds * 1_000);
        const [counted, { entries, bytes, bytesMax }] = await Promise.all([
          context.engine.aggregates.cacheStatistics(organizationId, deadline),
          context.gateway.cacheStatus(organizationId),
        ]);
        const lookups = counted.hits + counted.misses;
        const rate = lookups === 0 ? null : counted.hits / lookups;
        return success({ ...counted, hit_rate: rate, entries, bytes, max_bytes: bytesMax });
      },
      endpoint("Cache", "Read cache statistics and contents", "Hits, misses and savings are counted over all records."),
    )
    .post(
      "/v1/cache/metrics/query",
      async ({ body, request }) => {
        const bucket = readBucket(body.time_bucket);
        const { scope } = readScope(callers.of(request), body);
        await settled(context);
        const deadline = new Deadline(context.config.query_timeout_seconds * 1_000);
        return success(await context.engine.aggregates.cacheSeries(scope, bucket, deadline));
      },
      {
        body: SERIES,
        ...endpoint("Cache", "Read cache statistics by time", "Hits, misses and what the hits saved."),
      },
    )
    .get(
      "/v1/cache/entries",
      async ({ request }) => {
        const { organizationId } = callers.of(request);
        const entries = await context.gateway.cacheEntries(organizationId, readPage(request));
        return success(
          entries.map(({ key, place, requestId, model, createdAt, expiresAt, bytes }) => ({
            key,
            bucket_idx: place,
            request_id: requestId,
            model,
            created_at: isoTime(createdAt),
            expires_at: isoTime(expiresAt),
            bytes,
          })),
        );
      },
      endpoint("Cache", "List stored responses", "The most recently used first.", { query: PAGE_QUERY }),
    )
    .delete(
      "/v1/cache",
      async ({ body, request }) => {
        const caller = callers.of(request);
        const { organizationId } = caller;
        const { request_id: requestId, ...wish } = body ?? {};
        const purge = { ...wish, ...(requestId !== undefined && { requestId: requestId.toLowerCase() }) };
        // Files are not part of a transaction: without its log entry nothing is removed.
        const object = { kind: "cache", id: "", name: "" };
        const act = { action: "cache.purged", organizationId, object, after: body ?? { all: true } } as const;
        await noted((await context.writer()).records, caller, act);
        return success(await context.gateway.purgeCache(organizationId, purge));
      },
      {
        body: t.Optional(PURGE),
        ...endpoint(
          "Cache",
          "Remove stored responses",
          "Those that match every member of the body; without a body, all of the organization's. `data` is the number of removed responses.",
        ),
      },
    );
}
