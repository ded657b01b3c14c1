import { useState } from "react";
import { DialogForm, useSave } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { ROUTES, type RouteRow, STRATEGIES } from "./shapes.ts";
import { readTargets, targetsText } from "./targets-text.ts";

interface RouteDialogProps {
  /** Undefined for a new one. */
  readonly route: RouteRow | undefined;
  readonly onClose: () => void;
}

/** Makes a route, or replaces one. */
export function RouteDialog({ route, onClose }: RouteDialogProps) {
  const [name, setName] = useState(route?.name ?? "");
  const work = useSave({
    method: "PUT",
    path: `/v1/routes/${encodeURIComponent(name)}`,
    list: ROUTES,
    onSaved: onClose,
  });
  return (
    <DialogForm
      title={route === undefined ? "Create a route" : `Route “${route.name}”`}
      action={route === undefined ? "Create route" : "Save route"}
      work={work}
      wide
      onClose={onClose}
      onSubmit={({ text, number }) =>
        work.mutate({
          targets: readTargets(text("targets")),
          strategy: text("strategy"),
          sticky: text("sticky") || null,
          retries: number("retries"),
          timeout_seconds: text("timeout_seconds") === "" ? null : number("timeout_seconds"),
          description: text("description") || null,
        })
      }
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
          <Field
            label="Targets"
            hint={
              <>
                One a line, each the fallback of the one before: <code>openai/gpt-5-mini</code>, or{" "}
                <code>{'{"model": "groq/llama-3.3-70b", "weight": 2, "on": [429, "5xx"]}'}</code>.
              </>
            }
            error={errorAtAny(errorAt)}
          >
            {(ids) => (
              <textarea
                {...ids}
                name="targets"
                rows={5}
                required
                spellCheck={false}
                defaultValue={route === undefined ? "" : targetsText(route.targets)}
              />
            )}
          </Field>
          <div className="fields">
            <Field label="Strategy" error={errorAt("strategy")}>
              {(ids) => (
                <select {...ids} name="strategy" defaultValue={route?.strategy ?? "order"}>
                  {STRATEGIES.map((each) => (
                    <option key={each}>{each}</option>
                  ))}
                </select>
              )}
            </Field>
            <Field label="Sticky" hint="session, user, property:<Name> or none" error={errorAt("sticky")}>
              {(ids) => <input {...ids} name="sticky" defaultValue={route?.sticky ?? "session"} />}
            </Field>
          </div>
          <div className="fields">
            <Field label="Further tries of each target" error={errorAt("retries")}>
              {(ids) => (
                <input
                  {...ids}
                  name="retries"
                  type="number"
                  min={0}
                  max={5}
                  required
                  defaultValue={route?.retries ?? 0}
                />
              )}
            </Field>
            <Field label="Seconds to the response" error={errorAt("timeout_seconds")}>
              {(ids) => (
                <input
                  {...ids}
                  name="timeout_seconds"
                  type="number"
                  min={0.1}
                  step="any"
                  placeholder="as configured"
                  defaultValue={route?.timeout_seconds}
                />
              )}
            </Field>
          </div>
          <Field label="Description" error={errorAt("description")}>
            {(ids) => <input {...ids} name="description" maxLength={1_000} defaultValue={route?.description} />}
          </Field>
        </>
      )}
    </DialogForm>
  );
}

/** Targets are one field, whichever member of them is wrong. */
function errorAtAny(errorAt: (path: string) => string | undefined): string | undefined {
  return errorAt("targets") ?? errorAt("targets.*");
}
