import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import type { RouteExplanation } from "../../../threads/gateway.ts";
import type { ClientShape } from "../../../unified/client-shapes.ts";
import { post } from "../../api.ts";
import { Trouble } from "../../parts/confirm-button.tsx";
import { type FieldValues, failureAt, valuesOf } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { jsonObject } from "../../parts/json-text.ts";
import { ModelInput } from "../../parts/model-input.tsx";
import { readPairs } from "../../parts/pairs-text.ts";
import { Empty } from "../../parts/states.tsx";
import { Explanation } from "../../routing/explanation.tsx";
import { useMissing } from "../../session.ts";
import { keysQuery } from "../keys/keys-query.ts";

const SHAPES: Readonly<Record<ClientShape, string>> = {
  "chat-completions": "Chat completions",
  responses: "Responses",
  messages: "Messages",
  "generate-content": "Google generateContent",
  completions: "Completions",
  embeddings: "Embeddings",
};

interface ExplainProps {
  readonly model: string | undefined;
  readonly onModel: (model: string) => void;
}

/** Shows where a request would go. Nothing is sent to a provider. */
export function Explain({ model = "", onModel }: ExplainProps) {
  const [name, setName] = useState(model);
  const mayListKeys = useMissing("admin") === undefined;
  const keys = useQuery({ ...keysQuery, enabled: mayListKeys });
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: (question: object) => post<RouteExplanation>("/v1/route/explain", question),
    meta: { changes: [] },
  });
  /** The model of the last query, with the form's other values. */
  const lastKey = useRef("");
  useEffect(() => {
    if (model === "" || model === lastKey.current) return;
    setName(model);
    mutate({ model });
  }, [model, mutate]);
  const [broken, setBroken] = useState<string>();
  const ask = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = valuesOf(new FormData(event.currentTarget));
    const body = jsonObject(values.text("body"));
    setBroken(typeof body === "string" ? body : undefined);
    if (typeof body === "string") return;
    lastKey.current = name;
    mutate(questionOf(name, values, body));
    onModel(name);
  };
  return (
    <div className="explain">
      <form className="panel explain-form" onSubmit={ask}>
        <Field
          label="Model"
          hint="As a client writes it: a route, provider/model, or several, separated by commas."
          error={failureAt(error, "model")}
        >
          {(ids) => <ModelInput {...ids} required value={name} onChange={(event) => setName(event.target.value)} />}
        </Field>
        <div className="fields">
          <Field label="Client's API" error={failureAt(error, "shape")}>
            {(ids) => (
              <select {...ids} name="shape">
                {Object.entries(SHAPES).map(([shape, label]) => (
                  <option key={shape} value={shape}>
                    {label}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {mayListKeys ? (
            <Field label="Key" hint="Its models and credentials apply." error={failureAt(error, "key_id")}>
              {(ids) => (
                <select {...ids} name="key_id">
                  <option value="">any</option>
                  {keys.data
                    ?.filter(({ revoked_at }) => revoked_at === null)
                    .map(({ id, name: label }) => (
                      <option key={id} value={id}>
                        {label}
                      </option>
                    ))}
                </select>
              )}
            </Field>
          ) : null}
        </div>
        <Field
          label="Body"
          hint="JSON, optional: shows what each provider would get, and what would be lost."
          error={broken ?? failureAt(error, "body") ?? failureAt(error, "body.*")}
        >
          {(ids) => <textarea {...ids} name="body" rows={5} spellCheck={false} placeholder='{"messages": […]}' />}
        </Field>
        <details className="more">
          <summary>User, session, properties</summary>
          <div className="form">
            <div className="fields">
              <Field label="User">{(ids) => <input {...ids} name="user" />}</Field>
              <Field label="Session">{(ids) => <input {...ids} name="session" />}</Field>
            </div>
            <Field label="Properties" hint="One a line: Plan: free">
              {(ids) => <textarea {...ids} name="properties" rows={2} spellCheck={false} />}
            </Field>
          </div>
        </details>
        <Trouble error={isAtField(error) ? null : error} />
        <div className="form-actions">
          <button type="submit" className="primary" disabled={isPending}>
            Explain
          </button>
        </div>
      </form>
      {data === undefined || error !== null ? (
        <div className="panel">
          <Empty title="Explain where a request goes">
            Name a model: this shows which targets would be used, in which order, and what each would receive. Nothing
            is sent to a provider.
          </Empty>
        </div>
      ) : (
        <Explanation of={data} />
      )}
    </div>
  );
}

const isAtField = (error: Error | null) =>
  ["model", "shape", "key_id", "body", "body.*"].some((path) => failureAt(error, path) !== undefined);

function questionOf(model: string, { text }: FieldValues, body: object | undefined) {
  const [key_id, user, session] = [text("key_id"), text("user"), text("session")];
  return {
    model,
    shape: text("shape"),
    ...(body !== undefined && { body }),
    ...(key_id !== "" && { key_id }),
    ...(user !== "" && { user }),
    ...(session !== "" && { session }),
    properties: readPairs(text("properties"), ":"),
  };
}
