import type { Candidate } from "../../routing/walk.ts";
import { type Converted, countIn } from "../../unified/converted.ts";
import type { Admitted } from "../admit.ts";
import type { UnifiedWork } from "./answer-unified.ts";
import type { ProviderHead } from "./provider-head.ts";
import type { BodyHost } from "./response-body.ts";

const jsonHeaders = (body: Uint8Array) => [
  "Content-Type",
  "application/json",
  "Content-Length",
  String(body.byteLength),
];

/** A count or embeddings, in the client's form. @param bytes - unpacked. @param chunks - as they came. */
export function answerConverted(
  host: BodyHost,
  { convert }: Converted,
  head: ProviderHead,
  { bytes, chunks }: { readonly bytes: Uint8Array; readonly chunks: readonly Uint8Array[] },
): void {
  const converted = convert(bytes, head.headers);
  if (converted === undefined) {
    host.failMalformed();
    return;
  }
  const { admitted, events } = host.options;
  host.noteHead();
  for (const chunk of chunks) admitted.exchange.recording.providerBody(chunk);
  const body = Buffer.from(converted.text);
  host.sendHead(jsonHeaders(body), undefined, converted.estimated);
  events.onData(body);
  host.finish();
}

/** A count that no provider was asked for. */
export function answerEstimate(
  { exchange }: Admitted,
  { admission }: UnifiedWork,
  { target, model }: Candidate,
  tokens: number,
): void {
  const { endpoint } = admission;
  const warnings = ["estimated usage"];
  exchange.provider = target.provider;
  exchange.attempt = { provider: target.provider.name };
  exchange.routing = {
    ...exchange.routing,
    routedModel: model,
    route: target.route,
    reason: target.reason,
    warnings,
  };
  exchange.ownHeaders = [
    ...["gateway-provider", target.provider.name, "gateway-model", model],
    ...(target.route === null ? [] : ["gateway-route", target.route]),
    ...["gateway-attempts", "0", "gateway-warning", warnings.join()],
  ];
  const body = Buffer.from(countIn("shape" in endpoint ? endpoint.shape : "", tokens));
  exchange.onHead(200, "OK", jsonHeaders(body));
  exchange.onData(body);
  exchange.onEnd();
}
