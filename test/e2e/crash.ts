import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SeenResponse, startLoad } from "./load.ts";
import type { Upstream } from "./upstream.ts";
import { type ApiRecord, callApi, queryIds, startWeir, until, type Weir } from "./weir.ts";

/** What one round of load, `kill -9` and restart showed. */
export interface CrashRound {
  readonly killedAfterMs: number;
  /** Ids whose response headers reached a client. */
  readonly seen: number;
  /** Of those: responses that arrived whole, that were cut off, that the client left itself. */
  readonly whole: number;
  readonly cutOff: number;
  readonly left: number;
  readonly found: number;
  readonly missing: readonly string[];
  readonly doubled: readonly string[];
  /** Responses that arrived whole and are recorded as cut off: their last frame was lost with the process. */
  readonly wholeButCutInRecord: number;
  /** Responses recorded whole whose last bytes were lost with the process: at most one of each gateway thread. */
  readonly cutButWholeInRecord: number;
  /** Records whose status contradicts what the client saw, as `kind: client saw, record says`. */
  readonly wrong: readonly string[];
  /** Bodies that are recorded other than the client sent or got them: of cut-off ones, what it got is a beginning. */
  readonly differing: readonly string[];
  readonly bodies: number;
  /** Milliseconds from the restart until every record was there and finished. */
  readonly recoveredMs: number;
}

/** Responses that clients have seen before a round's clock starts. */
const SEEN_MIN = 12;

/** Rounds over one data directory. @returns ids of any round that are not there once each at the very end. */
export async function crashRounds(
  upstream: Upstream,
  rounds: number,
  clients: number,
  delayMs: (round: number) => number,
  onRound: (round: CrashRound) => void,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const dataDirectory = mkdtempSync(join(tmpdir(), "weir-crash-"));
  let weir: Weir = await startWeir({ dataDirectory, env });
  const earlier: SeenResponse[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const load = startLoad(weir.gatewayPort, upstream.origin, clients);
      // A busy machine may respond to the first one late: there is nothing to lose before.
      await until(
        async () => load.seen.length >= SEEN_MIN,
        180_000,
        () => "no load came up",
      );
      const killedAfterMs = delayMs(round);
      await new Promise((wake) => setTimeout(wake, killedAfterMs));
      const stopped = load.stop();
      await weir.kill();
      await stopped;
      const restartedAt = performance.now();
      weir = await startWeir({ dataDirectory, env });
      upstream.forget();
      const records = await allRecords(weir, load.seen);
      const recoveredMs = performance.now() - restartedAt;
      const bodies = await compareBodies(weir, load.seen, records);
      onRound({ ...compare(killedAfterMs, load.seen, records, recoveredMs), ...bodies });
      earlier.push(...load.seen.map((seenResponse) => ({ ...seenResponse, sent: NOTHING, received: [] })));
    }
    const ids = earlier.map(({ id }) => id);
    const found = new Map<string, number>();
    for (const { request_id } of await queryIds(weir, ids)) found.set(request_id, (found.get(request_id) ?? 0) + 1);
    return ids.filter((id) => found.get(id) !== 1);
  } finally {
    await weir.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

const NOTHING = Buffer.alloc(0);
const AT_ONCE = 8;

/** Reads every body of the records as it was sent. */
export async function compareBodies(
  weir: Weir,
  seen: readonly SeenResponse[],
  records: readonly ApiRecord[],
): Promise<Pick<CrashRound, "bodies" | "differing">> {
  const statuses = new Map(records.map((record) => [record["request_id"], record["response_status"]]));
  const left = seen.filter(({ id }) => statuses.has(id));
  const differing: string[] = [];
  let bodies = 0;
  const check = async ({ id, kind, status, complete, sent, received }: SeenResponse) => {
    const read = async (part: string) => {
      const response = await callApi(weir, `/v1/request/${id}/body?part=${part}&raw=true`);
      bodies++;
      return Buffer.from(await response.arrayBuffer());
    };
    const got = Buffer.concat(received);
    const [request, response] = [await read("request"), await read("response")];
    // A response head may come before all of an upload is in the spool; only then may a part of it be missing.
    const isWhole = complete && statuses.get(id) === status;
    if (isWhole ? !request.equals(sent) : !sent.subarray(0, request.length).equals(request))
      differing.push(`${id} (${kind}): request of ${sent.length} bytes, recorded ${request.length}`);
    if (isWhole ? !response.equals(got) : !isBeginning(got, response))
      differing.push(`${id} (${kind}): response of ${got.length} bytes, recorded ${response.length}`);
  };
  const take = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) await check(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  return { bodies, differing };
}

/** Whether one is the beginning of the other. */
function isBeginning(a: Buffer, b: Buffer): boolean {
  const length = Math.min(a.length, b.length);
  return a.subarray(0, length).equals(b.subarray(0, length));
}

/** The records of all ids, once none is unfinished; gives up waiting for missing ones after ten seconds. */
export async function allRecords(weir: Weir, seen: readonly SeenResponse[]): Promise<ApiRecord[]> {
  const ids = seen.map(({ id }) => id);
  let records: ApiRecord[] = [];
  const finished = async () => {
    records = await queryIds(weir, ids);
    return records.length >= ids.length && records.every(({ response_status }) => response_status !== null);
  };
  try {
    await until(finished, 180_000, () => "", 100);
  } catch {
    return records; // what is missing is what the caller counts
  }
  return records;
}

export function compare(
  killedAfterMs: number,
  seen: readonly SeenResponse[],
  records: readonly ApiRecord[],
  recoveredMs: number,
): Omit<CrashRound, "bodies" | "differing"> {
  const byId = new Map<string, ApiRecord[]>();
  for (const record of records) byId.set(record["request_id"], [...(byId.get(record["request_id"]) ?? []), record]);
  let wholeButCutInRecord = 0;
  let cutButWholeInRecord = 0;
  const wrong: string[] = [];
  for (const seenResponse of seen) {
    const record = byId.get(seenResponse.id)?.[0];
    if (record === undefined) continue;
    const status = record["response_status"];
    const saw = seenResponse.complete ? `whole ${seenResponse.status}` : seenResponse.left ? "left" : "cut off";
    if (seenResponse.complete && status === 500) wholeButCutInRecord += 1;
    else if (saw === "cut off" && status === seenResponse.status) cutButWholeInRecord += 1;
    else if (
      seenResponse.complete
        ? status !== seenResponse.status
        : seenResponse.left
          ? status !== 499 && status !== 500
          : status !== 500
    )
      wrong.push(`${seenResponse.kind}: client saw ${saw}, record says ${status}`);
  }
  const count = (test: (seenResponse: SeenResponse) => boolean) => seen.filter(test).length;
  return {
    killedAfterMs: Math.round(killedAfterMs),
    seen: seen.length,
    whole: count(({ complete }) => complete),
    cutOff: count(({ complete, left }) => !complete && !left),
    left: count(({ complete, left }) => !complete && left),
    found: count(({ id }) => byId.has(id)),
    missing: seen.filter(({ id }) => !byId.has(id)).map(({ id, kind }) => `${id} (${kind})`),
    doubled: [...byId].filter(([, found]) => found.length > 1).map(([id]) => id),
    wholeButCutInRecord,
    cutButWholeInRecord,
    wrong,
    recoveredMs: Math.round(recoveredMs),
  };
}
