import { GatewayError } from "../../errors.ts";
import type { KeySnapshot } from "../../keys.ts";
import { allows } from "../../routing/pattern.ts";
import type { Scope } from "../../routing/resolve.ts";
import type { RouteQuestion } from "../../threads.ts";
import { googleModel, isGooglePath } from "../../unified/google-models.ts";
import { type ListedModel, listedModels } from "../../unified/listed-models.ts";
import type { Admitted } from "../admitted.ts";
import type { Exchange } from "../exchange.ts";
import type { GatewayParts, RoutingParts } from "../gateway-parts.ts";
import { NO_OWN_KEYS } from "./own-keys.ts";
import { scopeOf } from "./scope.ts";
import type { UnifiedAdmission } from "./unified-admission.ts";

const LIMIT_MAX = 1_000;

/** Every name that a key may use as the model. */
export function modelsOf(parts: RoutingParts, key: RouteQuestion["key"]): readonly ListedModel[] {
  return modelsIn(parts, scopeOf(parts, key, { own: NO_OWN_KEYS, provider: undefined }));
}

function modelsIn(parts: RoutingParts, scope: Scope): readonly ListedModel[] {
  return listedModels(scope, parts.unified.catalog).filter(({ id }) => allows(scope.allowed, id));
}

/** Responds to `GET …/models` and `GET …/models/<id>`: every name that this key may use, in the form of all clients at once. */
export function listModels(
  parts: GatewayParts,
  { exchange, request, unified }: Admitted & { readonly key: KeySnapshot; readonly unified: UnifiedAdmission },
  scope: Scope,
): void {
  const { endpoint } = unified;
  const query = new URLSearchParams(request.incoming.url.split("?")[1] ?? "");
  const all = modelsIn(parts, scope);
  const isGoogle = isGooglePath(request.incoming.url);
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

function page(all: readonly ListedModel[], query: URLSearchParams) {
  const after = query.get("after_id");
  const start = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const wanted = Number(query.get("limit") ?? LIMIT_MAX);
  const limit = Number.isInteger(wanted) && wanted > 0 ? Math.min(wanted, LIMIT_MAX) : LIMIT_MAX;
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
