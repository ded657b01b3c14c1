import type { ApiError } from "../../../plugin-host/contract.ts";
import { readErrorOf, shownBody, writeErrorIn } from "../../../unified/response.ts";
import { OwnFailure } from "../../own-failure.ts";
import { ownResponse } from "../../refusal.ts";
import type { ResponseOptions } from "../call/outcome.ts";
import { headerValue, noteProviderHead, type ProviderHead, passedHeaders } from "./provider-head.ts";

/**
 * Sends a provider's error to the client: unchanged in the same shape, else translated. A rejected stored credential is the
 * owner's problem: the client's key was valid.
 *
 * @param chunks - as received.
 * @param bytes - the same, decompressed.
 */
export function deliverError(
  options: ResponseOptions,
  head: ProviderHead,
  chunks: readonly Uint8Array[],
  bytes: Uint8Array,
): void {
  const { attempt, events, admitted } = options;
  const { credential, target } = attempt.candidate;
  if (credential !== "client" && (head.status === 401 || head.status === 403)) {
    const message = `${target.provider.name} refused the stored credential "${credential.name}" with ${head.status}; the service key was right`;
    events.onError(new OwnFailure(ownResponse("credential_rejected", message), "upstream_failed"));
    return;
  }
  if (attempt.outbound.kind === "same") {
    events.onHead(head.status, head.reason, passedHeaders(head.headers, undefined));
    for (const chunk of chunks) events.onData(chunk);
    events.onEnd();
    return;
  }
  noteProviderHead(options, head);
  for (const chunk of chunks) admitted.exchange.recording.providerBody(chunk);
  deliverInOwnShape(options, head, readErrorOf(attempt.outbound.shape, head.status, bytes), bytes);
}

/** @param bytes - the provider's body, to show its beginning to the client. */
export function deliverInOwnShape(
  { attempt, admitted, events }: ResponseOptions,
  head: ProviderHead,
  error: ApiError,
  bytes?: Uint8Array,
): void {
  const { exchange } = admitted;
  const { provider } = attempt.candidate.target;
  const upstream = bytes && { provider: provider.name, status: head.status, body: shownBody(bytes) };
  const { status, body } = writeErrorIn(exchange.errorShape ?? "", {
    ...error,
    requestId: exchange.id,
    ...(upstream !== undefined && { upstream }),
  });
  const text = Buffer.from(JSON.stringify(body));
  const kept = ["retry-after", "retry-after-ms"].flatMap((name) => {
    const value = headerValue(head.headers, name);
    return value === "" ? [] : [name, value];
  });
  events.onHead(status, "", ["Content-Type", "application/json", "Content-Length", String(text.byteLength), ...kept]);
  events.onData(text);
  events.onEnd();
}
