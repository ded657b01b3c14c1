import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call } from "../../api.ts";
import { Trouble } from "../../parts/confirm-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { formatCount } from "../../parts/format.ts";
import { GatedButton } from "../../parts/gated-button.tsx";

const KINDS = {
  all: "Everything",
  model: "Responses of a model",
  property: "Responses to requests with a property",
  request: "The response to a request",
} as const;
type PurgeKind = keyof typeof KINDS;

/** Removes stored responses: all, or those that match. */
export function PurgeButton() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <GatedButton scope="admin" className="danger" onClick={() => setOpen(true)}>
        Remove responses…
      </GatedButton>
      {isOpen ? <PurgeDialog onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function PurgeDialog({ onClose }: { readonly onClose: () => void }) {
  const [kind, setKind] = useState<PurgeKind>("model");
  const work = useMutation({
    mutationFn: async (body: unknown) => (await call<number>("DELETE", "/v1/cache", { body })).data,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "");
    const value = text("value");
    const bodies: Readonly<Record<PurgeKind, () => object>> = {
      all: () => ({}),
      model: () => ({ model: text("model").trim() }),
      property: () => ({ property: { name: text("name").trim(), ...(value === "" ? {} : { value }) } }),
      request: () => ({ request_id: text("request_id").trim() }),
    };
    work.mutate(bodies[kind]());
  };
  return (
    <Dialog title="Remove cached responses" onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <Field label="What to remove" hint="This cannot be undone: such requests go to the provider again.">
          {(ids) => (
            <select {...ids} value={kind} onChange={(event) => setKind(event.target.value as PurgeKind)}>
              {Object.entries(KINDS).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        {kind === "model" ? (
          <Field label="Model" hint="As named in the requests.">
            {(ids) => <input {...ids} name="model" required />}
          </Field>
        ) : null}
        {kind === "property" ? (
          <div className="fields">
            <Field label="Property">{(ids) => <input {...ids} name="name" required />}</Field>
            <Field label="Value" hint="Empty means any.">
              {(ids) => <input {...ids} name="value" />}
            </Field>
          </div>
        ) : null}
        {kind === "request" ? (
          <Field label="Request id">{(ids) => <input {...ids} name="request_id" required />}</Field>
        ) : null}
        <Trouble error={work.error} />
        <div className="form-actions">
          <button type="submit" className="danger" disabled={work.isPending}>
            Remove
          </button>
          <button type="button" onClick={onClose}>
            Close
          </button>
          <span role="status" className="muted">
            {work.data === undefined
              ? ""
              : work.data === 1
                ? "One response was removed."
                : `${formatCount(work.data)} responses were removed.`}
          </span>
        </div>
      </form>
    </Dialog>
  );
}
