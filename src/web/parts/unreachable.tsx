import { type Query, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { ApiFailure } from "../api.ts";

/** How often the API is called again. */
const LOOK_MS = 3_000;

/** Reports that the API does not respond, above its earlier data, and retries until it does. */
export function Unreachable() {
  const client = useQueryClient();
  const isGone = useSyncExternalStore(
    (onChange) => client.getQueryCache().subscribe(onChange),
    () => withoutResponse(client).length > 0,
  );
  useEffect(() => {
    if (!isGone) return;
    const ask = () =>
      void client.refetchQueries({ type: "active", predicate: hasNoResponse }, { cancelRefetch: false });
    const timer = setInterval(ask, LOOK_MS);
    return () => clearInterval(timer);
  }, [client, isGone]);
  return (
    <div role="status">
      {isGone ? (
        <p className="unreachable">Weir cannot be reached. This page shows older data; Weir tries again.</p>
      ) : null}
    </div>
  );
}

const withoutResponse = (client: QueryClient) =>
  client.getQueryCache().findAll({ type: "active", predicate: hasNoResponse });

/** No response at all, as opposed to an error response. */
function hasNoResponse({ state }: Query): boolean {
  const failure = state.error ?? state.fetchFailureReason;
  return failure instanceof ApiFailure && failure.status === 0;
}
