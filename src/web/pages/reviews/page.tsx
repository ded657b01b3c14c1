import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call, get } from "../../api.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ListStates } from "../../parts/list-states.tsx";
import { Meter } from "../../parts/meter.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { timeColumn } from "../../parts/value-columns.tsx";
import { REVIEWS, reviewPath, type ShownReview } from "./shapes.ts";

/** Queues of requests that people score. */
export function ReviewsPage() {
  const { data, error, refetch } = useQuery({
    queryKey: REVIEWS,
    queryFn: ({ signal }) => get<readonly ShownReview[]>("/v1/reviews", signal),
  });
  return (
    <Page title="Review" about="Requests that people score, one after the other, with the keyboard.">
      <ListStates
        rows={data}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <Empty title="No reviews">
            Select requests in the list, or open a dataset, and choose “Review”: reviewers then score one after the
            other.
          </Empty>
        }
      >
        {(rows) => <DataTable label="Reviews" rows={rows} columns={COLUMNS} rowKey={({ id }) => id} />}
      </ListStates>
    </Page>
  );
}

const COLUMNS: readonly Column<ShownReview>[] = [
  {
    id: "name",
    header: "Name",
    value: ({ name }) => name,
    cell: ({ id, name }) => (
      <Link to="/reviews/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  {
    id: "progress",
    header: "Reviewed",
    cell: ({ progress: { done, requests } }) => (
      <Meter label="Reviewed" value={done} max={requests} text={`${done} of ${requests}`} />
    ),
  },
  { id: "scores", header: "Scores", cell: ({ scores }) => scores.map(({ name }) => name).join(", ") },
  { id: "reviewers", header: "Reviewers each", align: "end", cell: ({ reviewers }) => reviewers },
  {
    id: "who",
    header: "Reviewed by",
    cell: ({ progress }) => progress.reviewers.map(({ name, done }) => `${name} (${done})`).join(", "),
  },
  timeColumn("created_at", "Created", ({ created_at }) => created_at, true),
  {
    id: "actions",
    header: "Actions",
    cell: ({ id, name }) => (
      <ConfirmButton
        scope="write"
        label="Delete"
        of={name}
        danger
        title={`Delete the review “${name}”?`}
        action="Delete review"
        run={() => call("DELETE", reviewPath(id))}
      >
        The scores that were given stay on their requests.
      </ConfirmButton>
    ),
  },
];
