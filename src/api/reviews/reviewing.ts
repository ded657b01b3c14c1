import { Elysia, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { isoTime } from "../../record/iso-time.ts";
import { REVIEWER } from "../../record/rating-sources.ts";
import { storable } from "../../record/storable.ts";
import { within } from "../../runtime/within.ts";
import {
  isInReview,
  listAnswers,
  ownProgress,
  putAnswer,
  type ReviewAnswer,
  type Reviewer,
  removeAnswer,
  takeNext,
} from "../../store/reviews/answers.ts";
import { readGiven } from "../../store/reviews/review-rule.ts";
import type { Review } from "../../store/reviews/reviews.ts";
import type { RecordUpdate } from "../../threads.ts";
import type { Caller } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import { tooLate, UPDATE_MS } from "../changes/record-updates.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { PAGE_QUERY, readPage } from "../input/page-query.ts";
import { noSuchRequest, requestIdOf } from "../input/request-id.ts";

const TAG = "Reviews";
const REASON_CHARS_MAX = 4_000;

const ANSWER = t.Object(
  {
    scores: t.Optional(
      t.Object(
        {},
        {
          additionalProperties: t.Union([t.Number(), t.Boolean(), t.String()], {
            expects: "give a number, true, false, or the label of a choice",
          }),
          maxProperties: 100,
          description:
            "The scores that the review asks for, by name: a number, true or false, or the label of a choice.",
        },
      ),
    ),
    reason: t.Optional(t.String({ maxLength: REASON_CHARS_MAX, description: "Why; kept with each of these scores." })),
    skip: t.Optional(
      t.Boolean({ description: "true skips the request, without a score; other reviewers can take it." }),
    ),
  },
  { additionalProperties: false },
);
const MINE = { ...PAGE_QUERY, mine: t.Boolean({ default: false, description: "true: only the caller's own." }) };

/** The next request, and the caller's progress. */
export interface NextReview {
  /** Null if there is none now: everything is reviewed, or the rest is reserved for others. */
  readonly request_id: string | null;
  /** Until when it is reserved for this reviewer. */
  readonly leased_until: string | null;
  readonly done: number;
  readonly skipped: number;
  /** Requests that the caller may still get, including this one. */
  readonly left: number;
}

/** A reviewer's result for a request, as the API shows it. */
export type ShownAnswer = ReturnType<typeof shownAnswer>;

/** Gives requests to reviewers, and stores their scores. */
export function reviewingEndpoints(
  context: ApiContext,
  callers: Callers,
  find: (id: string, organizationId: string) => Promise<Review>,
) {
  const forReview = async (request: Request, id: string) => {
    const caller = callers.of(request);
    const review = await find(id, caller.organizationId);
    return { caller, review, me: reviewerOf(caller), records: (await context.writer()).records };
  };
  const forRequest = async (request: Request, params: { readonly id: string; readonly request: string }) => {
    const found = await forReview(request, params.id);
    const requestId = requestIdOf(params.request);
    if (!(await isInReview(found.records, found.review.id, requestId)))
      throw new GatewayError("not_found", "the review has no request with this id");
    return { ...found, requestId };
  };
  const update = async (change: RecordUpdate) => {
    if ((await within(context.recorder.update(change), UPDATE_MS, tooLate)) === null) throw noSuchRequest();
  };
  return new Elysia()
    .post(
      "/v1/reviews/:id/next",
      async ({ params, request }) => {
        const { review, me, records } = await forReview(request, params.id);
        const lease = await takeNext(records, review, me);
        const next: NextReview = {
          request_id: lease?.request_id ?? null,
          leased_until: lease === undefined ? null : isoTime(lease.leased_until),
          ...(await ownProgress(records, review, me)),
        };
        return success(next);
      },
      endpoint(
        TAG,
        "Take the next request of a review",
        "It is reserved for the caller for ten minutes. Until the caller scores or skips it, the same request is returned again.",
      ),
    )
    .get(
      "/v1/reviews/:id/answers",
      async ({ params, request }) => {
        const caller = callers.of(request);
        const review = await find(params.id, caller.organizationId);
        const me = reviewerOf(caller);
        const isMine = readMine(request);
        const page = { ...readPage(request), reviewer: isMine ? me.id : null };
        const answers = await listAnswers(context.current.records, review, page);
        return success(answers.map((answer) => shownAnswer(answer, me)));
      },
      endpoint(TAG, "List the reviews of requests", "The request that was taken last comes first.", { query: MINE }),
    )
    .put(
      "/v1/reviews/:id/answers/:request",
      async ({ params, body, request }) => {
        const { review, me, records, requestId } = await forRequest(request, params);
        const { scores, reason = "", skip = false } = body;
        if (skip === (scores !== undefined))
          throw new GatewayError("invalid_body", "give either scores, or skip: true");
        const read = skip ? new Map<string, never>() : readGiven(review.scores, scores ?? {});
        const why = storable(reason.trim()) || null;
        await update(changeOf(review, me, { requestId, read, reason: why }));
        const state = skip ? ("skipped" as const) : ("done" as const);
        await putAnswer(records, review, me, { request_id: requestId, state, scores: scores ?? {}, reason: why });
        return success({ request_id: requestId, state, ...(await ownProgress(records, review, me)) });
      },
      {
        body: ANSWER,
        ...endpoint(
          TAG,
          "Score a request of a review, or skip it",
          "Replaces the caller's earlier scores. The record's score is the mean of its reviewers.",
        ),
      },
    )
    .delete(
      "/v1/reviews/:id/answers/:request",
      async ({ params, request }) => {
        const { review, me, records, requestId } = await forRequest(request, params);
        await update(changeOf(review, me, { requestId, read: new Map(), reason: null }));
        await removeAnswer(records, review, me, requestId);
        return success({ request_id: requestId, ...(await ownProgress(records, review, me)) });
      },
      endpoint(TAG, "Withdraw the review of a request", "Removes the caller's scores; they may get the request again."),
    );
}

const reviewerOf = ({ actor }: Caller): Reviewer => ({ id: actor.id, name: actor.name });

interface Given {
  readonly requestId: string;
  readonly read: ReturnType<typeof readGiven>;
  readonly reason: string | null;
}

/** Scores of the review that the reviewer no longer gives, or never gave, are withdrawn. */
function changeOf({ scores, organization_id }: Review, me: Reviewer, { requestId, read, reason }: Given): RecordUpdate {
  const source = `${REVIEWER}${me.id}`;
  const given = [...read].map(([name, { value, label }]) => [storable(name), value, label] as const);
  const missing = scores.filter(({ name }) => !read.has(name)).map(({ name }) => storable(name));
  return {
    requestId,
    organizationId: organization_id,
    scores: Object.fromEntries(given.map(([name, value]) => [name, value])),
    ratings: Object.fromEntries(given.map(([name, , label]) => [name, { source, author: me.name, reason, label }])),
    withdrawn: { source, names: missing },
  };
}

/** @throws GatewayError `invalid_body` */
function readMine(request: Request): boolean {
  const text = new URL(request.url).searchParams.get("mine");
  if (text === null || text === "false") return false;
  if (text !== "true") throw new GatewayError("invalid_body", "mine must be true or false", { path: "mine" });
  return true;
}

function shownAnswer({ updated_at, ...answer }: ReviewAnswer, me: Reviewer) {
  return { ...answer, mine: answer.reviewer === me.id, updated_at: isoTime(updated_at) };
}
