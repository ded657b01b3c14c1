import { parseRequest } from "../mapping/exact-json.ts";
import { listOf, utf8Of } from "../mapping/json.ts";
import type { Json } from "../plugin-host/contract.ts";

/** A request with the complete conversation. */
interface WithTurns {
  readonly body: Uint8Array;
  /** Maps a path in this body to the client's body. */
  readonly pathOf: (path: string) => string;
  /** Whether the client wants reasoning with its state in the response. */
  readonly wantsState: boolean;
}

const INPUT = /^input\[(\d+)\]/;
const STATE = "reasoning.encrypted_content";
const MEMBER = "previous_response_id";

/**
 * Inserts the earlier turns into a Responses request, in place of their id. Weir generates the response's id, so the
 * provider must not store the response.
 *
 * @param turns - a JSON list.
 */
export function withTurns(bytes: Uint8Array, turns: string): WithTurns {
  const { [MEMBER]: _, input, store, ...rest } = parseRequest(utf8Of(bytes));
  const before: readonly Json[] = parseRequest(turns);
  const isText = typeof input === "string";
  const own = isText ? [{ type: "message", role: "user", content: input }] : listOf(input);
  return {
    body: Buffer.from(JSON.stringify({ ...rest, store: store ?? false, input: [...before, ...own] })),
    wantsState: store === false || listOf(rest["include"]).includes(STATE),
    pathOf(path) {
      const place = INPUT.exec(path);
      if (place === null) return path;
      const at = Number(place[1]) - before.length;
      if (at < 0) return MEMBER;
      return isText ? "input" : `input[${at}]${path.slice(place[0].length)}`;
    },
  };
}
