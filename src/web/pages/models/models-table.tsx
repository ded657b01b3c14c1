import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { post } from "../../api.ts";
import { and, leaf } from "../../filter/tree.ts";
import { RequestsLink } from "../../metrics/links.tsx";
import type { ModelRow } from "../../name-queries.ts";
import { Badge } from "../../parts/badge.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Count, Time } from "../../parts/values.tsx";

export function ModelsTable({ rows }: { readonly rows: readonly ModelRow[] }) {
  return (
    <DataTable label="Models" rows={rows} columns={COLUMNS} rowKey={({ provider, model }) => `${provider} ${model}`} />
  );
}

const COLUMNS: readonly Column<ModelRow>[] = [
  {
    id: "model",
    header: "Model",
    value: (row) => row.model,
    cell: (row) => (
      <RequestsLink filter={and(leaf("model", { equals: row.model }), leaf("provider", { equals: row.provider }))}>
        {row.model}
      </RequestsLink>
    ),
  },
  { id: "provider", header: "Provider", value: (row) => row.provider, cell: (row) => row.provider },
  {
    id: "state",
    header: "State",
    value: (row) => row.state,
    cell: (row) =>
      row.state === "mapped" ? <Badge tone="good">mapped</Badge> : <Badge tone="warn">Model is pending mapping</Badge>,
  },
  {
    id: "count",
    header: "Requests",
    align: "end",
    value: (row) => row.count,
    cell: (row) => <Count of={row.count} />,
  },
  { id: "since", header: "Seen since", value: (row) => row.since, cell: (row) => <Time of={row.since} /> },
  {
    id: "reason",
    header: "Why pending",
    cell: (row) => row.reason,
  },
  {
    id: "actions",
    header: "Actions",
    cell: (row) => (
      <span className="row-actions">
        {row.state === "pending" ? <Expedite row={row} /> : null}
        <Link to="/models" search={{ model: row.model, provider: row.provider }} className="button small">
          Mapping<span className="unseen"> of {row.model}</span>
        </Link>
      </span>
    ),
  },
];

interface MapOutcome {
  readonly state: "mapped" | "pending";
  readonly reason: string | null;
}

/** Maps a model now instead of at night. */
function Expedite({ row }: { readonly row: ModelRow }) {
  const path = `/v1/models/${encodeURIComponent(row.model)}/expedite?provider=${encodeURIComponent(row.provider)}`;
  const work = useMutation({
    mutationFn: () => post<readonly MapOutcome[]>(path, {}),
  });
  const [outcome] = work.data ?? [];
  const said =
    work.error !== null ? work.error.message : outcome?.state === "pending" ? (outcome.reason ?? "still pending") : "";
  return (
    <>
      <GatedButton scope="write" className="small" disabled={work.isPending} onClick={() => work.mutate()}>
        {work.isPending ? "Mapping…" : "Expedite"}
        <span className="unseen"> {row.model}</span>
      </GatedButton>
      <span role="status" className="muted" title={said}>
        {said}
      </span>
    </>
  );
}
