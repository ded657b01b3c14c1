import { Capture, InlineBudget } from "../../src/recorder/exchanges/capture.ts";
import type { Exchange } from "../../src/recorder/exchanges/exchange.ts";
import type { BeginMeta, RawHeaders } from "../../src/spool/frame.ts";
import { HeaderList } from "../../src/spool/header-list.ts";
import { begin } from "../spool/journal.ts";

/** What one exchange is made of, as it came from outside. */
export interface Came {
  readonly begin?: Partial<BeginMeta>;
  readonly request?: Uint8Array;
  readonly response?: Uint8Array;
  readonly responseHeaders?: RawHeaders;
  readonly status?: number;
}

const BODY_BYTES_MAX = 64 * 1024 * 1024;

/** An exchange that has ended, and the spool that its long bodies are read from. */
export function exchangeOf({ begin: changes, request, response, responseHeaders, status = 200 }: Came) {
  const bodies = [request ?? new Uint8Array(), response ?? new Uint8Array()].map((bytes) => Buffer.from(bytes));
  const captures = bodies.map((bytes, segment) => {
    const capture = new Capture(new InlineBudget(), BODY_BYTES_MAX);
    capture.add(bytes, 0, bytes.byteLength, segment, 0);
    return capture;
  });
  const meta = begin(changes);
  const exchange: Exchange = {
    id: crypto.randomUUID(),
    begin: { ...meta, headers: HeaderList.of(meta.headers) },
    request: captures[0]!,
    response: captures[1]!,
    provider: undefined,
    messages: undefined,
    head: {
      time: meta.time + 1,
      status,
      headers: HeaderList.of(responseHeaders ?? ["Content-Type", "application/json"]),
    },
    end: {
      time: meta.time + 2,
      outcome: "complete",
      requestBytes: bodies[0]!.byteLength,
      responseBytes: bodies[1]!.byteLength,
    },
    needs: { segment: 0, offset: 0 },
    carry: 0,
    readAt: 0,
    row: "none",
    key: undefined,
    dropped: false,
    updated: undefined,
    incomplete: false,
  };
  const readBack = (segment: number, offset: number, target: Buffer) => bodies[segment]!.copy(target, 0, offset);
  return { exchange, spool: { readBack } };
}
