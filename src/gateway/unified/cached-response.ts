import type { Candidate, Walk } from "../../routing/walk.ts";
import { type CacheCall, serveFromCache, toCacheRequest } from "../cache/serve-cached.ts";
import type { CacheSettings } from "../cache/settings.ts";
import { Refused } from "../refusal.ts";
import { queryWithoutKey } from "./admission/address.ts";
import { askConsent, type Consent } from "./call/ask-for-target.ts";
import { UnifiedCall, type UnifiedCallOptions } from "./unified-call.ts";

type CallTerms = Omit<UnifiedCallOptions, "events" | "consent" | "onResponse">;

/**
 * Serves a unified request that uses the cache. Its key holds the client's body and the targets that its names resolve to;
 * the response is stored as the client got it, in its own shape.
 *
 * Plugins are called for the first target before: their changes to the request are part of the key. If they refuse that
 * target, the cache is not used.
 */
export async function respondCached(terms: CallTerms, settings: CacheSettings): Promise<void> {
  const { parts, admitted, work, walk } = terms;
  const { exchange } = admitted;
  const call = (consent: Consent | undefined): Pick<CacheCall, "open"> => ({
    open: (events, shared) =>
      new UnifiedCall({
        ...terms,
        events,
        consent,
        onResponse(responder, candidate) {
          shared.answerer = responder;
          shared.provider = candidate.target.provider;
          if (isFallback(walk, candidate)) shared.omit = true;
        },
      }),
  });
  const [candidate] = walk.candidates;
  let consent: Consent | undefined;
  try {
    consent = candidate && (await askConsent(terms, candidate));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    exchange.receive((events) => new UnifiedCall({ ...terms, events }));
    return;
  }
  if (exchange.ended) return;
  const { endpoint, sameOnly, refuseLosses, fallbacks, own } = work.admission;
  const { retry, request } = admitted;
  const ownKeys = own.all;
  const cacheRequest = await toCacheRequest(parts, admitted, {
    settings,
    body: work.body,
    url: JSON.stringify([
      endpoint,
      queryWithoutKey(request.incoming.url),
      targetsOf(walk),
      { sameOnly, refuseLosses, change: consent?.change },
    ]),
    credentials: ownKeys.length === 0 ? ["stored"] : ownKeys,
    provider: undefined,
    retries: [retry?.plan, fallbacks],
    model: work.description.model,
  });
  await serveFromCache({ parts, exchange, request: cacheRequest, ask: async () => undefined, ...call(consent) });
}

/** Sorted, because the first target may differ from request to request. */
function targetsOf({ candidates }: Walk): readonly string[] {
  const names = candidates.map(({ target, model }) =>
    JSON.stringify([target.provider.name, model, target.path.map(({ body }) => body ?? null)]),
  );
  return [...new Set(names)].sort();
}

/** Whether a target before it could have taken the request. */
function isFallback(walk: Walk, { target }: Candidate): boolean {
  const first = walk.candidates.find((each) => !walk.isPassedOver(each.target));
  return first !== undefined && first.target !== target;
}
