import { decodeBody } from "../../runtime/content-coding.ts";
import type { RawHeaders } from "../../spool/frame.ts";
import { readBody } from "../bodies/body.ts";
import type { Capture } from "../exchanges/capture.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import { headerValue, joinedValue } from "./headers.ts";
import type { PrepareDeps } from "./prepare.ts";
import type { StoredPart } from "./stored-parts.ts";
import type { TimeLimit } from "./time-limit.ts";

/**
 * The bodies of the provider's side as they are stored, each where it is not the client's. A body that the client wants
 * omitted is not stored on this side either.
 */
export async function providerParts(exchange: Exchange, deps: PrepareDeps, within: TimeLimit): Promise<StoredPart[]> {
  const { provider, begin } = exchange;
  if (provider === undefined) return [];
  const { requestHead, responseHead } = provider;
  const parts: StoredPart[] = [];
  if (requestHead?.hasBody && !begin.omitRequest) {
    const body = { capture: provider.request, headers: requestHead.headers, path: begin.path };
    parts.push(await toPart("provider_request", body, deps, within));
  }
  if (responseHead !== undefined && !begin.omitResponse) {
    const body = { capture: provider.response, headers: responseHead.headers, path: begin.path };
    parts.push(await toPart("provider_response", body, deps, within));
  }
  return parts;
}

interface CapturedBody {
  readonly capture: Capture;
  readonly headers: RawHeaders;
  readonly path: string;
}

async function toPart(
  part: "provider_request" | "provider_response",
  { capture, headers, path }: CapturedBody,
  { spool, bodyBytesMax }: PrepareDeps,
  within: TimeLimit,
): Promise<StoredPart> {
  const raw = capture.read(spool);
  const coding = joinedValue(headers, "content-encoding");
  const decoded = coding === undefined ? undefined : await decodeBody(raw, coding, bodyBytesMax);
  const plain = decoded?.bytes ?? raw;
  const { form, bytes, mime } = within(plain.byteLength, () =>
    readBody(plain, {
      contentType: headerValue(headers, "content-type"),
      path,
      isResponse: false, // a stream is kept as its text
      incomplete: capture.truncated || decoded?.incomplete === true,
    }),
  );
  return { part, form, bytes, contentType: mime || null };
}
