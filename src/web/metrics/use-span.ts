import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { post } from "../api.ts";
import { serviceNow } from "../clock.ts";
import { momentsOf, type Range, type TimeSearch } from "../parts/time-range.ts";
import { type Span, spanOf } from "./range.ts";

const STEP_MS = 60_000;

const thisMinute = () => Math.ceil(serviceNow() / STEP_MS) * STEP_MS;

/** The end of the current minute, updated while the page is visible. */
function useMinute(): number {
  const [minute, setMinute] = useState(thisMinute);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setMinute(thisMinute());
    }, STEP_MS / 2);
    return () => clearInterval(timer);
  }, []);
  return minute;
}

/** The span that an address describes; it advances each minute. Undefined until the time of the oldest record is known. */
export function useSpan(time: TimeSearch, fallback: Range): Span | undefined {
  const now = useMinute();
  const moments = momentsOf(time, fallback, now);
  const isOpen = moments.from === undefined;
  const { data, isFetched } = useQuery({
    queryKey: ["first-request"],
    queryFn: ({ signal }) =>
      post<readonly { readonly request_created_at: string }[]>(
        "/v1/request/query",
        { filter: "all", sort: { created_at: "asc" }, limit: 1, includeBody: false },
        signal,
      ),
    enabled: isOpen,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (isOpen && !isFetched) return undefined;
  const first = data?.[0]?.request_created_at;
  return spanOf(moments, first === undefined ? undefined : Date.parse(first), now);
}
