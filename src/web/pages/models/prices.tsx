import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useMemo, useState } from "react";
import { ApiFailure, call, get } from "../../api.ts";
import { ConfirmButton, Trouble } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { UNKNOWN } from "../../parts/format.ts";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ListRoom } from "../../parts/list-page.tsx";
import { Empty } from "../../parts/states.tsx";

const RATES = {
  input: "Input",
  output: "Output",
  cache_read: "Cache read",
  cache_write: "Cache write",
  input_audio: "Audio in",
  output_audio: "Audio out",
  request: "Each request",
} as const;
type Rate = keyof typeof RATES;

interface PriceRow extends Readonly<Partial<Record<Rate, number>>> {
  readonly provider: string;
  readonly model: string;
  readonly source: "own" | "configuration";
  readonly updated_at?: string;
}

const PRICES = ["prices"] as const;

/** Prices that hold before all others, in US dollars per million tokens and per request. */
export function Prices({ part }: { readonly part: string | undefined }) {
  const [edited, setEdited] = useState<PriceRow | "new">();
  const { data, error, refetch } = useQuery({
    queryKey: PRICES,
    queryFn: ({ signal }) => get<readonly PriceRow[]>("/v1/models/prices", signal),
  });
  const rows = data?.filter(({ provider, model }) =>
    `${provider} ${model}`.toLowerCase().includes(part?.toLowerCase() ?? ""),
  );
  const columns = useMemo(() => columnsOf(setEdited), []);
  return (
    <>
      <div className="beside-head">
        <p className="muted">
          US dollars per million tokens. They hold for requests from now on; <code>weir costs recompute</code> prices
          what was recorded anew.
        </p>
        <GatedButton scope="admin" className="primary" onClick={() => setEdited("new")}>
          <Icon name="plus" />
          Set a price
        </GatedButton>
      </div>
      <ListRoom
        rows={rows}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <Empty title="No prices of your own">
            Costs come from the provider, or from the price table that Weir brings along.
          </Empty>
        }
      >
        {(all) => (
          <DataTable
            label="Prices"
            rows={all}
            columns={columns}
            rowKey={({ provider, model, source }) => `${source} ${provider} ${model}`}
          />
        )}
      </ListRoom>
      {edited === undefined ? null : (
        <PriceDialog price={edited === "new" ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </>
  );
}

function columnsOf(onEdit: (row: PriceRow) => void): Column<PriceRow>[] {
  const rates = (Object.entries(RATES) as [Rate, string][]).map(
    ([rate, header]): Column<PriceRow> => ({
      id: rate,
      header,
      align: "end",
      value: (row) => row[rate],
      cell: (row) => <span className="number">{row[rate] ?? UNKNOWN}</span>,
    }),
  );
  return [
    { id: "model", header: "Model", value: (row) => row.model, cell: (row) => row.model },
    { id: "provider", header: "Provider", value: (row) => row.provider, cell: (row) => row.provider },
    ...rates,
    {
      id: "actions",
      header: "Actions",
      cell: (row) =>
        row.source === "configuration" ? (
          <span className="muted">in weir.toml</span>
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
              refresh={[PRICES]}
            >
              The provider's price or that of the price table holds again.
            </ConfirmButton>
          </span>
        ),
    },
  ];
}

interface PriceDialogProps {
  readonly price: PriceRow | undefined;
  readonly onClose: () => void;
}

function PriceDialog({ price, onClose }: PriceDialogProps) {
  const client = useQueryClient();
  const work = useMutation({
    mutationFn: (body: unknown) => call("PUT", "/v1/models/prices", { body }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: PRICES });
      onClose();
    },
  });
  const failedAt = work.error instanceof ApiFailure ? work.error.path : undefined;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const rates = Object.keys(RATES).flatMap((rate) => (text(rate) === "" ? [] : [[rate, Number(text(rate))]]));
    work.mutate({ provider: text("provider"), model: text("model"), ...Object.fromEntries(rates) });
  };
  return (
    <Dialog title={price === undefined ? "Set a price" : `Price of ${price.model}`} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <div className="fields">
          <Field label="Provider" hint="Such as OPENAI.">
            {(ids) => (
              <input
                {...ids}
                name="provider"
                required
                maxLength={100}
                defaultValue={price?.provider}
                readOnly={price !== undefined}
              />
            )}
          </Field>
          <Field label="Model" hint="May end in *.">
            {(ids) => (
              <input
                {...ids}
                name="model"
                required
                maxLength={300}
                defaultValue={price?.model}
                readOnly={price !== undefined}
              />
            )}
          </Field>
        </div>
        <div className="fields">
          {(Object.entries(RATES) as [Rate, string][]).map(([rate, label]) => (
            <Field key={rate} label={label} error={failedAt === rate ? work.error?.message : undefined}>
              {(ids) => (
                <input
                  {...ids}
                  name={rate}
                  type="number"
                  min={0}
                  max={1_000_000}
                  step="any"
                  defaultValue={price?.[rate]}
                />
              )}
            </Field>
          ))}
        </div>
        <Trouble error={failedAt !== undefined && failedAt in RATES ? null : work.error} />
        <div className="form-actions">
          <button type="submit" className="primary" disabled={work.isPending}>
            Save price
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
