import { GatewayError } from "../../errors.ts";
import type { KeySnapshot } from "../../keys.ts";
import type { Scope } from "../../routing/scope.ts";
import type { RouteQuestion } from "../../threads.ts";
import { googleModel, isFromGoogle } from "../../unified/google-models.ts";
import { type ListedModel, listedModels } from "../../unified/listed-models.ts";
import type { Admitted } from "../admitted.ts";
import type { Exchange } from "../exchange.ts";
import type { GatewayParts, RoutingParts } from "../gateway-parts.ts";
import { firstValue } from "../headers/headers.ts";
import { NO_OWN_KEYS } from "./admission/own-keys.ts";
import type { UnifiedAdmission } from "./admission/unified-admission.ts";
import { scopeOf } from "./targets/scope.ts";

const LIMIT_MAX = 1_000;

/** Every name that a key may use as the model. */
export function modelsOf(parts: RoutingParts, key: RouteQuestion["key"]): readonly ListedModel[] {
  return listedModels(scopeOf(parts, key, { own: NO_OWN_KEYS, provider: undefined }), parts.unified.catalog);
}

/** Responds to `GET …/models` and `GET …/models/<id>`: every name that this key may use, in the form of all clients at once. */
export function listModels(
  parts: GatewayParts,
  { exchange, request, headers, unified }: Admitted & { readonly key: KeySnapshot; readonly unified: UnifiedAdmission },
  scope: Scope,
): void {
  const { endpoint } = unified;
  const query = new URLSearchParams(request.incoming.url.split("?")[1] ?? "");
  const all = listedModels(scope, parts.unified.catalog);
  const hasGoogleKey = firstValue(headers, "x-goog-api-key") !== undefined;
  const isGoogle = isFromGoogle(request.incoming.url, { hasGoogleKey });
  if (endpoint.kind === "model") {
    const found = all.find(({ id }) => id === endpoint.id || id.slice(id.indexOf("/") + 1) === endpoint.id);
    if (found === undefined)
      throw new GatewayError(
        "model_not_found",
        `this key can use no model that is called "${endpoint.id.slice(0, 200)}"`,
      );
    respondJson(exchange, isGoogle ? { ...found, ...googleModel(found, scope) } : found);
    return;
  }
  const models = isGoogle ? all.flatMap((each) => googleModel(each, scope) ?? []) : undefined;
  respondJson(exchange, { ...page(all, query), ...(models !== undefined && { models }) });
}

/** @throws GatewayError `invalid_body`: a page that is not the requested one would be read as if it were. */
function page(all: readonly ListedModel[], query: URLSearchParams) {
  const after = query.get("after_id");
  const start = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
  if (after !== null && start === 0)
    throw new GatewayError("invalid_body", "after_id: no listed model has this id", { path: "after_id" });
  const wanted = query.get("limit") ?? String(LIMIT_MAX);
  if (!/^[1-9]\d*$/.test(wanted))
    throw new GatewayError("invalid_body", "limit: give a whole number from 1", { path: "limit" });
  const limit = Math.min(Number(wanted), LIMIT_MAX);
  const data = query.has("limit") || after !== null ? all.slice(start, start + limit) : all;
  return {
    object: "list",
    data,
    has_more: start + data.length < all.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    // Codex sends its version, and expects a list of its own kind.
    ...(query.has("client_version") && { models: [] }),
  };
}

/** Responds with JSON of the gateway's own. */
function respondJson(exchange: Exchange, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  exchange.onHead(200, "OK", ["Content-Type", "application/json", "Content-Length", String(body.byteLength)]);
  exchange.onData(body);
  exchange.onEnd();
}
