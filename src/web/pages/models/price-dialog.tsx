import { DialogForm, useSave } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { type Price, RATE_LIST } from "./price-shapes.ts";

interface PriceDialogProps {
  /** The initial values of the fields. */
  readonly price: Price | undefined;
  readonly onClose: () => void;
}

/** Sets a custom price. */
export function PriceDialog({ price, onClose }: PriceDialogProps) {
  const work = useSave({ method: "PUT", path: "/v1/models/prices", onSaved: onClose });
  const isKnown = price !== undefined;
  return (
    <DialogForm
      title={isKnown ? `Price of ${price.model}` : "Set a price"}
      action="Save price"
      work={work}
      onClose={onClose}
      onSubmit={({ text, number }) => {
        const rates = RATE_LIST.flatMap(([rate]) => (text(rate) === "" ? [] : [[rate, number(rate)]]));
        work.mutate({ provider: text("provider"), model: text("model"), ...Object.fromEntries(rates) });
      }}
    >
      {(errorAt) => (
        <>
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
              <Field key={rate} label={label} error={errorAt(rate)}>
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
        </>
      )}
    </DialogForm>
  );
}
