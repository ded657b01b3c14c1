import { GatewayError } from "../errors.ts";
import type { RequestChange } from "../plugin-host/contract.ts";
import type { Admitted } from "./admitted.ts";
import type { CodedBody } from "./body/content.ts";
import type { GatewayParts } from "./gateway-parts.ts";
import { type RequestHeaders, replaceHeaders, valuesOf } from "./headers/headers.ts";

/** A request as it continues, with its body if that is in memory. */
export interface Sent {
  readonly admitted: Admitted;
  readonly body: Uint8Array | undefined;
}

/** Applies plugins' changes to a request. A promise only if a plugin is asynchronous or changes something. */
export function asChanged(
  parts: GatewayParts,
  sent: Sent,
  change: RequestChange | undefined | Promise<RequestChange | undefined>,
): Sent | Promise<Sent> {
  if (change === undefined) return sent;
  if (!(change instanceof Promise)) return changeRequest(parts, sent, change);
  return changedLater(parts, sent, change);
}

/** A function of its own: in `asChanged` the closure would cost every request its scope. */
const changedLater = (parts: GatewayParts, sent: Sent, change: Promise<RequestChange | undefined>) =>
  change.then((given) =>
    given === undefined || sent.admitted.exchange.ended ? sent : changeRequest(parts, sent, given),
  );

/**
 * Changes the request that is sent, and thereby the cache key.
 *
 * @throws GatewayError `plugin_failed` if the body is to be changed but is not a JSON object.
 */
async function changeRequest(parts: GatewayParts, { admitted, body }: Sent, change: RequestChange): Promise<Sent> {
  const members = change.body ?? {};
  const isBodyChanged = Object.keys(members).length > 0;
  const next = isBodyChanged ? await changeBody(parts, admitted.headers, body, members) : body;
  const set: Record<string, string | null> = { ...change.headers };
  if (isBodyChanged) Object.assign(set, framingOf(admitted.headers, next!));
  const headers = parts.headers.read(replaceHeaders(admitted.headers.raw, set));
  const client = admitted.client ?? { body };
  return { admitted: { ...admitted, headers, client }, body: next };
}

/** @throws GatewayError `plugin_failed`. */
export async function changeBody(
  parts: GatewayParts,
  headers: RequestHeaders,
  body: Uint8Array | undefined,
  members: NonNullable<RequestChange["body"]>,
): Promise<Uint8Array> {
  const kept = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
  const removed = Object.keys(members).filter((name) => (members[name] ?? null) === null);
  const coded = body && codedBody(headers, body);
  const changed = coded && (await parts.content.replaceMembers(coded, { set: Object.fromEntries(kept), removed }));
  if (changed === undefined)
    throw new GatewayError("plugin_failed", "a plugin changes members of a body that is not a JSON object");
  return changed;
}

/** Framing headers of a changed body: a new length and no coding. */
export function framingOf({ contentLength }: RequestHeaders, body: Uint8Array): Record<string, string | null> {
  const length = contentLength === undefined ? {} : { "Content-Length": String(body.byteLength) };
  return { ...length, "Content-Encoding": null };
}

export function codedBody(headers: RequestHeaders, bytes: Uint8Array): CodedBody {
  const contentType = valuesOf(headers, "content-type")[0] ?? "";
  return { bytes, contentType, coding: valuesOf(headers, "content-encoding").join(",") };
}
