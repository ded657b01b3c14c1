import { Elysia } from "elysia";
import { Deadline } from "../../store/database/deadline.ts";
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
import { recordsPerDay, STORAGE_DAYS, storedBytes, storedPacks } from "../../store/retention/storage.ts";
import { IndexSize } from "../../store/words/size.ts";
import type { Gate } from "../access/gate.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import type { ApiRoom } from "../room.ts";

/** How long records and bodies are kept, and what they take. */
export function retentionEndpoints(room: ApiRoom, gate: () => Gate) {
  const { records } = room.current;
  const days = new Remembered<Awaited<ReturnType<typeof recordsPerDay>>>();
  const indexSize = new IndexSize(room.reader.bodies);
  const organization = (request: Request) => gate().caller(request).organizationId;
  const current = async (organizationId: string) => {
    const rule = await retentionOf(records, organizationId);
    const { retention_days, body_retention_days } = room.config;
    return {
      ...rule,
      in_force: inForce(rule, room.config),
      configured: { days: retention_days, body_days: body_retention_days },
      last_run: shownRun(await lastRun(records, organizationId)),
    };
  };
  return new Elysia()
    .get(
      "/v1/retention",
      async ({ request }) => success(await current(organization(request))),
      endpoint("admin", "Storage", "How long records and bodies are kept"),
    )
    .put(
      "/v1/retention",
      async ({ body, request }) => {
        const organizationId = organization(request);
        await putRetention((await room.writer()).records, organizationId, readRetention(body));
        return success(await current(organizationId));
      },
      {
        body: RETENTION_SCHEMA,
        ...endpoint(
          "admin",
          "Storage",
          "Say how long records and bodies are kept",
          "What is missing is as configured.",
        ),
      },
    )
    .post(
      "/v1/retention/run",
      async ({ request }) => {
        await orderRun((await room.writer()).records, organization(request));
        return success({ ordered: true });
      },
      endpoint("admin", "Storage", "Remove what is too old now", "Goes on without anybody waiting; see last_run."),
    )
    .get(
      "/v1/storage",
      async ({ request }) => {
        const organizationId = organization(request);
        const deadline = new Deadline(room.config.query_timeout_seconds * 1_000);
        const [bytes, packs, search_bytes, cache, per_day, { in_force, last_run }] = await Promise.all([
          storedBytes(room.config, room.reader.records),
          storedPacks(room.reader.bodies),
          indexSize.bytes(deadline),
          room.gateway.cacheStatus(organizationId),
          days.of(organizationId, () => recordsPerDay(room.reader.records, organizationId, deadline)),
          current(organizationId),
        ]);
        return success({
          ...bytes,
          packs,
          search_bytes,
          cache_bytes: cache.bytes,
          per_day,
          retention: in_force,
          last_run,
        });
      },
      endpoint(
        "read",
        "Storage",
        "What is stored",
        `Bytes on disk of the deployment, the index of words being a part of the bodies; cached answers, and records by day of the last ${STORAGE_DAYS}, of the organization.`,
      ),
    );
}

/** What takes longer than this to count is good for a minute. */
const DEAR_MS = 200;
const REMEMBERED_MS = 60_000;
const REMEMBERED_MAX = 100;

/** Answers that were dear, by organization. */
class Remembered<T> {
  readonly #known = new Map<string, { readonly until: number; readonly value: T }>();

  async of(organizationId: string, work: () => Promise<T>): Promise<T> {
    const startedMs = performance.now();
    const known = this.#known.get(organizationId);
    if (known !== undefined && known.until > startedMs) return known.value;
    const value = await work();
    if (this.#known.size >= REMEMBERED_MAX) this.#known.clear();
    const now = performance.now();
    if (now - startedMs > DEAR_MS) this.#known.set(organizationId, { until: now + REMEMBERED_MS, value });
    return value;
  }
}
