import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { ApiFailure, call } from "../../api.ts";
import { Trouble } from "../../parts/confirm-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { PRICES, type Price, RATE_LIST, RATES } from "./price-shapes.ts";

interface PriceDialogProps {
  /** What the fields begin with. */
  readonly price: Price | undefined;
  readonly onClose: () => void;
}

/** Sets a price of one's own. */
export function PriceDialog({ price, onClose }: PriceDialogProps) {
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
    const rates = RATE_LIST.flatMap(([rate]) => (text(rate) === "" ? [] : [[rate, Number(text(rate))]]));
    work.mutate({ provider: text("provider"), model: text("model"), ...Object.fromEntries(rates) });
  };
  const isKnown = price !== undefined;
  return (
    <Dialog title={isKnown ? `Price of ${price.model}` : "Set a price"} onClose={onClose}>
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
                readOnly={isKnown}
              />
            )}
          </Field>
          <Field label="Model" hint="May end in *.">
            {(ids) => (
              <input {...ids} name="model" required maxLength={300} defaultValue={price?.model} readOnly={isKnown} />
            )}
          </Field>
        </div>
        <p className="muted">US dollars per million tokens, and for each request.</p>
        <div className="fields">
          {RATE_LIST.map(([rate, label]) => (
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
