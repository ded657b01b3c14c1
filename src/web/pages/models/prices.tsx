import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { call, get } from "../../api.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { UNKNOWN } from "../../parts/format.ts";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ListStates } from "../../parts/list-states.tsx";
import { Empty } from "../../parts/states.tsx";
import { PriceDialog } from "./price-dialog.tsx";
import { type OwnPrice, PRICES, type Price, type PriceInForce, RATE_LIST } from "./price-shapes.ts";
import { RecomputeButton } from "./recompute.tsx";

/** The current price of every model, and custom prices, which precede all others. */
export function Prices({ part = "" }: { readonly part: string | undefined }) {
  const [edited, setEdited] = useState<Price | "new">();
  const inForce = useQuery({
    queryKey: [...PRICES, "in force"],
    queryFn: ({ signal }) => get<readonly PriceInForce[]>("/v1/models/prices/in-force", signal),
  });
  const own = useQuery({
    queryKey: [...PRICES, "own"],
    queryFn: ({ signal }) => get<readonly OwnPrice[]>("/v1/models/prices", signal),
  });
  const found = ({ provider, model }: Price) => `${provider} ${model}`.toLowerCase().includes(part.toLowerCase());
  const inForceColumns = useMemo(() => inForceColumnsOf(inForce.data ?? [], setEdited), [inForce.data]);
  const ownColumns = useMemo(() => ownColumnsOf(own.data ?? [], setEdited), [own.data]);
  return (
    <>
      <div className="beside-head">
        <p className="muted">US dollars per million tokens. Your own prices apply to new requests.</p>
        <span className="row-actions">
          <RecomputeButton />
          <GatedButton scope="admin" className="primary" onClick={() => setEdited("new")}>
            <Icon name="plus" />
            Set a price
          </GatedButton>
        </span>
      </div>
      <section className="top-list" aria-label="Prices of your own">
        <h2>Prices of your own</h2>
        <ListStates
          rows={own.data?.filter(found)}
          error={own.error}
          onRetry={() => void own.refetch()}
          empty={
            <Empty title="No prices of your own">
              Costs come from the provider, or from the price table that comes with Weir.
            </Empty>
          }
        >
          {(rows) => (
            <DataTable
              label="Prices of your own"
              rows={rows}
              columns={ownColumns}
              rowKey={({ provider, model, source }) => `${source} ${provider} ${model}`}
            />
          )}
        </ListStates>
      </section>
      <section className="top-list" aria-label="Prices in force">
        <h2>Prices in force, of the models that were seen</h2>
        <ListStates
          rows={inForce.data?.filter(found)}
          error={inForce.error}
          onRetry={() => void inForce.refetch()}
          empty="No model was seen yet"
        >
          {(rows) => (
            <DataTable
              label="Prices in force"
              rows={rows}
              columns={inForceColumns}
              rowKey={({ provider, model }) => `${provider} ${model}`}
            />
          )}
        </ListStates>
      </section>
      {edited === undefined ? null : (
        <PriceDialog price={edited === "new" ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </>
  );
}

/** Rates that no row has get no column. */
const priceColumns = <T extends Price>(rows: readonly T[]): Column<T>[] => [
  { id: "model", header: "Model", value: (row) => row.model, cell: (row) => row.model },
  { id: "provider", header: "Provider", value: (row) => row.provider, cell: (row) => row.provider },
  ...RATE_LIST.filter(
    ([rate]) => rate === "input" || rate === "output" || rows.some((row) => row[rate] !== undefined),
  ).map(
    ([rate, header]): Column<T> => ({
      id: rate,
      header,
      align: "end",
      value: (row) => row[rate],
      cell: (row) => <span className="number">{row[rate] ?? UNKNOWN}</span>,
    }),
  ),
];

function ownColumnsOf(rows: readonly OwnPrice[], onEdit: (row: Price) => void): Column<OwnPrice>[] {
  return [
    ...priceColumns(rows),
    {
      id: "actions",
      header: "Actions",
      cell: (row) =>
        row.source === "configuration" ? (
          <span className="muted">in the configuration file</span>
        ) : (
          <span className="row-actions">
            <GatedButton scope="admin" className="small" onClick={() => onEdit(row)}>
              Edit<span className="unseen"> the price of {row.model}</span>
            </GatedButton>
            <ConfirmButton
              scope="admin"
              label="Remove"
              of={`the price of ${row.model}`}
              danger
              title={`Remove your price of ${row.model}?`}
              action="Remove price"
              run={() =>
                call("DELETE", `/v1/models/prices?${new URLSearchParams({ provider: row.provider, model: row.model })}`)
              }
            >
              The provider's price or the built-in one applies again.
            </ConfirmButton>
          </span>
        ),
    },
  ];
}

function inForceColumnsOf(rows: readonly PriceInForce[], onEdit: (row: Price) => void): Column<PriceInForce>[] {
  const [model, provider, ...rates] = priceColumns(rows);
  return [
    model!,
    provider!,
    {
      id: "source",
      header: "Source",
      value: (row) => row.source,
      cell: (row) =>
        row.source === null ? (
          <span className="muted">not known</span>
        ) : (
          // There is no space for the date of a price table.
          <span title={row.source}>{row.source.replace(/ \(.*\)$/, "")}</span>
        ),
    },
    ...rates,
    {
      id: "actions",
      header: "Actions",
      cell: (row) => (
        <GatedButton scope="admin" className="small" onClick={() => onEdit(row)}>
          Override<span className="unseen"> the price of {row.model}</span>
        </GatedButton>
      ),
    },
  ];
}
