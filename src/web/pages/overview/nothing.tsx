import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { post } from "../../api.ts";
import { Empty, Loading } from "../../parts/states.tsx";
import { readAgain } from "../../read-again.ts";
import { FirstRequest } from "../requests/first-request.tsx";

/** How often the page checks whether the first request has arrived. */
const CHECK_MS = 2_000;

/** Shown without metrics: how to send the first request, or why there are none. */
export function Nothing() {
  const client = useQueryClient();
  const { data: isAny, isPending } = useQuery({
    queryKey: ["any-request"],
    queryFn: async ({ signal }) => {
      const body = { filter: "all", limit: 1, includeBody: false };
      return (await post<readonly unknown[]>("/v1/request/query", body, signal)).length > 0;
    },
    refetchInterval: ({ state }) => (state.data === false ? CHECK_MS : false),
  });
  const wasNone = useRef(false);
  useEffect(() => {
    if (isAny === true && wasNone.current) void readAgain(client);
    wasNone.current = isAny === false;
  }, [isAny, client]);
  if (isPending) return <Loading />;
  if (isAny === false) return <FirstRequest />;
  return <Empty title="No requests in this time">Choose a longer time, or remove a filter.</Empty>;
}
