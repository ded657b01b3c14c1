import { mkdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { agedRecords } from "../../engine/reader.ts";
import { keysOf } from "../../engine/record-source.ts";
import { GatewayError } from "../../errors.ts";
import { within } from "../../runtime/within.ts";
import { Deadline } from "../../store/database/deadline.ts";
import { refuseFirst, removeOrganization, shownOrganizations, stopKeys } from "../../store/people/organizations.ts";
import { actingOf, type Caller } from "../access/caller.ts";
import { settled } from "../caught-up.ts";
import { tooLate } from "../changes/record-updates.ts";
import type { ApiContext } from "../context.ts";
import { readRecords } from "../requests/respond.ts";

/** One call deletes records for this long, then reports its progress. */
const STEP_MS = 5_000;
const STEP_ROWS = 500;
const REMOVE_MS = 60_000;

/** The progress of a deletion: the response of `DELETE /v1/organizations/<id>`. */
interface Deletion {
  readonly id: string;
  readonly name: string;
  /** Records that this call deleted, and those that remain. */
  readonly removed: number;
  readonly remaining: number;
  /** Whether the organization is gone; otherwise the same call continues. */
  readonly done: boolean;
  /** The file on the service's machine with the exported records; null without an export. */
  readonly exported: string | null;
}

interface Order {
  readonly id: string;
  /** As the user typed it. */
  readonly name: string;
  /** Whether each record is written to a file before it is deleted. */
  readonly isExported: boolean;
}

/**
 * Deletes an organization: first its keys are revoked, then its records are deleted in steps, finally its settings and
 * itself. A call ends after a few seconds; the next one continues, also after a restart.
 *
 * @throws GatewayError `not_found`; `invalid_body` if the name does not match, or for the first organization.
 */
export async function deleteOrganization(
  context: ApiContext,
  request: Request,
  caller: Caller,
  { id, name: typed, isExported }: Order,
): Promise<Deletion> {
  const { records } = await context.home.writer();
  const [known] = await shownOrganizations(records, id);
  if (known === undefined) throw new GatewayError("not_found", "there is no organization with this id");
  const { name } = known;
  if (typed !== name) throw new GatewayError("invalid_body", "name: this is not its name", { path: "name" });
  await refuseFirst(records, id);
  await stopKeys(records, id, caller);
  await context.keys.spread();
  await settled(context);
  const exported = isExported ? exportPath(context, id) : null;
  const aged = agedRecords(context.current, context.config);
  const endsAt = performance.now() + STEP_MS;
  let removed = 0;
  for (;;) {
    // Requests in flight end soon, because their key is revoked.
    const requestIds = await aged.finished(id, STEP_ROWS);
    if (requestIds.length === 0) break;
    if (exported !== null) await exportRecords(context, request, { path: exported, organizationId: id, requestIds });
    const order = { organizationId: id, requestIds, by: actingOf(caller), selection: { organization: name } };
    const gone = await within(context.recorder.remove(order), REMOVE_MS, tooLate);
    removed += gone;
    if (gone === 0 || performance.now() > endsAt) break;
  }
  const remaining = await aged.count(id, new Deadline(context.config.query_timeout_seconds * 1_000));
  if (remaining > 0) return { id, name, removed, remaining, done: false, exported };
  await removeOrganization(records, id, caller);
  await Promise.all([context.keys.spread(), context.credentials.spread(), context.routes.spread()]);
  return { id, name, removed, remaining: 0, done: true, exported };
}

/** The same path for each call of one deletion, so that later calls append to it. */
function exportPath({ config }: ApiContext, organizationId: string): string {
  const folder = join(config.data_dir, "exports");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, `${organizationId}.jsonl`);
}

interface Exported {
  readonly path: string;
  readonly organizationId: string;
  readonly requestIds: readonly string[];
}

/**
 * Appends complete records in the format that `weir import` reads, and syncs them to disk before it returns. After a crash
 * between this and the deletion some are written twice: an import takes each once.
 */
async function exportRecords(context: ApiContext, request: Request, { path, organizationId, requestIds }: Exported) {
  const toShow = { organizationId, sight: "bodies", keys: keysOf(requestIds) } as const;
  const file = await open(path, "a", 0o600);
  try {
    for await (const record of readRecords(context, request, toShow)) {
      const { signed_body_url: _, asset_urls: __, ...kept } = record;
      await file.appendFile(`${JSON.stringify(kept)}\n`);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}
