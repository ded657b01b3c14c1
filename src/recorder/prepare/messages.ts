import { parseJson } from "../../mapping/events/json.ts";
import type { Json } from "../../plugin-host/contract.ts";
import { isoTime } from "../../record/iso-time.ts";
import type { MessageMeta } from "../../spool/frame.ts";
import type { SpoolReader } from "../../spool/reader.ts";
import type { Exchange } from "../exchanges/exchange.ts";

/** WebSocket messages as JSON lines, `{"time","direction","text"|"base64"}`, without those that the client asked to omit. */
export function messageLines(exchange: Exchange, spool: Pick<SpoolReader, "readBack">): Buffer {
  const { omitRequest, omitResponse } = exchange.begin;
  const lines: string[] = [];
  for (const part of exchange.messages?.readParts(spool) ?? []) {
    const message = parseJson(part.toString("utf8")) as MessageMeta | undefined;
    if (message === undefined) continue; // the last message, truncated by the limit
    if (message.direction === "client" ? omitRequest : omitResponse) continue;
    lines.push(JSON.stringify(toLine(message)));
  }
  return Buffer.from(lines.map((line) => `${line}\n`).join(""));
}

function toLine({ time, direction, text, base64 }: MessageMeta): Json {
  const line = { time: isoTime(time), direction };
  return base64 === undefined ? { ...line, text: text ?? "" } : { ...line, base64 };
}
