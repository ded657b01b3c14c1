import type { RouteBody } from "../../../routing/route-schema.ts";
import type { ErrorAt, FieldValues } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { STRATEGIES } from "./shapes.ts";
import { readTargets, targetsText } from "./targets-text.ts";

/** A route as a form. Not a component: the form reads the errors of all fields before it shows the others. */
export function routeFields(route: Partial<RouteBody>, errorAt: ErrorAt) {
  return (
    <>
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
            defaultValue={targetsText(route.targets ?? [])}
          />
        )}
      </Field>
      <div className="fields">
        <Field label="Strategy" error={errorAt("strategy")}>
          {(ids) => (
            <select {...ids} name="strategy" defaultValue={route.strategy ?? "order"}>
              {STRATEGIES.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Sticky" hint="session, user, property:<Name> or none" error={errorAt("sticky")}>
          {(ids) => <input {...ids} name="sticky" defaultValue={route.sticky ?? "session"} />}
        </Field>
      </div>
      <div className="fields">
        <Field label="Retries per target" error={errorAt("retries")}>
          {(ids) => (
            <input {...ids} name="retries" type="number" min={0} max={5} required defaultValue={route.retries ?? 0} />
          )}
        </Field>
        <Field label="Timeout, seconds" error={errorAt("timeout_seconds")}>
          {(ids) => (
            <input
              {...ids}
              name="timeout_seconds"
              type="number"
              min={0.1}
              step="any"
              placeholder="as configured"
              defaultValue={route.timeout_seconds}
            />
          )}
        </Field>
      </div>
      <Field label="Description" error={errorAt("description")}>
        {(ids) => <input {...ids} name="description" maxLength={1_000} defaultValue={route.description} />}
      </Field>
    </>
  );
}

/** The form's values in the API's form. */
export function routeOf({ text, number }: FieldValues) {
  return {
    targets: readTargets(text("targets")),
    strategy: text("strategy"),
    ...(text("sticky") !== "" && { sticky: text("sticky") }),
    retries: number("retries"),
    ...(text("timeout_seconds") !== "" && { timeout_seconds: number("timeout_seconds") }),
    ...(text("description") !== "" && { description: text("description") }),
  };
}

/** All targets share one field, whichever member is wrong. */
function errorAtAny(errorAt: ErrorAt): string | undefined {
  return errorAt("targets") ?? errorAt("targets.*");
}
