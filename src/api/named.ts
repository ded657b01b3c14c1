import { setTimeout as sleep } from "node:timers/promises";
import { engineReader } from "../engine/reader.ts";
import { isSession, keysOf, type RecordSource } from "../engine/record-source.ts";
import { GatewayError } from "../errors.ts";
import type { RequestRow } from "../record/request-record.ts";
import { within } from "../runtime/within.ts";
import { localPath } from "../store/store.ts";
import { settled } from "./caught-up.ts";
import type { ApiContext } from "./context.ts";
import { noSuchRequest } from "./input/request-id.ts";

/** How long the recorder gets to write a record that a caller names. */
const WRITTEN_MS = 10_000;
/** How long another node gets for the same. */
const ELSEWHERE_MS = 1_200;
const ELSEWHERE_POLL_MS = 100;

/**
 * Looks for records that the caller names, perhaps by the id in a response that it is still receiving. If one is missing, this
 * waits until the recorder has written everything from before the call, and looks again; then a moment longer, if another node
 * may be writing it.
 *
 * @throws GatewayError `database_unavailable` if the recorder takes more than 10 s.
 */
export async function named<T>(
  context: ApiContext,
  look: (source: RecordSource) => Promise<T>,
  isComplete: (found: T) => boolean,
): Promise<T> {
  await settled(context);
  const known = await look(context.engine.source);
  if (isComplete(known)) return known;
  await within(context.recorder.storeInFlight(), WRITTEN_MS, () => {
    throw new GatewayError("database_unavailable", "the recorder did not catch up in time");
  });
  const { source } = engineReader(context.current, context.config);
  const isShared = localPath(context.config) === undefined;
  for (const until = performance.now() + (isShared ? ELSEWHERE_MS : 0); ; ) {
    const found = await look(source);
    if (isComplete(found) || performance.now() >= until) return found;
    await sleep(ELSEWHERE_POLL_MS);
  }
}

/** The organization's records with these ids; those that do not exist are left out. */
export function recordsNamed(
  context: ApiContext,
  organizationId: string,
  ids: readonly string[],
): Promise<readonly RequestRow[]> {
  const look = (source: RecordSource) => source.records(organizationId, keysOf(ids));
  return named(context, look, (rows) => rows.length === ids.length);
}

/** @throws GatewayError `not_found` */
export async function recordNamed(context: ApiContext, organizationId: string, id: string): Promise<RequestRow> {
  const [row] = await recordsNamed(context, organizationId, [id]);
  if (row === undefined) throw noSuchRequest();
  return row;
}

/** Whether the organization has a request of this session. */
export function isSessionNamed(context: ApiContext, organizationId: string, sessionId: string): Promise<boolean> {
  const look = (source: RecordSource) => isSession(source, { organizationId, sessionId });
  return named(context, look, (isThere) => isThere);
}
