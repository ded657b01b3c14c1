import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SeenAnswer, startLoad } from "./load.ts";
import type { Upstream } from "./upstream.ts";
import { type ApiRecord, queryIds, startWeir, until, type Weir } from "./weir.ts";

/** What one round of load, `kill -9` and restart showed. */
export interface CrashRound {
  readonly killedAfterMs: number;
  /** Ids whose response headers reached a client. */
  readonly seen: number;
  /** Of those: answers that arrived whole, that were cut off, that the client left itself. */
  readonly whole: number;
  readonly cutOff: number;
  readonly left: number;
  readonly found: number;
  readonly missing: readonly string[];
  readonly doubled: readonly string[];
  /** Answers that arrived whole and are recorded as cut off: their last frame was lost with the process. */
  readonly wholeButCutInRecord: number;
  /** Answers recorded whole whose last bytes were lost with the process: of each gateway thread, the one it was at. */
  readonly cutButWholeInRecord: number;
  /** Records whose status contradicts what the client saw, as `kind: client saw, record says`. */
  readonly wrong: readonly string[];
  /** Milliseconds from the restart until every record was there and finished. */
  readonly recoveredMs: number;
}

/** Answers that clients have seen before a round's clock starts. */
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
  const earlier: SeenAnswer[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const load = startLoad(weir.gatewayPort, upstream.origin, clients);
      // A busy machine may take long to answer the first: there is nothing to lose before.
      await until(
        async () => load.seen.length >= SEEN_MIN,
        20_000,
        () => "no load came up",
      );
      const killedAfterMs = delayMs(round);
      await new Promise((wake) => setTimeout(wake, killedAfterMs));
      const stopped = load.stop();
      await weir.kill();
      await stopped;
      const restartedAt = performance.now();
      weir = await startWeir({ dataDirectory, env });
      earlier.push(...load.seen);
      upstream.forget();
      const records = await allRecords(weir, load.seen);
      onRound(compare(killedAfterMs, load.seen, records, performance.now() - restartedAt));
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

/** The records of all ids, once none is unfinished; gives up waiting for missing ones after ten seconds. */
async function allRecords(weir: Weir, seen: readonly SeenAnswer[]): Promise<ApiRecord[]> {
  const ids = seen.map(({ id }) => id);
  let records: ApiRecord[] = [];
  const finished = async () => {
    records = await queryIds(weir, ids);
    return records.length >= ids.length && records.every(({ response_status }) => response_status !== null);
  };
  try {
    await until(finished, 15_000, () => "", 100);
  } catch {
    return records; // what is missing is what the caller counts
  }
  return records;
}

function compare(
  killedAfterMs: number,
  seen: readonly SeenAnswer[],
  records: readonly ApiRecord[],
  recoveredMs: number,
): CrashRound {
  const byId = new Map<string, ApiRecord[]>();
  for (const record of records) byId.set(record["request_id"], [...(byId.get(record["request_id"]) ?? []), record]);
  let wholeButCutInRecord = 0;
  let cutButWholeInRecord = 0;
  const wrong: string[] = [];
  for (const answer of seen) {
    const record = byId.get(answer.id)?.[0];
    if (record === undefined) continue;
    const status = record["response_status"];
    const saw = answer.complete ? `whole ${answer.status}` : answer.left ? "left" : "cut off";
    if (answer.complete && status === 500) wholeButCutInRecord += 1;
    else if (saw === "cut off" && status === answer.status) cutButWholeInRecord += 1;
    else if (
      answer.complete ? status !== answer.status : answer.left ? status !== 499 && status !== 500 : status !== 500
    )
      wrong.push(`${answer.kind}: client saw ${saw}, record says ${status}`);
  }
  const count = (test: (answer: SeenAnswer) => boolean) => seen.filter(test).length;
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
