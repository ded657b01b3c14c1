import { GatewayError } from "../../errors.ts";
import type { KeySnapshot } from "../../keys.ts";
import { isPending, type Soon } from "../../runtime/pending.ts";
import type { Description } from "../../unified/describe.ts";
import type { Endpoint } from "../../unified/endpoints.ts";
import { describeForm } from "../../unified/same-only.ts";
import type { Translator } from "../../unified/translator.ts";
import type { Admitted } from "../admitted.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { firstValue, fromWire, type RequestHeaders, valuesOf } from "../headers/headers.ts";
import type { SeenRequest } from "../seen-request.ts";
import type { UnifiedAdmission } from "./admission/unified-admission.ts";
import { respondCached } from "./cached-response.ts";
import { listModels } from "./models-response.ts";
import { respondStored } from "./stored-response.ts";
import { statesInMemory } from "./targets/forgotten-states.ts";
import { demandOf, planTargets } from "./targets/plan-targets.ts";
import { previousOf } from "./targets/previous-response.ts";
import { type Understood, withReferences } from "./targets/referenced-items.ts";
import { scopeOf } from "./targets/scope.ts";
import { UnifiedCall } from "./unified-call.ts";
import type { UnifiedWork } from "./unified-work.ts";

/**
 * Handles a request of the unified address: resolves its model, orders its targets and calls one after the other.
 *
 * @throws GatewayError if it names no model that its key may use, or its body is invalid.
 */
export async function handleUnified(
  parts: GatewayParts,
  admitted: Admitted & { readonly key: KeySnapshot; readonly unified: UnifiedAdmission },
  body: Uint8Array,
): Promise<void> {
  const { unified, key, exchange } = admitted;
  const { endpoint } = unified;
  const scope = () => scopeOf(parts, key, unified);
  if (endpoint.kind === "models" || endpoint.kind === "model") return listModels(parts, admitted, scope());
  if (endpoint.kind === "stored") return respondStored(parts, admitted, { scope: scope(), id: endpoint.id, body });

  const { translator } = parts.unified;
  const coded = bodyOf(admitted.headers, body);
  const unpacking = translator.unpacked(coded);
  const plain = isPending(unpacking) ? await unpacking : unpacking;
  if (plain === undefined)
    throw new GatewayError(
      "invalid_body",
      `the body cannot be decompressed as its Content-Encoding "${coded.coding.slice(0, 100)}" says: it is damaged, over the limit, or not gzip, deflate, br or zstd`,
    );
  const form = endpoint.kind === "same" ? describeForm(plain, contentTypeOf(admitted)) : undefined;
  const describing = form ?? describedBy(translator, plain, endpoint);
  const described = isPending(describing) ? await describing : describing;
  if (described === undefined) throw new GatewayError("invalid_body", "the body must be a JSON object");
  if (exchange.ended) return;
  const named = unified.model ?? endpoint.named.model ?? described.model ?? endpoint.named.deployment;
  const [model, ...more] = [...(named === undefined ? [] : [named]), ...described.more];
  if (model === undefined)
    throw new GatewayError("invalid_body", "model: name a model, such as openai/gpt-5-mini", { path: "model" });
  const said = { ...described, model, more, stream: endpoint.named.stream ?? described.stream };
  const session = sessionOf(admitted.headers);
  exchange.routing = session === undefined ? { requestModel: model } : { requestModel: model, session };

  const { organizationId } = key;
  const given: Understood = { body: plain, description: said };
  const understood = said.references.length === 0 ? given : await withReferences(parts, organizationId, given);
  if (exchange.ended) return;
  const { body: whole, description } = understood;
  const states = statesInMemory(parts, organizationId, whole);
  const going = previousOf(parts, organizationId, unified, description);
  const previous = going && (await going);
  if (exchange.ended) return;
  const { seen } = admitted;
  const { walk, first, dropped } = planTargets(parts, {
    scope,
    key,
    states,
    earlier: previous?.response,
    admission: unified,
    model,
    description,
    demand: demandOf(callerOf({ key, seen, session }), description),
    organizationId,
    retry: admitted.retry?.plan,
    kept: parts.unified.kept,
    random: Math.random,
    now: Date.now(),
  });
  const isAsSent = understood === given && coded.coding === "";
  const work: UnifiedWork = { admission: unified, body: whole, isAsSent, description, states, dropped, previous };
  const terms = { parts, admitted, work, walk, first };
  if (admitted.caching !== undefined) return respondCached(terms, admitted.caching);
  exchange.receive((events) => new UnifiedCall({ ...terms, events }));
}

/** The caller, whose properties are read on demand. */
const callerOf = ({ key, seen, session }: { key: KeySnapshot; seen: SeenRequest; session: string | undefined }) => ({
  key,
  user: seen.userId,
  session,
  get properties() {
    return seen.properties;
  },
});

function describedBy(translator: Translator, body: Uint8Array, endpoint: Endpoint): Soon<Description | undefined> {
  const own = "shape" in endpoint ? endpoint.own : undefined;
  return own === undefined ? translator.describe(body) : translator.describeOwn(body, own);
}

const contentTypeOf = ({ headers }: Admitted) => firstValue(headers, "content-type") ?? "";

function bodyOf(headers: RequestHeaders, bytes: Uint8Array) {
  return { bytes, coding: valuesOf(headers, "content-encoding").join(",") };
}

/** Headers of coding tools that name a session; the gateway's own header has precedence. */
const SESSION_HEADERS: ReadonlySet<string> = new Set([
  "x-claude-code-session-id",
  "session-id",
  "session_id",
  "conversation_id",
]);

function sessionOf(headers: RequestHeaders): string | undefined {
  const own = headers.gateway.findLast(({ setting }) => setting === "session-id")?.value;
  if (own !== undefined && own !== "") return fromWire(own);
  if (!headers.names.some(({ lower }) => SESSION_HEADERS.has(lower))) return undefined;
  for (const name of SESSION_HEADERS) {
    const value = firstValue(headers, name);
    if (value !== undefined && value !== "") return fromWire(value);
  }
  return undefined;
}
