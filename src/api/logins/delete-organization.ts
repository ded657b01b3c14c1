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
import { readRecords } from "../requests/answer.ts";

/** One call deletes records for so long, then answers how far it came. */
const STEP_MS = 5_000;
const STEP_ROWS = 500;
const REMOVE_MS = 60_000;

/** How far a deletion is: what `DELETE /v1/organizations/<id>` answers. */
export interface Deletion {
  readonly id: string;
  readonly name: string;
  /** Records that this call deleted, and those that are left. */
  readonly removed: number;
  readonly remaining: number;
  /** Whether the organization is gone; else the same call continues. */
  readonly done: boolean;
  /** The file on the service's machine that has the records, where they were to be exported; else null. */
  readonly exported: string | null;
}

interface Order {
  readonly id: string;
  /** As it was typed. */
  readonly name: string;
  /** Whether each record is written to a file before it is deleted. */
  readonly isExported: boolean;
}

/**
 * Deletes an organization: keys stop first, then its records go in steps, at last its settings and itself. A call ends after a few
 * seconds; the next one continues, also after a restart.
 *
 * @throws GatewayError `not_found`; `invalid_body` where the name is not its name, or for the first organization.
 */
export async function deleteOrganization(
  room: ApiContext,
  request: Request,
  caller: Caller,
  { id, name: typed, isExported }: Order,
): Promise<Deletion> {
  const { records } = await room.home.writer();
  const [known] = await shownOrganizations(records, id);
  if (known === undefined) throw new GatewayError("not_found", "there is no organization with this id");
  const { name } = known;
  if (typed !== name) throw new GatewayError("invalid_body", "name: this is not its name", { path: "name" });
  await refuseFirst(records, id);
  await stopKeys(records, id, caller);
  await room.keys.spread();
  await settled(room);
  const exported = isExported ? exportPath(room, id) : null;
  const aged = agedRecords(room.current, room.config);
  const endsAt = performance.now() + STEP_MS;
  let removed = 0;
  for (;;) {
    // What is in flight ends soon, for its key is revoked.
    const requestIds = await aged.finished(id, STEP_ROWS);
    if (requestIds.length === 0) break;
    if (exported !== null) await exportRecords(room, request, { path: exported, organizationId: id, requestIds });
    const order = { organizationId: id, requestIds, by: actingOf(caller), asked: { organization: name } };
    const gone = await within(room.recorder.remove(order), REMOVE_MS, tooLate);
    removed += gone;
    if (gone === 0 || performance.now() > endsAt) break;
  }
  const remaining = await aged.count(id, new Deadline(room.config.query_timeout_seconds * 1_000));
  if (remaining > 0) return { id, name, removed, remaining, done: false, exported };
  await removeOrganization(records, id, caller);
  await Promise.all([room.keys.spread(), room.credentials.spread(), room.routes.spread()]);
  return { id, name, removed, remaining: 0, done: true, exported };
}

/** The same for each call of one deletion, so that a later call continues in it. */
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
 * Appends whole records, as `weir import` reads them, and has them on the disk before it returns. A crash between this and the
 * deletion writes some of them twice: an import takes each once.
 */
async function exportRecords(room: ApiContext, request: Request, { path, organizationId, requestIds }: Exported) {
  const asked = { organizationId, sight: "bodies", keys: keysOf(requestIds) } as const;
  const file = await open(path, "a", 0o600);
  try {
    for await (const record of readRecords(room, request, asked)) {
      const { signed_body_url: _, asset_urls: __, ...kept } = record;
      await file.appendFile(`${JSON.stringify(kept)}\n`);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}
