import { type ReactNode, useRef, useState } from "react";
import type { RouteBody } from "../../../routing/route-schema.ts";
import { DialogForm, type ErrorAt, useSave, valuesOf } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { jsonObject } from "../../parts/json-text.ts";
import { Segments } from "../../parts/segments.tsx";
import { routeFields, routeOf } from "./route-fields.tsx";
import type { RouteRow } from "./shapes.ts";

interface RouteDialogProps {
  /** Undefined for a new one. */
  readonly route: RouteRow | undefined;
  readonly onClose: () => void;
}

/** A route while it is edited: in fields, or as JSON text. */
type Draft = { readonly fields: Partial<RouteBody> } | { readonly json: string };

/** Creates a route, or replaces one; as a form or as JSON. */
export function RouteDialog({ route, onClose }: RouteDialogProps) {
  const [name, setName] = useState(route?.name ?? "");
  const [draft, setDraft] = useState<Draft>({ fields: bodyOf(route) });
  const [broken, setBroken] = useState<string>();
  const mode = useRef<HTMLDivElement>(null);
  const work = useSave({
    method: "PUT",
    path: `/v1/routes/${encodeURIComponent(name)}`,
    onSaved: onClose,
  });
  /** The edited route; undefined if it is not JSON, which an error at the text reports. */
  const written = (form: HTMLFormElement): object | undefined => {
    const values = valuesOf(new FormData(form));
    if ("fields" in draft) return routeOf(values);
    const read = jsonObject(values.text("json")) ?? "give a JSON object with targets";
    setBroken(typeof read === "string" ? read : undefined);
    return typeof read === "string" ? undefined : read;
  };
  const show = (as: "fields" | "json") => {
    const now = written(mode.current!.closest("form")!);
    if (now === undefined || as in draft) return;
    setDraft(as === "json" ? { json: JSON.stringify(now, undefined, 2) } : { fields: now });
  };
  return (
    <DialogForm
      title={route === undefined ? "Create a route" : `Route “${route.name}”`}
      action={route === undefined ? "Create route" : "Save route"}
      work={work}
      wide
      onClose={onClose}
      onSubmit={(_values, form) => {
        const body = written(form);
        if (body !== undefined) work.mutate(body);
      }}
    >
      {(errorAt) => (
        <>
          <Field label="Name" hint="What clients write as the model. One * makes it a pattern." error={errorAt("name")}>
            {(ids) => (
              <input
                {...ids}
                required
                maxLength={100}
                disabled={route !== undefined}
                value={name}
                onChange={(event) => setName(event.target.value)}
              />
            )}
          </Field>
          <div ref={mode}>
            <Segments
              label="Edit as"
              options={{ fields: "Form", json: "JSON" }}
              value={"json" in draft ? "json" : "fields"}
              onChange={show}
            />
          </div>
          {"json" in draft ? jsonField(draft.json, broken, errorAt) : routeFields(draft.fields, errorAt)}
        </>
      )}
    </DialogForm>
  );
}

function jsonField(text: string, broken: string | undefined, errorAt: ErrorAt): ReactNode {
  return (
    <Field
      label="Route"
      hint="Members: targets, strategy, sticky, retries, timeout_seconds, description."
      error={broken ?? errorAt("*")}
    >
      {(ids) => <textarea {...ids} name="json" rows={16} spellCheck={false} defaultValue={text} />}
    </Field>
  );
}

/** The members of a route, without those that the API adds. */
function bodyOf(route: RouteRow | undefined): Partial<RouteBody> {
  if (route === undefined) return {};
  const { targets, strategy, sticky, retries, timeout_seconds, description } = route;
  return JSON.parse(JSON.stringify({ targets, strategy, sticky, retries, timeout_seconds, description }));
}
