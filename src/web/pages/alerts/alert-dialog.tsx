import { useQuery } from "@tanstack/react-query";
import { get } from "../../api.ts";
import { RequestsLink } from "../../metrics/links.tsx";
import { Badge } from "../../parts/badge.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ListStates } from "../../parts/list-states.tsx";
import { Empty } from "../../parts/states.tsx";
import { Count, Time } from "../../parts/values.tsx";
import { conditionText, groupText, stateOf, valueText } from "./alert-text.ts";
import { Deliveries } from "./deliveries.tsx";
import type { AlertEvent, AlertRow } from "./shapes.ts";

const ROWS = 50;

/** One alert: what fires now, its history and its deliveries. */
export function AlertDialog({ alert, onClose }: { readonly alert: AlertRow; readonly onClose: () => void }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["alerts", alert.id, "history"],
    queryFn: ({ signal }) => get<readonly AlertEvent[]>(`/v1/alerts/${alert.id}/history?limit=${ROWS}`, signal),
    refetchInterval: 10_000,
  });
  return (
    <Dialog title={alert.name} onClose={onClose} wide>
      <dl className="facts">
        <dt>State</dt>
        <dd>
          <Badge tone={stateOf(alert).tone}>{stateOf(alert).text}</Badge> {alert.error}
        </dd>
        <dt>When</dt>
        <dd>
          {conditionText(alert)}
          {alert.group_by.length === 0
            ? ""
            : `, for each ${alert.group_by.map((name) => name.replace(/^property:/, "")).join(" and ")}`}
        </dd>
        <dt>Checked</dt>
        <dd>
          <Time of={alert.checked_at} relative />
        </dd>
        <dt>Requests</dt>
        <dd>
          <RequestsLink filter={alert.filter}>those that it watches</RequestsLink>
        </dd>
      </dl>
      <h3>History</h3>
      <ListStates rows={data} error={error} onRetry={() => void refetch()} empty={<Empty title="It has never fired" />}>
        {(rows) => <DataTable label="History" rows={rows} columns={columnsOf(alert.metric)} rowKey={({ id }) => id} />}
      </ListStates>
      <h3>Deliveries</h3>
      <Deliveries path={`/v1/alerts/${alert.id}/deliveries`} />
    </Dialog>
  );
}

const columnsOf = (metric: string): Column<AlertEvent>[] => [
  { id: "created_at", header: "When", cell: (row) => <Time of={row.created_at} /> },
  {
    id: "kind",
    header: "What",
    cell: (row) => <Badge tone={row.kind === "triggered" ? "bad" : "good"}>{row.kind}</Badge>,
  },
  { id: "group", header: "For", cell: (row) => groupText(row.group) || <span className="muted">all together</span> },
  { id: "value", header: "Value", align: "end", cell: (row) => valueText(metric, row.value) },
  { id: "requests", header: "Requests", align: "end", cell: (row) => <Count of={row.requests} /> },
  { id: "reason", header: "Why", cell: (row) => row.reason },
];
