import { GatewayError } from "../../errors.ts";
import { hint, quote } from "../../filter/spelling.ts";
import type { ApiContext } from "../context.ts";
import { logFailure } from "../log-failure.ts";
import { streamText } from "../requests/stream-text.ts";

/** The format that a request names; default: jsonl. @throws GatewayError `invalid_body`. */
export function formatIn<Format>(formats: Readonly<Record<string, Format>>, request: Request) {
  const name = new URL(request.url).searchParams.get("format") ?? "jsonl";
  if (Object.hasOwn(formats, name)) return { name, format: formats[name]! };
  const message = `there is no format ${quote(name)}; ${hint(name, Object.keys(formats))}`;
  throw new GatewayError("invalid_body", message, { path: "format" });
}

export const inFileName = (name: string, otherwise: string): string =>
  name.replace(/[^\w.-]+/g, "-").slice(0, 60) || otherwise;

interface FileToSend {
  readonly name: string;
  readonly type: string;
  readonly pieces: AsyncGenerator<string>;
}

/** Sends a file to save, as it is produced. */
export function sendFile({ log }: ApiContext, request: Request, { name, type, pieces }: FileToSend): Promise<Response> {
  const headers = { "content-type": type, "content-disposition": `attachment; filename="${name}"` };
  return streamText(pieces, headers, (error) => logFailure(log, request, error));
}
