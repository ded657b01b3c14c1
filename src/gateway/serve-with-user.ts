import { GatewayError } from "../errors.ts";
import { gather } from "./body/gather.ts";
import { serveCachedBody } from "./cache/serve-cached.ts";
import type { CacheSettings } from "./cache/settings.ts";
import { type Admitted, askToForward, hasBody } from "./forward.ts";
import type { GatewayParts } from "./gateway-parts.ts";
import { askOnRequest, factsOf } from "./hooks.ts";
import { callProvider } from "./retry/call-provider.ts";

/** Whether a plugin has to know the user, no header names one, and the body may. */
export function wantsBodyUser({ hooks }: GatewayParts, admitted: Admitted): boolean | Promise<boolean> {
  if (hooks?.readsUser === undefined || !hooks.has("readsUser")) return false;
  if (admitted.seen.userId || admitted.request.client !== undefined || !hasBody(admitted.headers)) return false;
  return hooks.readsUser(admitted.seen);
}

/**
 * Takes a request whose body says who the user is: the body is read before the plugins are asked, and then goes to the
 * cache or the provider as it came. One that is too large to be gathered names nobody.
 *
 * @throws as the ways without it do.
 */
export async function serveWithUser(
  parts: GatewayParts,
  admitted: Admitted,
  caching: CacheSettings | undefined,
): Promise<void> {
  const { exchange, seen, meta } = admitted;
  const recorded = exchange.begin(meta);
  if (exchange.ended) return;
  if (!recorded && parts.refuseWhenFull) throw new GatewayError("spool_full");
  const ask = async () => {
    if (parts.hooks?.has("onRequest")) await askOnRequest(parts.hooks, seen, exchange);
  };
  await gather(parts, admitted, {
    async onBody(body) {
      factsOf(seen).bodyUser = await parts.cache.keys.user(body);
      await ask();
      if (exchange.ended) return;
      if (caching !== undefined) return serveCachedBody(parts, admitted, caching, body);
      await askToForward(parts, admitted);
      if (!exchange.ended) exchange.receive((events) => callProvider(parts, admitted, body, events));
    },
    async beforePassing() {
      await ask();
      await askToForward(parts, admitted);
    },
  });
}
