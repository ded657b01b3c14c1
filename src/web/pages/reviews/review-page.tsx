import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ApiFailure, get } from "../../api.ts";
import { Icon } from "../../parts/icon.tsx";
import { Meter } from "../../parts/meter.tsx";
import { Page } from "../../parts/page.tsx";
import { useKeys } from "../../parts/shortcuts.ts";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { Conversation } from "../request/conversation.tsx";
import { recordQuery } from "../request/record.ts";
import { ScoreForm } from "./score-form.tsx";
import { REVIEWS, reviewPath, type ShownReview } from "./shapes.ts";
import { type Reviewing, useReviewing } from "./use-reviewing.ts";

const route = getRouteApi("/reviews/$id");

/** Shows the requests of a review, one at a time. */
export function ReviewPage() {
  const { id } = route.useParams();
  const { data, error, refetch } = useQuery({
    queryKey: [...REVIEWS, id],
    queryFn: ({ signal }) => get<ShownReview>(reviewPath(id), signal),
  });
  const isGone = error instanceof ApiFailure && error.status === 404;
  return (
    <Page title={data?.name ?? "Review"} actions={<AllReviews />}>
      {data !== undefined ? (
        <Review review={data} />
      ) : isGone ? (
        <Empty title="There is no review with this id">It was deleted, or belongs to another organization.</Empty>
      ) : error === null ? (
        <Loading rows={8} />
      ) : (
        <Failed error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

function AllReviews() {
  return (
    <Link to="/reviews" className="button quiet">
      <Icon name="list" /> All reviews
    </Link>
  );
}

function Review({ review }: { readonly review: ShownReview }) {
  const reviewing = useReviewing(review.id);
  const { next, error, retry, current } = reviewing;
  const [done, all] = next === undefined ? [0, 0] : [next.done + next.skipped, next.done + next.skipped + next.left];
  return (
    <>
      <div className="run-progress">
        <Meter label="Yours" value={done} max={all} text={`${done} of ${all} by you`} />
        <span className="muted" role="status">
          {next === undefined ? "" : `${next.left} left`}
          {current?.previous === undefined ? "" : ". You are looking at one that you did before."}
        </span>
      </div>
      {error !== null && current === undefined ? (
        <Failed error={error} onRetry={retry} />
      ) : next === undefined ? (
        <Loading rows={8} />
      ) : current === undefined ? (
        <Finished review={review} reviewing={reviewing} left={next.left} />
      ) : (
        <div className="request-columns">
          <section className="panel request-main" aria-label="Request">
            <div className="request-part">
              <Reviewed id={current.requestId} />
            </div>
          </section>
          <aside className="request-side review-side" aria-label="Your scores">
            <ScoreForm
              key={`${current.requestId} ${current.previous?.updated_at}`}
              review={review}
              reviewing={reviewing}
              current={current}
            />
          </aside>
        </div>
      )}
      <Agreement review={review} />
    </>
  );
}

function Reviewed({ id }: { readonly id: string }) {
  const { data, error, refetch } = useQuery(recordQuery(id));
  if (data === undefined)
    return error === null ? <Loading rows={8} /> : <Failed error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <p className="muted">
        {data.model ?? data.provider} ·{" "}
        <Link to="/requests/$id" params={{ id }}>
          open the request
        </Link>
      </p>
      <Conversation record={data} />
    </>
  );
}

interface FinishedProps {
  readonly review: ShownReview;
  readonly reviewing: Reviewing;
  readonly left: number;
}

function Finished({ review, reviewing, left }: FinishedProps) {
  useKeys({ b: reviewing.back });
  if (review.progress.requests === 0)
    return <Empty title="No requests">Select requests in the list, and choose “Review”.</Empty>;
  return (
    <Empty title={left === 0 ? "You are done" : "The rest is with other reviewers"}>
      {left === 0
        ? "There is nothing left for you to review here."
        : `${left} ${left === 1 ? "request is" : "requests are"} with other reviewers. They come back after ten minutes.`}{" "}
      <button type="button" disabled={reviewing.isBusy} onClick={reviewing.back}>
        Back to the last one <kbd>b</kbd>
      </button>{" "}
      <button type="button" onClick={reviewing.retry}>
        Look again
      </button>
    </Empty>
  );
}

/** The reviewers and their agreement; empty without reviews. */
function Agreement({ review: { progress, agreement } }: { readonly review: ShownReview }) {
  if (progress.reviewers.length === 0) return null;
  return (
    <section className="panel" aria-label="Reviewers">
      <header className="panel-head">
        <h2>Reviewers</h2>
      </header>
      <dl className="pairs">
        {progress.reviewers.map(({ id, name, done, skipped }) => (
          <div className="pair" key={id}>
            <dt>{name}</dt>
            <dd>
              {done} scored, {skipped} skipped
            </dd>
          </div>
        ))}
        {agreement.map(({ name, pairs, equal, difference }) => (
          <div className="pair" key={`of ${name}`}>
            <dt>{name}</dt>
            <dd>
              {equal === null
                ? `${Number((difference ?? 0).toFixed(3))} apart on average`
                : `${Math.round(equal * 100)}% the same`}{" "}
              ({pairs} {pairs === 1 ? "pair" : "pairs"})
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
