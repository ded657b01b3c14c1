import { useMemo, useState } from "react";
import { call } from "../../api.ts";
import { Badge } from "../../parts/badge.tsx";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ListStates } from "../../parts/list-states.tsx";
import { Empty } from "../../parts/states.tsx";
import { Time } from "../../parts/values.tsx";
import { useMissing } from "../../session.ts";
import { AlertDialog } from "./alert-dialog.tsx";
import { AlertEditor } from "./alert-editor.tsx";
import { channelText, conditionText, groupText, stateOf, valueText } from "./alert-text.ts";
import type { AlertBody, AlertRow } from "./shapes.ts";
import { readDraft, SUGGESTIONS } from "./suggestions.ts";
import { TestButton } from "./test-button.tsx";

interface AlertsProps {
  readonly rows: readonly AlertRow[] | undefined;
  readonly error: unknown;
  readonly onRetry: () => void;
  /** Id of the alert whose history is shown. */
  readonly shown: string | undefined;
  readonly onShow: (id: string | undefined) => void;
  /** An alert that a link suggests: the form opens with it. */
  readonly draft: object | undefined;
  readonly onDraftDone: () => void;
}

export function Alerts({ rows, error, onRetry, shown, onShow, draft, onDraftDone }: AlertsProps) {
  const [edited, setEdited] = useState<AlertRow | AlertBody | "new" | undefined>(
    () => draft && readDraft({ ...draft }),
  );
  const columns = useMemo(() => columnsOf(onShow, setEdited), [onShow]);
  const alert = rows?.find(({ id }) => id === shown);
  const close = () => {
    setEdited(undefined);
    // Reloading the page must not open the form again.
    if (draft !== undefined) onDraftDone();
  };
  return (
    <>
      <div className="beside-head">
        <p className="muted">Checked every minute unless configured otherwise.</p>
        <SuggestionMenu onChoose={setEdited} />
        <GatedButton scope="write" className="primary" onClick={() => setEdited("new")}>
          <Icon name="plus" />
          Create alert
        </GatedButton>
      </div>
      <ListStates
        rows={rows}
        error={error}
        onRetry={onRetry}
        empty={
          <Empty title="No alerts">
            Create one to be notified in Slack, Teams, Discord, PagerDuty, Opsgenie, by webhook or e-mail when errors,
            costs or latencies pass a threshold. “Suggested alerts” fills in the form.
          </Empty>
        }
      >
        {(all) => <DataTable label="Alerts" rows={all} columns={columns} rowKey={({ id }) => id} />}
      </ListStates>
      {alert === undefined ? null : <AlertDialog alert={alert} onClose={() => onShow(undefined)} />}
      {edited === undefined ? null : <AlertEditor alert={edited === "new" ? undefined : edited} onClose={close} />}
    </>
  );
}

/** Fills in the form with an alert that most installations want. */
function SuggestionMenu({ onChoose }: { readonly onChoose: (alert: AlertBody) => void }) {
  const missing = useMissing("write");
  return (
    <label className="suggestions">
      <span className="unseen">Suggested alerts</span>
      <select
        value=""
        disabled={missing !== undefined}
        title={missing}
        onChange={(event) => {
          const chosen = SUGGESTIONS[Number(event.target.value)];
          if (chosen !== undefined) onChoose(chosen);
        }}
      >
        <option value="">Suggested alerts…</option>
        {SUGGESTIONS.map((alert, index) => (
          <option key={alert.name} value={index}>
            {alert.name}: {conditionText(alert)}
          </option>
        ))}
      </select>
    </label>
  );
}

function columnsOf(onShow: (id: string) => void, onEdit: (row: AlertRow) => void): Column<AlertRow>[] {
  return [
    {
      id: "name",
      header: "Name",
      value: (row) => row.name,
      cell: (row) => (
        <button type="button" className="link" onClick={() => onShow(row.id)}>
          {row.name}
        </button>
      ),
    },
    {
      id: "state",
      header: "State",
      value: (row) => stateOf(row).text,
      cell: (row) => <Badge tone={stateOf(row).tone}>{stateOf(row).text}</Badge>,
    },
    { id: "condition", header: "When", cell: conditionText },
    { id: "firing", header: "Fires for", cell: firingText },
    {
      id: "channels",
      header: "Recipients",
      cell: (row) => {
        const text = row.channels.map(channelText).join(", ");
        return text === "" ? <Badge tone="warn">No recipients</Badge> : text;
      },
    },
    {
      id: "checked_at",
      header: "Checked",
      value: (row) => row.checked_at,
      cell: (row) => <Time of={row.checked_at} relative />,
    },
    { id: "actions", header: "Actions", cell: (row) => <Actions row={row} onEdit={onEdit} /> },
  ];
}

/** Groups shown in the table; the tooltip and the alert's history show all of them. */
const FIRING_SHOWN = 1;

function firingText({ firing, metric }: AlertRow) {
  if (firing.length === 0) return <span className="muted">nothing</span>;
  const text = firing.map(({ group, value }) =>
    [groupText(group), valueText(metric, value)].filter(Boolean).join(": "),
  );
  const more = text.length - FIRING_SHOWN;
  return (
    <span title={text.join("\n")}>
      {text.slice(0, FIRING_SHOWN).join("; ")}
      {more > 0 ? ` and ${more} more` : ""}
    </span>
  );
}

function Actions({ row, onEdit }: { readonly row: AlertRow; readonly onEdit: (row: AlertRow) => void }) {
  const path = `/v1/alerts/${row.id}`;
  return (
    <span className="row-actions">
      <GatedButton scope="write" className="small" onClick={() => onEdit(row)}>
        Edit<span className="unseen"> {row.name}</span>
      </GatedButton>
      <TestButton scope="write" of={row.name} path={`${path}/test`} />
      <ConfirmButton
        scope="write"
        label={row.enabled ? "Turn off" : "Turn on"}
        of={row.name}
        title={`Turn “${row.name}” ${row.enabled ? "off" : "on"}?`}
        action={row.enabled ? "Turn off" : "Turn on"}
        run={() => call("PATCH", path, { body: { enabled: !row.enabled } })}
      >
        {row.enabled
          ? "Nothing is checked and no notification is sent until it is turned on."
          : "It is checked again from now on."}
      </ConfirmButton>
      <ConfirmButton
        scope="write"
        label="Delete"
        of={row.name}
        danger
        title={`Delete the alert “${row.name}”?`}
        action="Delete alert"
        run={() => call("DELETE", path)}
      >
        Its history and its pending deliveries are deleted too.
      </ConfirmButton>
    </span>
  );
}
