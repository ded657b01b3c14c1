import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { get, post } from "../../api.ts";
import { Field } from "../../parts/field.tsx";
import { formatCount } from "../../parts/format.ts";
import { changeMany, type Target } from "../requests/bulk/change-many.ts";
import { StepsDialog, useSteps } from "../requests/bulk/steps-dialog.tsx";
import { type DraftScore, readDrafts, ScoreFields } from "./score-fields.tsx";
import { REVIEWS, reviewPath, type ShownReview } from "./shapes.ts";

interface AddToReviewProps {
  readonly target: Target | { readonly dataset: string };
  /** @param isDone - whether anything was added. */
  readonly onClose: (isDone: boolean) => void;
}

const NEW = "new";
const FIRST: DraftScore = { id: 0, name: "helpful", kind: "boolean", choices: "" };

/** Adds requests to an existing or a new review, a step at a time. */
export function AddToReview({ target, onClose }: AddToReviewProps) {
  const [into, setInto] = useState<string>();
  const [name, setName] = useState("");
  const [scores, setScores] = useState<readonly DraftScore[]>([FIRST]);
  const [reviewers, setReviewers] = useState("1");
  const [order, setOrder] = useState("newest");
  const { data } = useQuery({
    queryKey: REVIEWS,
    queryFn: ({ signal }) => get<readonly ShownReview[]>("/v1/reviews", signal),
  });
  const chosen = into ?? NEW;
  const steps = useSteps(
    async (reports) => {
      const body = { name: name.trim(), scores: readDrafts(scores), order, reviewers: Number(reviewers) };
      const id = chosen === NEW ? (await post<ShownReview>("/v1/reviews", body)).id : chosen;
      setInto(id);
      const path = `${reviewPath(id)}/requests`;
      const counted = (response: unknown) => (response as { readonly added: number }).added;
      if ("dataset" in target) reports.onProgress(counted(await post(path, target)));
      else await changeMany({ target, work: { method: "POST", path, body: {}, counted }, ...reports });
      return id;
    },
    [REVIEWS],
  );
  const { work, done } = steps;
  return (
    <StepsDialog
      title="Review"
      steps={steps}
      isOver={work.isSuccess}
      action={{ label: "Add" }}
      progress={{ label: "Requests added" }}
      status={
        <>
          {formatCount(done)} added
          {work.isSuccess ? (
            <>
              . Requests that are in it already are left out.{" "}
              <Link to="/reviews/$id" params={{ id: work.data }}>
                Begin to review
              </Link>
            </>
          ) : null}
        </>
      }
      onClose={() => onClose(work.isSuccess)}
    >
      <Field label="Review">
        {(field) => (
          <select {...field} value={chosen} onChange={(event) => setInto(event.target.value)}>
            <option value={NEW}>A new review…</option>
            {(data ?? []).map((each) => (
              <option key={each.id} value={each.id}>
                {each.name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {chosen === NEW ? (
        <>
          <Field label="Name">
            {(field) => (
              <input
                {...field}
                required
                maxLength={100}
                value={name}
                onChange={(event) => setName(event.target.value)}
              />
            )}
          </Field>
          <ScoreFields scores={scores} onChange={setScores} />
          <div className="fields">
            <Field label="Order">
              {(field) => (
                <select {...field} value={order} onChange={(event) => setOrder(event.target.value)}>
                  <option value="newest">newest first</option>
                  <option value="oldest">oldest first</option>
                  <option value="random">random</option>
                </select>
              )}
            </Field>
            <Field label="Reviewers each">
              {(field) => (
                <input
                  {...field}
                  type="number"
                  required
                  min={1}
                  max={20}
                  value={reviewers}
                  onChange={(event) => setReviewers(event.target.value)}
                />
              )}
            </Field>
          </div>
        </>
      ) : null}
    </StepsDialog>
  );
}
