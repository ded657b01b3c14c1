import type { Column } from "../../parts/data-table.tsx";
import { Meter } from "../../parts/meter.tsx";
import { SettingActions } from "../../parts/setting-actions.tsx";
import { SettingsPage } from "../../parts/settings-page.tsx";
import { Empty } from "../../parts/states.tsx";
import { Time } from "../../parts/values.tsx";
import { spanText } from "../../parts/window.ts";
import { KeyName } from "../keys/key-name.tsx";
import { LimitDialog } from "./limit-dialog.tsx";
import { amountText, windowOf } from "./limit-text.ts";
import { LIMITS, type LimitRow } from "./shapes.ts";

export function LimitsPage() {
  return (
    <SettingsPage<LimitRow>
      title="Limits"
      about="Rate limits and budgets, in a sliding window or per calendar day, week or month. A request must fit into each of them."
      path="/v1/rate-limits"
      queryKey={LIMITS}
      add="Create limit"
      label="Rate limits and budgets"
      columns={columnsOf}
      rowKey={({ id }) => id}
      dialog={(limit, onClose) => <LimitDialog limit={limit} onClose={onClose} />}
      more={(rows) =>
        rows.map((row) =>
          row.segments === undefined || row.segments.length === 0 ? null : <Segments key={row.id} row={row} />,
        )
      }
      empty={
        <Empty title="No limits">
          Create one here, write it into the configuration file, or send <code>Gateway-RateLimit-Policy: 100;w=60</code>{" "}
          with a request: those that requests bring are not listed.
        </Empty>
      }
    />
  );
}

function columnsOf(onEdit: (row: LimitRow) => void): Column<LimitRow>[] {
  return [
    { id: "name", header: "Name", value: (row) => row.name, cell: (row) => row.name },
    {
      id: "quota",
      header: "Limit",
      cell: (row) => `${amountText(row.quota, row.unit)} in ${spanText(windowOf(row))}`,
    },
    {
      id: "applies",
      header: "Applies",
      cell: (row) => (
        <>
          {row.segment === null ? "in total" : row.segment === "user" ? "per user" : `per ${row.segment}`}
          {row.key_id === null ? null : (
            <>
              , key <KeyName id={row.key_id} />
            </>
          )}
        </>
      ),
    },
    {
      id: "used",
      header: "Used",
      value: (row) => (row.quota === 0 ? 1 : row.used / row.quota),
      cell: (row) => (
        <span className="used">
          <Meter
            label={row.segment === null ? `Used of ${row.name}` : `Most used of ${row.name}`}
            value={row.used}
            max={row.quota}
            text={`${amountText(row.used, row.unit)} of ${amountText(row.quota, row.unit)}`}
            warns
          />
          <span className="number">
            {amountText(row.used, row.unit)}
            {row.segment === null ? "" : " (highest)"}
          </span>
        </span>
      ),
    },
    {
      id: "resets_at",
      header: "Resets at",
      cell: (row) =>
        row.resets_at === null ? <span className="muted">nothing is counted</span> : <Time of={row.resets_at} />,
    },
    {
      id: "actions",
      header: "Actions",
      cell: (row) => (
        <SettingActions
          kind="limit"
          name={row.name}
          path={`/v1/rate-limits/${row.id}`}
          isInFile={row.source === "configuration"}
          onEdit={() => onEdit(row)}
        >
          It no longer applies, from the next request on. Its counts are deleted.
        </SettingActions>
      ),
    },
  ];
}

function Segments({ row }: { readonly row: LimitRow }) {
  const { name, quota, unit, segment, segments = [], segments_total = 0 } = row;
  const what = segment === "user" ? "users" : `values of ${segment}`;
  return (
    <section className="panel" aria-label={`Most used of ${name}`}>
      <header className="panel-head">
        <h2>
          {name}: {what} that used most
        </h2>
        <span className="muted">
          {segments.length} of {segments_total}
        </span>
      </header>
      <ul className="most-used">
        {segments.map((each) => (
          <li key={each.segment}>
            <span className="clipped" title={each.segment}>
              {each.segment}
            </span>
            <Meter
              label={each.segment}
              value={each.used}
              max={quota}
              text={`${amountText(each.used, unit)} of ${amountText(quota, unit)}`}
              warns
            />
            <span className="number">{amountText(each.used, unit)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
