import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { JudgeBody } from "../../../store/judges/judge-rule.ts";
import { completePart } from "../../filter/complete.ts";
import { GroupEditor } from "../../filter/group-editor.tsx";
import { type FilterGroup, fromTree, toTree } from "../../filter/model.ts";
import { DialogForm, type ErrorAt, type FieldValues, useSave } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { ModelInput } from "../../parts/model-input.tsx";
import { keysQuery } from "../keys/keys-query.ts";
import { type DraftScore, draftsOf, scoresOf } from "./score-drafts.ts";
import { ScoreFields } from "./score-fields.tsx";
import type { JudgeRow } from "./shapes.ts";

const PROMPT = `Question:
{{input}}

Answer:
{{output}}

Does the answer help the user?`;
const SCORES: JudgeBody["scores"] = [{ name: "helpful", kind: "number", description: "1 helps, 0 does not" }];

interface JudgeDialogProps {
  /** Undefined for a new one. */
  readonly judge: JudgeRow | undefined;
  readonly onClose: () => void;
}

/** Creates a judge, or replaces one. */
export function JudgeDialog({ judge, onClose }: JudgeDialogProps) {
  const [scores, setScores] = useState(() => draftsOf(judge?.scores ?? SCORES));
  const [filter, setFilter] = useState(() => fromTree(judge?.filter ?? "all"));
  const work = useSave({
    method: judge === undefined ? "POST" : "PUT",
    path: judge === undefined ? "/v1/judges" : `/v1/judges/${encodeURIComponent(judge.id)}`,
    onSaved: onClose,
  });
  return (
    <DialogForm
      title={judge === undefined ? "Create a judge" : `Judge “${judge.name}”`}
      action={judge === undefined ? "Create judge" : "Save judge"}
      work={work}
      wide
      onClose={onClose}
      onSubmit={(values) =>
        work.mutate({ ...bodyOf(values), scores: scoresOf(scores), filter: toTree(completePart(filter)) })
      }
    >
      {(errorAt) => {
        // The dialog must know now which errors its fields show.
        const errors = new Map(PATHS.map((path) => [path, errorAt(path)]));
        return <Fields {...{ judge, scores, setScores, filter, setFilter }} errorAt={(path) => errors.get(path)} />;
      }}
    </DialogForm>
  );
}

/** Members whose errors are shown at their fields. */
const PATHS = [
  ...["name", "model", "key", "prompt", "scores", "scores.*"],
  ...["filter", "filter.*", "share", "budget", "budget.*", "reference"],
];

interface FieldsProps {
  readonly judge: JudgeRow | undefined;
  readonly scores: readonly DraftScore[];
  readonly setScores: (scores: readonly DraftScore[]) => void;
  readonly filter: FilterGroup;
  readonly setFilter: (filter: FilterGroup) => void;
  readonly errorAt: ErrorAt;
}

function Fields({ judge, scores, setScores, filter, setFilter, errorAt }: FieldsProps) {
  const filterError = errorAt("filter") ?? errorAt("filter.*");
  const [model, setModel] = useState(judge?.model ?? "");
  return (
    <>
      <Field label="Name" error={errorAt("name")}>
        {(ids) => <input {...ids} name="name" required maxLength={60} defaultValue={judge?.name ?? ""} />}
      </Field>
      <div className="fields">
        <Field label="Model" hint="A route, a model, or provider/model." error={errorAt("model")}>
          {(ids) => (
            <ModelInput
              {...ids}
              name="model"
              required
              value={model}
              onChange={(event) => setModel(event.target.value)}
            />
          )}
        </Field>
        <KeyField judge={judge} error={errorAt("key")} />
      </div>
      <Field
        label="Prompt"
        hint="{{output}} is the response; also {{input}}, {{messages}}, {{reference}}, {{property.<Name>}}."
        error={errorAt("prompt")}
      >
        {(ids) => <textarea {...ids} name="prompt" rows={7} required defaultValue={judge?.prompt ?? PROMPT} />}
      </Field>
      <ScoreFields scores={scores} error={errorAt("scores") ?? errorAt("scores.*")} onChange={setScores} />
      <fieldset className="choices">
        <legend>Which new requests</legend>
        <GroupEditor group={filter} onChange={setFilter} />
        {filterError === undefined ? null : (
          <p className="field-error" role="alert">
            {filterError}
          </p>
        )}
      </fieldset>
      <div className="fields">
        <Field label="Share in percent" error={errorAt("share")}>
          {(ids) => (
            <input
              {...ids}
              name="share"
              type="number"
              min={0}
              max={100}
              step="any"
              required
              defaultValue={judge?.share ?? 10}
            />
          )}
        </Field>
        <Field label="Budget in dollars" hint="Empty: no limit." error={errorAt("budget") ?? errorAt("budget.*")}>
          {(ids) => (
            <input
              {...ids}
              name="dollars"
              type="number"
              min={0}
              step="any"
              defaultValue={judge === undefined ? 1 : (judge.budget?.dollars ?? "")}
            />
          )}
        </Field>
        <Field label="Budget per">
          {(ids) => (
            <select {...ids} name="per" defaultValue={judge?.budget?.per ?? "day"}>
              <option value="day">day (UTC)</option>
              <option value="month">month (UTC)</option>
            </select>
          )}
        </Field>
      </div>
      <Field label="Reference property" hint="The property that {{reference}} stands for." error={errorAt("reference")}>
        {(ids) => <input {...ids} name="reference" defaultValue={judge?.reference ?? ""} />}
      </Field>
      <label className="check">
        <input type="checkbox" name="enabled" defaultChecked={judge?.enabled ?? false} /> Judge new requests
      </label>
    </>
  );
}

function KeyField({ judge, error }: { readonly judge: JudgeRow | undefined; readonly error: string | undefined }) {
  const { data } = useQuery(keysQuery);
  const usable = (data ?? []).filter(({ revoked_at, scopes }) => revoked_at === null && scopes.includes("gateway"));
  return (
    <Field label="Service key" hint="Its calls are made with it: its limits count." error={error}>
      {(ids) => (
        // Rendered again once the keys are loaded, so that the stored key is selected.
        <select key={usable.length} {...ids} name="key" required defaultValue={judge?.key ?? usable[0]?.id ?? ""}>
          {usable.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function bodyOf(values: FieldValues) {
  const { text } = values;
  return {
    ...{ name: text("name"), model: text("model"), key: text("key"), prompt: text("prompt") },
    share: values.number("share"),
    budget: text("dollars") === "" ? null : { dollars: values.number("dollars"), per: text("per") },
    reference: text("reference") === "" ? null : text("reference"),
    enabled: values.isOn("enabled"),
  };
}
