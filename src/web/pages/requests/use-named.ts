import { useQuery } from "@tanstack/react-query";
import { call } from "../../api.ts";
import { type FilterTree, leaf, ofSession } from "../../filter/tree.ts";
import type { RequestRow } from "./columns.tsx";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a user, a session or a request has this name. */
export function useNamed(text: string) {
  return {
    user: useIsThere(leaf("user_id", { equals: text }), text !== ""),
    session: useIsThere(ofSession("session_session_id", { equals: text }), text !== ""),
    request: useIsThere(leaf("request_id", { equals: text.toLowerCase() }), UUID.test(text)),
  };
}

const LENGTH_MAX = 1_000;

/** Whether any request matches. */
function useIsThere(filter: FilterTree, enabled: boolean): boolean {
  const { data } = useQuery({
    queryKey: ["requests-named", filter],
    queryFn: ({ signal }) =>
      call<readonly RequestRow[]>("POST", "/v1/request/query", {
        body: { filter, limit: 1, includeBody: false },
        signal,
      }),
    enabled: enabled && JSON.stringify(filter).length <= LENGTH_MAX,
    staleTime: 60_000,
  });
  return (data?.data.length ?? 0) > 0;
}
