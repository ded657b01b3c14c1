import { OptionalKind } from "@sinclair/typebox";
import { IMPORT_BYTES_MAX } from "../../record/imported.ts";
import { notePerson } from "../audit/body-views.ts";
import type { Endpoint } from "../endpoint.ts";
import { OPEN_BYTES_MAX, readJson, readText, requireObject } from "../input/body.ts";
import { lacks } from "./caller.ts";
import type { Callers } from "./callers.ts";
import { changes, permissionLacked } from "./needs.ts";

/**
 * Admits a request to its endpoint, or throws, before any of its body is read.
 *
 * @throws GatewayError such as `missing_auth`, `invalid_auth` or `insufficient_permission`.
 */
export async function admit(callers: Callers, request: Request, { method, path, needs }: Endpoint): Promise<void> {
  if (needs === "open" || (needs === "signed" && new URL(request.url).searchParams.has("signature"))) return;
  const caller = await callers.identify(request, changes(`${method} ${path}`, needs));
  const permission = permissionLacked(needs, caller);
  if (permission !== undefined) throw lacks(permission);
  if (callers.loginOf(request) !== undefined) notePerson(request, caller);
}

/**
 * The body in the form that the endpoint takes; undefined if there is none to read. An action such as approving needs no
 * body, and a body that is sent is ignored.
 *
 * @throws GatewayError for a body that cannot be read.
 */
export async function readBody(
  request: Request,
  { method, body, needs, unusual: { reads } }: Endpoint,
  bytesMax: number,
): Promise<unknown> {
  if (reads === "text") return readText(request, IMPORT_BYTES_MAX);
  if (body === undefined) return undefined;
  const isOptional = reads === "optional" || method === "DELETE" || OptionalKind in (body as object);
  if (isOptional && request.body === null) return undefined;
  const json = await readJson(request, needs === "open" ? Math.min(OPEN_BYTES_MAX, bytesMax) : bytesMax);
  // If a body is optional, Elysia validates only non-empty objects: a string would pass and mean "all".
  if (isOptional && reads !== "optional") requireObject(json);
  return json;
}
