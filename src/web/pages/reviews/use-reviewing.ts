import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, get, post } from "../../api.ts";
import { recordQuery } from "../request/record.ts";
import { type GivenScore, type NextReview, REVIEWS, reviewPath, type ShownAnswer } from "./shapes.ts";

/** The request on the screen. */
export interface Current {
  readonly requestId: string;
  /** The reviewer's earlier result for it. */
  readonly previous: ShownAnswer | undefined;
}

interface AnswerBody {
  readonly scores?: Readonly<Record<string, GivenScore>>;
  readonly reason?: string;
  readonly skip?: true;
}

export interface Reviewing {
  readonly next: NextReview | undefined;
  readonly current: Current | undefined;
  readonly error: Error | null;
  readonly isBusy: boolean;
  /** Stores the result, and continues. */
  readonly answer: (body: AnswerBody) => void;
  /** Goes back to the previous result. */
  readonly back: () => void;
  readonly retry: () => void;
}

/** How many results the reviewer can go back to. */
const BACK_MAX = 200;

/** Steps through requests one at a time, and back. */
export function useReviewing(id: string): Reviewing {
  /** Earlier results, newest first, and the index of the one on the screen. */
  const [past, setPast] = useState<{ readonly answers: readonly ShownAnswer[]; readonly at: number }>();
  const path = reviewPath(id);
  const taken = useQuery({
    queryKey: ["review-next", id],
    queryFn: ({ signal }) => post<NextReview>(`${path}/next`, undefined, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const previous = past?.answers[past.at];
  const requestId = previous?.request_id ?? taken.data?.request_id ?? undefined;
  const work = useMutation({
    mutationFn: (body: AnswerBody) => call("PUT", `${path}/answers/${encodeURIComponent(requestId!)}`, { body }),
    meta: {
      changes: [REVIEWS, ["review-next", id], ...(requestId === undefined ? [] : [recordQuery(requestId).queryKey])],
    },
    onSuccess: () =>
      setPast((before) => (before === undefined || before.at === 0 ? undefined : { ...before, at: before.at - 1 })),
  });
  const goBack = useMutation({
    mutationFn: async () =>
      past ?? { answers: await get<ShownAnswer[]>(`${path}/answers?mine=true&limit=${BACK_MAX}`), at: -1 },
    meta: { changes: [] },
    onSuccess: ({ answers, at }) => {
      if (answers.length > 0) setPast({ answers, at: Math.min(at + 1, answers.length - 1) });
    },
  });
  const isBusy = work.isPending || goBack.isPending;
  return {
    next: taken.data,
    current: requestId === undefined ? undefined : { requestId, previous },
    error: work.error ?? goBack.error ?? taken.error,
    isBusy,
    answer: (body) => {
      if (!isBusy && requestId !== undefined) work.mutate(body);
    },
    back: () => {
      if (!isBusy) goBack.mutate();
    },
    retry: () => void taken.refetch(),
  };
}
