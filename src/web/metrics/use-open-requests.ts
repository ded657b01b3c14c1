import { useNavigate } from "@tanstack/react-router";
import type { FilterTree } from "../filter/tree.ts";
import { type Bucket, isoSpan, type Span, spanOfBucket } from "./range.ts";

/** Opens the requests behind a part of a chart. */
export function useOpenRequests(span: Span, times: readonly number[], bucket: Bucket) {
  const navigate = useNavigate();
  const open = (within: Span, filter: FilterTree) =>
    void navigate({ to: "/requests", search: { ...isoSpan(within), ...(filter === "all" ? {} : { filter }) } });
  const openBucket = (filter: FilterTree) => (at: number) => {
    const { from, to } = spanOfBucket(times[at]!, bucket);
    open({ from: Math.max(from, span.from), to: Math.min(to, span.to) }, filter);
  };
  return { open, openBucket };
}
