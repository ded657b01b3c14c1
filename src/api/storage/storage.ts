import { Elysia } from "elysia";
import { isoTime } from "../../record/iso-time.ts";
import { Deadline } from "../../store/database/deadline.ts";
import { growthOf, recordsPerDay, STORAGE_DAYS, storedBytes, storedPacks } from "../../store/retention/storage.ts";
import { PartSizes, type StoredParts } from "../../store/sizes/parts.ts";
import { localPath } from "../../store/store.ts";
import { IndexSize } from "../../store/words/size.ts";
import { leftToFill, readUnfilled } from "../../store/words/unfilled.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { currentRetention } from "./retention.ts";

/** What is stored, and how much space it takes. */
export function storageEndpoints(context: ApiContext, callers: Callers) {
  const { config, reader } = context;
  const isLocal = localPath(config) !== undefined;
  const sizes = new PartSizes(reader.records);
  const indexSize = new IndexSize(reader.bodies);
  return new Elysia().get(
    "/v1/storage",
    async ({ request }) => {
      const { organizationId } = callers.of(request);
      const deadline = new Deadline(config.query_timeout_seconds * 1_000);
      const [bytes, packs, parts, sums, unfilled, cache, { in_force, last_run }] = await Promise.all([
        storedBytes(config, reader.records),
        storedPacks(reader.bodies),
        isLocal ? sizes.current(deadline) : undefined,
        context.engine.aggregates.storage(deadline),
        readUnfilled(reader.records),
        context.gateway.cacheStatus(organizationId),
        currentRetention(context, organizationId),
      ]);
      const { database_bytes, bodies_bytes } = bytes;
      const stored_bytes = database_bytes === null ? null : database_bytes + (bodies_bytes ?? 0);
      const now = Date.now();
      return success({
        ...bytes,
        stored_bytes,
        ...growthOf(sums, { storedBytes: stored_bytes, dataDirectory: config.data_dir, now }),
        records_uncounted: sums.uncounted,
        records_to_fill: leftToFill(unfilled),
        parts: shownParts(parts),
        packs,
        search_bytes: parts?.bytes.search ?? (await indexSize.bytes(deadline)),
        cache_bytes: cache.bytes,
        per_day: recordsPerDay(sums, organizationId, now),
        retention: in_force,
        last_run,
      });
    },
    endpoint(
      "Storage",
      "What is stored",
      `Bytes on disk of the deployment and its parts, what they were on the wire, and how long the disk lasts; cached responses, and records by day of the last ${STORAGE_DAYS}, of the organization.`,
    ),
  );
}

function shownParts(parts: StoredParts | undefined) {
  if (parts === undefined) return null;
  const { bytes, sampled, measuredAt } = parts;
  const named = Object.fromEntries(Object.entries(bytes).map(([part, value]) => [`${part}_bytes`, value]));
  return { ...named, sampled, measured_at: isoTime(measuredAt) };
}
