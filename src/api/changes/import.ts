import { setImmediate as nextTurn } from "node:timers/promises";
import { Elysia, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { elementsOf } from "../../json-text/members.ts";
import type { KeySnapshot } from "../../keys.ts";
import { messageOf } from "../../log.ts";
import { IMPORT_RECORDS_MAX, ImportRefused } from "../../record/imported.ts";
import type { Arrival } from "../../threads.ts";
import { actingOf } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { readArrival } from "./arrivals.ts";

/** Like the gateway's 409 for an id that the client chose: ids are unique in a deployment, across organizations. */
const ID_TAKEN = "the id was used before in this deployment";

/** Characters of records that are parsed before other tasks get a turn. */
const TURN_LENGTH = 1 << 20;

interface Rejection {
  /** Line number, or position in the array, from 1. */
  readonly line: number;
  /** Its request id, null if it has none. */
  readonly id: string | null;
  readonly why: string;
}

interface ReadLine {
  readonly line: number;
  readonly arrival: Arrival;
}

/** Imports records that a Weir has exported. */
export function importEndpoints(context: ApiContext, callers: Callers) {
  return new Elysia().post(
    "/v1/import",
    async ({ body, request }) => {
      const caller = callers.of(request);
      const rejected: Rejection[] = [];
      const read = await readAll(linesOf(body as string), caller.key, rejected);
      const results = await context.recorder.import(
        read.map(({ arrival }) => arrival),
        actingOf(caller),
      );
      const counts = { imported: 0, existing: 0 };
      for (const [index, { line, arrival }] of read.entries()) {
        const result = results[index];
        if (result === "imported" || result === "existing") counts[result]++;
        else rejected.push({ line, id: arrival.row.request_id, why: ID_TAKEN });
      }
      return success({ ...counts, rejected: rejected.sort((a, b) => a.line - b.line) });
    },
    endpoint(
      "Requests",
      "Import records",
      `Up to ${IMPORT_RECORDS_MAX} records as they were exported: a JSON array, or JSON lines. They are added to the key's organization; existing records stay unchanged.`,
      { reads: "text", takes: { "application/json": t.Array(t.Object({})), "application/x-ndjson": t.String() } },
    ),
  );
}

/** Parses each line; failures are added to `rejected`. */
async function readAll(lines: Iterable<string>, key: KeySnapshot, rejected: Rejection[]): Promise<ReadLine[]> {
  const read: ReadLine[] = [];
  let line = 0;
  let length = 0;
  for (const text of lines) {
    line++;
    if (text.trim() === "") continue;
    if (read.length + rejected.length >= IMPORT_RECORDS_MAX) {
      throw new GatewayError("invalid_body", `more than ${IMPORT_RECORDS_MAX} records: send them in parts`);
    }
    try {
      read.push({ line, arrival: readArrival(text, key) });
    } catch (error) {
      if (!(error instanceof ImportRefused || error instanceof RangeError)) throw error;
      const why = error instanceof ImportRefused ? messageOf(error) : "it is nested too deeply";
      rejected.push({ line, id: idIn(text), why });
    }
    length += text.length;
    if (length > TURN_LENGTH) {
      length = 0;
      await nextTurn();
    }
  }
  return read;
}

function linesOf(text: string): Iterable<string> {
  const records = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  if (!/^\s*\[/.test(records)) return records.split("\n");
  try {
    JSON.parse(records);
  } catch (cause) {
    throw new GatewayError("invalid_body", "the array is not JSON", { cause });
  }
  return elementsOf(records);
}

/** The apparent id of a broken record, to help find it. */
function idIn(text: string): string | null {
  return /"request_id"\s*:\s*"([0-9a-f-]{36})"/i.exec(text)?.[1]?.toLowerCase() ?? null;
}
