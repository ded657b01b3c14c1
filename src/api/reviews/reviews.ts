import { Elysia, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { isoTime } from "../../record/iso-time.ts";
import { listItems } from "../../store/datasets/items.ts";
import { agreementOf, progressOf, reviewersOf } from "../../store/reviews/progress.ts";
import { REVIEW_SCHEMA, type ReviewBody, readReviewRule } from "../../store/reviews/review-rule.ts";
import {
  addReviewItems,
  bodyOfReview,
  countReviewItems,
  findReview,
  listReviews,
  putReview,
  type Review,
  removeReview,
} from "../../store/reviews/reviews.ts";
import type { Caller } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import { SELECTION, selected } from "../changes/selection.ts";
import type { ApiContext } from "../context.ts";
import { datasetOf } from "../datasets/datasets.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { recordsNamed } from "../named.ts";
import { findRule, type KeptFamily, keptRuleEndpoints, placeOf } from "../rules/rule-endpoints.ts";
import { reviewingEndpoints } from "./reviewing.ts";

const TAG = "Reviews";
/** Requests in a queue, at most. */
const ITEMS_MAX = 10_000;

const NEW_REQUESTS = t.Object(
  {
    ...SELECTION,
    dataset: t.Optional(t.String({ description: "Id of a dataset: the requests that its items were made of." })),
  },
  { additionalProperties: false },
);
type NewRequests = typeof NEW_REQUESTS.static;

/** Queues of requests that people score one at a time. */
export function reviewEndpoints(context: ApiContext, callers: Callers) {
  const family = reviewFamily(context);
  const find = (id: string, organizationId: string) => findRule(family, id, organizationId);
  return new Elysia()
    .use(keptRuleEndpoints(callers, family))
    .use(reviewingEndpoints(context, callers, find))
    .post(
      "/v1/reviews/:id/requests",
      async ({ params, body, request }) => {
        const caller = callers.of(request);
        const review = await find(params.id, caller.organizationId);
        const { ids, next } = await chosen(context, caller, body);
        const rows = await recordsNamed(context, caller.organizationId, ids);
        const { records } = await context.writer();
        if ((await countReviewItems(records, review.id)) + rows.length > ITEMS_MAX)
          throw new GatewayError("invalid_body", `a review has at most ${ITEMS_MAX} requests: make another one`);
        const added = await addReviewItems(records, review, rows);
        return success({ added, skipped: ids.length - added }, {}, { next_cursor: next });
      },
      {
        body: NEW_REQUESTS,
        ...endpoint(
          TAG,
          "Put requests into a review",
          "By ids, by a filter (up to 1000 in one call; `next_cursor` as `cursor` continues), or those of a dataset. Requests that are in it already, or do not exist, count as `skipped`.",
        ),
      },
    );
}

async function chosen(context: ApiContext, caller: Caller, { dataset, ...selection }: NewRequests) {
  if (dataset === undefined) return (await selected(context, caller, selection).next()).value!;
  if ((selection.requestIds ?? selection.filter) !== undefined)
    throw new GatewayError("invalid_body", "say which requests by requestIds, filter or dataset");
  const { id, version } = await datasetOf(context, caller.organizationId, dataset);
  const items = await listItems(context.current.records, id, { version, after: "", limit: ITEMS_MAX });
  return { ids: [...new Set(items.flatMap(({ request_id }) => request_id ?? []))], next: null };
}

function reviewFamily(context: ApiContext): KeptFamily<Review, ReviewBody> {
  const { records } = context.current;
  return {
    path: "/v1/reviews",
    tag: TAG,
    noun: "review",
    schema: REVIEW_SCHEMA,
    summaries: {
      list: "List reviews",
      read: "Read one review",
      make: "Make a review",
      replace: "Replace a review",
      change: "Change parts of a review",
      remove: "Remove a review",
    },
    descriptions: {
      list: "With how far each is, who reviewed, and how alike reviewers score.",
      make: "The questions, the order of the requests, and how many users review each. Requests are added by another call.",
      replace: "What was reviewed stays.",
      remove: "The scores that were given stay.",
    },
    list: (organizationId) => listReviews(records, organizationId),
    find: (id, organizationId) => findReview(records, id, organizationId),
    bodyOf: bodyOfReview,
    shown: (reviews) => Promise.all(reviews.map((review) => shownReview(context, review))),
    async put(caller, body, previous) {
      const rule = readReviewRule(body);
      const others = await listReviews(records, caller.organizationId);
      if (others.some(({ id, name }) => id !== previous?.id && name === rule.name))
        throw new GatewayError("duplicate_name", `name: there is a review "${rule.name}" already`, { path: "name" });
      return shownReview(
        context,
        await putReview((await context.writer()).records, { ...placeOf(caller), previous }, rule),
      );
    },
    async remove(review, caller) {
      await removeReview((await context.writer()).records, review, caller);
      return { id: review.id, ...bodyOfReview(review) };
    },
  };
}

/** A review as the API shows it. */
export type ShownReview = Awaited<ReturnType<typeof shownReview>>;

async function shownReview({ current: { records } }: ApiContext, review: Review) {
  const { requests, done } = await progressOf(records, review);
  return {
    id: review.id,
    ...bodyOfReview(review),
    progress: { requests, done, left: requests - done, reviewers: await reviewersOf(records, review) },
    agreement: await agreementOf(records, review),
    ...{ created_at: isoTime(review.created_at), updated_at: isoTime(review.updated_at) },
  };
}
