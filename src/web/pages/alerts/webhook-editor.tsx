import { useState } from "react";
import { DialogForm, type FieldValues, useSave } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Secrets } from "./secrets.tsx";
import type { WebhookBody, WebhookRow } from "./shapes.ts";

interface WebhookEditorProps {
  readonly webhook: WebhookRow | undefined;
  readonly onClose: () => void;
}

type PropertyFilter = WebhookBody["property_filters"][number];

/** Creates a webhook, or changes one; members that this form does not show stay unchanged. */
export function WebhookEditor({ webhook, onClose }: WebhookEditorProps) {
  const [filters, setFilters] = useState<readonly PropertyFilter[]>(webhook?.property_filters ?? []);
  const work = useSave<WebhookRow & { readonly secret?: string }>({
    ...(webhook === undefined
      ? { method: "POST", path: "/v1/webhooks" }
      : { method: "PATCH", path: `/v1/webhooks/${webhook.id}` }),
    onSaved: ({ secret }) => {
      if (secret === undefined) onClose();
    },
  });
  if (work.data?.secret !== undefined) {
    return <Secrets channels={[{ type: "webhook", url: work.data.url, secret: work.data.secret }]} onClose={onClose} />;
  }
  const save = ({ text, number, isOn }: FieldValues) => {
    const body: WebhookBody = {
      name: text("name"),
      url: text("url"),
      sample_rate: number("sample_rate"),
      include_body: isOn("include_body"),
      enabled: isOn("enabled"),
      property_filters: filters
        .filter(({ name }) => name !== "")
        .map(({ name, value }) => (value ? { name, value } : { name })),
    };
    work.mutate(body);
  };
  return (
    <DialogForm
      title={webhook === undefined ? "Create a webhook" : "Webhook"}
      action={webhook === undefined ? "Create webhook" : "Save webhook"}
      work={work}
      onSubmit={save}
      onClose={onClose}
    >
      {(errorAt) => (
        <>
          <Field label="Name">
            {(ids) => <input {...ids} name="name" maxLength={200} defaultValue={webhook?.name} />}
          </Field>
          <Field label="Address" error={errorAt("url")}>
            {(ids) => (
              <input {...ids} name="url" type="url" required placeholder="https://" defaultValue={webhook?.url} />
            )}
          </Field>
          <Field label="Share of the requests, percent">
            {(ids) => (
              <input
                {...ids}
                name="sample_rate"
                type="number"
                min={0}
                max={100}
                step="any"
                defaultValue={webhook?.sample_rate ?? 100}
              />
            )}
          </Field>
          <PropertyFilters filters={filters} onChange={setFilters} />
          <label className="check">
            <input type="checkbox" name="include_body" defaultChecked={webhook?.include_body ?? false} />
            Send bodies too, unless they are long
          </label>
          <label className="check">
            <input type="checkbox" name="enabled" defaultChecked={webhook?.enabled ?? true} />
            On
          </label>
        </>
      )}
    </DialogForm>
  );
}

interface PropertyFiltersProps {
  readonly filters: readonly PropertyFilter[];
  readonly onChange: (filters: readonly PropertyFilter[]) => void;
}

function PropertyFilters({ filters, onChange }: PropertyFiltersProps) {
  const put = (at: number, filter: PropertyFilter) =>
    onChange(filters.map((each, index) => (index === at ? filter : each)));
  return (
    <fieldset className="choices">
      <legend>Only requests that have all of these properties</legend>
      <div className="stack">
        {filters.map((filter, at) => (
          <div className="channel" key={at}>
            <Field label="Name">
              {(ids) => (
                <input
                  {...ids}
                  required
                  value={filter.name}
                  onChange={(event) => put(at, { ...filter, name: event.target.value })}
                />
              )}
            </Field>
            <Field label="Value, or any">
              {(ids) => (
                <input
                  {...ids}
                  value={filter.value ?? ""}
                  onChange={(event) => put(at, { ...filter, value: event.target.value })}
                />
              )}
            </Field>
            <button
              type="button"
              className="quiet"
              aria-label={`Remove property ${at + 1}`}
              onClick={() => onChange(filters.filter((_, index) => index !== at))}
            >
              <Icon name="close" />
            </button>
          </div>
        ))}
        <div>
          <button type="button" className="small" onClick={() => onChange([...filters, { name: "" }])}>
            <Icon name="plus" size={12} /> Property
          </button>
        </div>
      </div>
    </fieldset>
  );
}
