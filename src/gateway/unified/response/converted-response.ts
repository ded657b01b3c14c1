import type { Candidate } from "../../../routing/walk.ts";
import { isPending } from "../../../runtime/pending.ts";
import { type Converted, countIn } from "../../../unified/converted.ts";
import type { ResponseOptions } from "../call/outcome.ts";
import type { Responder } from "../call/responder.ts";
import { noteResponder } from "./note-response.ts";
import type { ProviderHead } from "./provider-head.ts";
import type { BodyHost } from "./response-body.ts";

const jsonHeaders = (body: Uint8Array) => [
  "Content-Type",
  "application/json",
  "Content-Length",
  String(body.byteLength),
];

/** Responds with a token count or embeddings in the client's form. @param bytes - decompressed. @param chunks - as received. */
export async function respondConverted(
  host: BodyHost,
  { reading }: Converted,
  head: ProviderHead,
  { bytes, chunks }: { readonly bytes: Uint8Array; readonly chunks: readonly Uint8Array[] },
): Promise<void> {
  const { translator } = host.options.parts.unified;
  const converting = host.translating(() => translator.converted(bytes, head.headers, reading));
  const converted = isPending(converting) ? await converting : converting;
  if (host.isOver) return;
  if (converted === undefined) {
    host.failMalformed();
    return;
  }
  const { admitted, events } = host.options;
  host.noteHead();
  for (const chunk of chunks) admitted.exchange.recording.providerBody(chunk);
  const { body } = converted;
  host.sendHead(jsonHeaders(body), undefined, converted.estimated);
  events.onData(body);
  host.finish();
}

/**
 * Responds with Weir's own estimate of a token count.
 *
 * @param calls - number of failed calls made for it.
 */
export function respondWithEstimate(
  { admitted, work, events, onResponse }: Pick<ResponseOptions, "admitted" | "work" | "events" | "onResponse">,
  candidate: Candidate,
  { tokens, calls }: { readonly tokens: number; readonly calls: number },
): void {
  const { exchange } = admitted;
  const { endpoint } = work.admission;
  const { target, model } = candidate;
  const responder: Responder = {
    provider: target.provider.name,
    target: "",
    isTranslated: false,
    routing: { routedModel: model, route: target.route, warnings: ["estimated usage"] },
  };
  noteResponder(exchange, responder, target.provider, { calls });
  exchange.routing = { ...exchange.routing, reason: target.reason };
  onResponse?.(responder, candidate);
  const body = Buffer.from(countIn("shape" in endpoint ? endpoint.shape : "", tokens));
  events.onHead(200, "OK", jsonHeaders(body));
  events.onData(body);
  events.onEnd();
}
