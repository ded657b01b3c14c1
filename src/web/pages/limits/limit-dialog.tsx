import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { DialogForm, useSave } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import type { Window } from "../../parts/window.ts";
import { WindowFields } from "../../parts/window-fields.tsx";
import { useMissing } from "../../session.ts";
import { keysQuery } from "../keys/keys-query.ts";
import { windowOf } from "./limit-text.ts";
import { PRESETS } from "./presets.ts";
import type { LimitRow, Unit } from "./shapes.ts";

const WINDOWS = [1, 60, 300, 3_600, 86_400, 604_800, 2_592_000, 31_536_000];
const UNITS: Readonly<Record<Unit, string>> = { request: "Requests", cents: "US dollars", tokens: "Tokens" };

/** Budgets are entered in dollars; the API uses cents. */
const CENTS = 100;

const A_MINUTE: Window = { window_seconds: 60, calendar: null, time_zone: null };

const segmentKind = (segment: string | null | undefined) =>
  segment === null || segment === undefined ? "" : segment === "user" ? "user" : "property";

interface LimitDialogProps {
  readonly limit: LimitRow | undefined;
  readonly onClose: () => void;
}

/** Creates a rate limit or budget, or replaces one; its counters stay. */
export function LimitDialog({ limit, onClose }: LimitDialogProps) {
  const [preset, setPreset] = useState<string>();
  const from = limit ?? PRESETS.find(({ name }) => name === preset);
  const [segment, setSegment] = useState(segmentKind(limit?.segment));
  const [window, setWindow] = useState<Window>(limit === undefined ? A_MINUTE : windowOf(limit));
  const missing = useMissing("admin");
  const keys = useQuery({ ...keysQuery, enabled: missing === undefined });
  const work = useSave({
    ...(limit === undefined
      ? { method: "POST", path: "/v1/rate-limits" }
      : { method: "PUT", path: `/v1/rate-limits/${limit.id}` }),
    onSaved: onClose,
  });
  return (
    <DialogForm
      title={limit === undefined ? "Create a limit" : `Limit “${limit.name}”`}
      action={limit === undefined ? "Create limit" : "Save limit"}
      work={work}
      onClose={onClose}
      onSubmit={({ text, number }) =>
        work.mutate({
          name: text("name"),
          quota: text("unit") === "cents" ? Number((number("quota") * CENTS).toPrecision(12)) : number("quota"),
          ...(window.calendar === null
            ? { window_seconds: window.window_seconds }
            : { calendar: window.calendar, time_zone: window.time_zone }),
          unit: text("unit"),
          segment: segment === "" ? null : segment === "user" ? "user" : text("property"),
          key_id: text("key_id") || null,
        })
      }
    >
      {(errorAt) => (
        // Another preset renders the fields again, with its values.
        <div className="form" key={preset ?? ""}>
          {limit === undefined ? (
            <Field label="Start from">
              {(ids) => (
                <select
                  {...ids}
                  value={preset ?? ""}
                  onChange={({ target }) => {
                    setPreset(target.value || undefined);
                    const chosen = PRESETS.find(({ name }) => name === target.value);
                    setSegment(segmentKind(chosen?.segment));
                    setWindow(chosen === undefined ? A_MINUTE : windowOf(chosen));
                  }}
                >
                  <option value="">An empty limit</option>
                  {PRESETS.map(({ name }) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              )}
            </Field>
          ) : null}
          <Field label="Name" hint="Clients see it when they are refused." error={errorAt("name")}>
            {(ids) => <input {...ids} name="name" required maxLength={200} defaultValue={from?.name} />}
          </Field>
          <div className="fields">
            <Field label="At most" error={errorAt("quota")}>
              {(ids) => (
                <input
                  {...ids}
                  name="quota"
                  type="number"
                  required
                  min={0}
                  step="any"
                  defaultValue={from === undefined ? 100 : from.quota / (from.unit === "cents" ? CENTS : 1)}
                />
              )}
            </Field>
            <Field label="Unit" error={errorAt("unit")}>
              {(ids) => (
                <select {...ids} name="unit" defaultValue={from?.unit ?? "request"}>
                  {Object.entries(UNITS).map(([unit, label]) => (
                    <option key={unit} value={unit}>
                      {label}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          </div>
          <div className="fields">
            <WindowFields window={window} all={WINDOWS} onChange={setWindow} errorAt={errorAt} />
          </div>
          <div className="fields">
            <Field label="Applies">
              {(ids) => (
                <select {...ids} value={segment} onChange={(event) => setSegment(event.target.value)}>
                  <option value="">in total</option>
                  <option value="user">per user</option>
                  <option value="property">per value of a property</option>
                </select>
              )}
            </Field>
            {segment === "property" ? (
              <Field label="Property" error={errorAt("segment")}>
                {(ids) => (
                  <input {...ids} name="property" required maxLength={200} defaultValue={from?.segment ?? ""} />
                )}
              </Field>
            ) : null}
            <Field label="For" error={errorAt("key_id")}>
              {(ids) => (
                <select key={keys.data?.length} {...ids} name="key_id" defaultValue={limit?.key_id ?? ""}>
                  <option value="">every key</option>
                  {keys.data
                    ?.filter((key) => key.revoked_at === null || key.id === limit?.key_id)
                    .map((key) => (
                      <option key={key.id} value={key.id}>
                        {key.name}
                      </option>
                    ))}
                </select>
              )}
            </Field>
          </div>
        </div>
      )}
    </DialogForm>
  );
}
