import { Badge, type Tone } from "../../parts/badge.tsx";
import type { Column } from "../../parts/data-table.tsx";
import { SettingActions } from "../../parts/setting-actions.tsx";
import { SettingsPage } from "../../parts/settings-page.tsx";
import { Empty } from "../../parts/states.tsx";
import { Count, Money } from "../../parts/values.tsx";
import { JudgeDialog } from "./judge-dialog.tsx";
import { JUDGES, type JudgeRow } from "./shapes.ts";

const TONES: Readonly<Record<JudgeRow["state"], Tone>> = { on: "good", off: "plain", resting: "warn", stopped: "bad" };

/** Models that score a share of the requests. */
export function JudgesPage() {
  return (
    <SettingsPage<JudgeRow>
      title="Judges"
      about="Models that score a share of new requests, with reasons. Their own calls are records and are never judged."
      path="/v1/judges"
      queryKey={JUDGES}
      add="Create judge"
      label="Judges"
      columns={columnsOf}
      rowKey={({ id }) => id}
      dialog={(judge, onClose) => <JudgeDialog judge={judge} onClose={onClose} />}
      empty={
        <Empty title="No judges">
          A judge sends each response to a model of yours, with a prompt that you write, and stores the score and its
          reason on the request.
        </Empty>
      }
    />
  );
}

function columnsOf(onEdit: (row: JudgeRow) => void): Column<JudgeRow>[] {
  return [
    { id: "name", header: "Name", value: (row) => row.name, cell: (row) => row.name },
    {
      id: "state",
      header: "State",
      value: (row) => row.state,
      cell: (row) => <Badge tone={TONES[row.state]}>{row.state}</Badge>,
    },
    { id: "model", header: "Model", value: (row) => row.model, cell: (row) => <code>{row.model}</code> },
    { id: "scores", header: "Scores", cell: (row) => row.scores.map(({ name }) => name).join(", ") },
    { id: "share", header: "Share", align: "end", value: (row) => row.share, cell: (row) => `${row.share}%` },
    { id: "waiting", header: "Waiting", align: "end", cell: (row) => <Count of={row.counts.waiting} /> },
    { id: "done", header: "Judged", align: "end", cell: (row) => <Count of={row.counts.done} /> },
    { id: "left-out", header: "Left out", align: "end", cell: (row) => <Count of={row.counts.left_out} /> },
    { id: "failed", header: "Failed", align: "end", cell: (row) => <Count of={row.counts.failed} /> },
    { id: "spent", header: "Spent", align: "end", cell: (row) => <Money of={row.spent.total} /> },
    {
      id: "problem",
      header: "Last problem",
      cell: (row) => row.problem?.message ?? <span className="muted">none</span>,
    },
    { id: "actions", header: "Actions", cell: (row) => <Actions row={row} onEdit={() => onEdit(row)} /> },
  ];
}

function Actions({ row, onEdit }: { readonly row: JudgeRow; readonly onEdit: () => void }) {
  return (
    <SettingActions
      kind="judge"
      name={row.name}
      path={`/v1/judges/${encodeURIComponent(row.id)}`}
      isInFile={false}
      onEdit={onEdit}
    >
      Requests that wait for it are not judged. Its scores stay.
    </SettingActions>
  );
}
