import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { call, get } from "../../api.ts";
import { Badge } from "../../parts/badge.tsx";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ListStates } from "../../parts/list-states.tsx";
import { Empty } from "../../parts/states.tsx";
import { Deliveries } from "./deliveries.tsx";
import { WEBHOOKS, type WebhookRow } from "./shapes.ts";
import { TestButton } from "./test-button.tsx";
import { WebhookEditor } from "./webhook-editor.tsx";

interface WebhooksProps {
  /** Id of the webhook whose deliveries are shown. */
  readonly shown: string | undefined;
  readonly onShow: (id: string | undefined) => void;
}

const nameOf = ({ name, url }: Pick<WebhookRow, "name" | "url">) => (name === "" ? url : name);

/** The webhooks for finished requests. */
export function Webhooks({ shown, onShow }: WebhooksProps) {
  const [edited, setEdited] = useState<WebhookRow | "new">();
  const { data, error, refetch } = useQuery({
    queryKey: WEBHOOKS,
    queryFn: ({ signal }) => get<readonly WebhookRow[]>("/v1/webhooks", signal),
  });
  const columns = useMemo(() => columnsOf(onShow, setEdited), [onShow]);
  const webhook = data?.find(({ id }) => id === shown);
  return (
    <>
      <div className="beside-head">
        <p className="muted">
          Each finished request is posted to them, signed. Failed deliveries are retried for a day.
        </p>
        <GatedButton scope="admin" className="primary" onClick={() => setEdited("new")}>
          <Icon name="plus" />
          Create webhook
        </GatedButton>
      </div>
      <ListStates
        rows={data}
        error={error}
        onRetry={() => void refetch()}
        empty={<Empty title="No webhooks">Create one to receive every request as it finishes.</Empty>}
      >
        {(rows) => <DataTable label="Webhooks" rows={rows} columns={columns} rowKey={({ id }) => id} />}
      </ListStates>
      {webhook === undefined ? null : (
        <Dialog title={nameOf(webhook)} onClose={() => onShow(undefined)} wide>
          <h3>Deliveries</h3>
          <Deliveries path={`/v1/webhooks/${webhook.id}/deliveries`} />
        </Dialog>
      )}
      {edited === undefined ? null : (
        <WebhookEditor webhook={edited === "new" ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </>
  );
}

function columnsOf(onShow: (id: string) => void, onEdit: (row: WebhookRow) => void): Column<WebhookRow>[] {
  return [
    {
      id: "name",
      header: "Name",
      value: nameOf,
      cell: (row) => (
        <button type="button" className="link" onClick={() => onShow(row.id)}>
          {nameOf(row)}
        </button>
      ),
    },
    {
      id: "enabled",
      header: "State",
      value: (row) => Number(row.enabled),
      cell: (row) => <Badge tone={row.enabled ? "good" : "plain"}>{row.enabled ? "on" : "off"}</Badge>,
    },
    { id: "url", header: "Address", value: (row) => row.url, cell: (row) => <code>{row.url}</code> },
    {
      id: "filters",
      header: "Of requests with",
      cell: (row) =>
        row.property_filters.length === 0 ? (
          <span className="muted">anything</span>
        ) : (
          row.property_filters.map(({ name, value }) => (value === undefined ? name : `${name}: ${value}`)).join(", ")
        ),
    },
    {
      id: "sample_rate",
      header: "Share",
      align: "end",
      value: (row) => row.sample_rate,
      cell: (row) => `${row.sample_rate}%`,
    },
    {
      id: "include_body",
      header: "Bodies",
      cell: (row) => (row.include_body ? "sent" : <span className="muted">not sent</span>),
    },
    {
      id: "actions",
      header: "Actions",
      cell: (row) => (
        <span className="row-actions">
          <GatedButton scope="admin" className="small" onClick={() => onEdit(row)}>
            Edit<span className="unseen"> {nameOf(row)}</span>
          </GatedButton>
          <TestButton scope="admin" of={nameOf(row)} path={`/v1/webhooks/${row.id}/test`} />
          <ConfirmButton
            scope="admin"
            label="Delete"
            of={nameOf(row)}
            danger
            title={`Delete the webhook “${nameOf(row)}”?`}
            action="Delete webhook"
            run={() => call("DELETE", `/v1/webhooks/${row.id}`)}
          >
            Its pending deliveries are not sent.
          </ConfirmButton>
        </span>
      ),
    },
  ];
}
