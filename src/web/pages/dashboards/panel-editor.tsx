import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { completePart } from "../../filter/complete.ts";
import { GroupEditor } from "../../filter/group-editor.tsx";
import { fromTree, toTree } from "../../filter/model.ts";
import { propertyKey, propertyOf } from "../../metrics/filter.ts";
import { propertyNamesQuery } from "../../name-queries.ts";
import { DialogForm } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { RANGE_LABELS } from "../../parts/time-range.ts";
import { SPLITS } from "../overview/search.ts";
import { isScore, labelOf, METRICS, SCORE, scoreOf, unitOf } from "./metrics.ts";
import { KINDS, type Panel, type PanelKind, type PanelMetric, type PanelRange } from "./shapes.ts";
import { ThresholdsEditor } from "./thresholds-editor.tsx";

/** The dimensions for splits: those of the overview, and sessions. */
const DIMENSIONS = { ...SPLITS, session: "Session" };
/** What each kind can show, as in the API. */
const RULES: Readonly<
  Record<PanelKind, { readonly splits: number; readonly metrics: number; readonly groups: number }>
> = {
  line: { splits: 2, metrics: 4, groups: 7 },
  bar: { splits: 2, metrics: 4, groups: 7 },
  number: { splits: 0, metrics: 1, groups: 1 },
  table: { splits: 2, metrics: 8, groups: 50 },
  heatmap: { splits: 2, metrics: 1, groups: 50 },
};

interface PanelEditorProps {
  readonly panel: Panel;
  readonly isNew: boolean;
  readonly onClose: () => void;
  readonly onSave: (panel: Panel) => void;
}

/** Edits what a panel shows. It is stored with its dashboard. */
export function PanelEditor({ panel, isNew, onClose, onSave }: PanelEditorProps) {
  const [kind, setKind] = useState(panel.kind);
  const [metrics, setMetrics] = useState<readonly PanelMetric[]>(panel.metrics);
  const [split, setSplit] = useState<readonly string[]>(panel.split_by);
  const [filter, setFilter] = useState(() => fromTree(panel.filter ?? "all"));
  const [thresholds, setThresholds] = useState(panel.thresholds);
  const [missing, setMissing] = useState<Error | null>(null);
  const rule = RULES[kind];
  const needsSplit = kind === "table" || kind === "heatmap";
  const splits = rule.splits === 0 ? [] : split;
  const isSingle = rule.metrics === 1 || (splits.length > 0 && kind !== "table");
  const shown = allowed(metrics, kind, isSingle);
  return (
    <DialogForm
      title={isNew ? "Add a panel" : `Panel “${panel.title}”`}
      action={isNew ? "Add panel" : "Change panel"}
      work={{ error: missing, isPending: false }}
      onClose={onClose}
      onSubmit={({ text, number }) => {
        if (needsSplit && splits.length === 0) {
          setMissing(new Error("Choose what it is split by: a table and a heat map show groups."));
          return;
        }
        const tree = toTree(completePart(filter));
        const { kind: _, ...rest } = panel;
        onSave({
          ...rest,
          ...{ title: text("title"), kind, metrics: shown, split_by: splits, thresholds },
          groups: Math.min(number("groups") || panel.groups, rule.groups),
          filter: tree === "all" ? null : tree,
          range: (text("range") || null) as PanelRange | null,
        });
      }}
      wide
    >
      {() => (
        <>
          <div className="fields">
            <Field label="Title">
              {(ids) => (
                <input {...ids} name="title" required pattern=".*\S.*" maxLength={100} defaultValue={panel.title} />
              )}
            </Field>
            <Field label="Kind">
              {(ids) => (
                <select {...ids} value={kind} onChange={({ target }) => setKind(target.value as PanelKind)}>
                  {Object.entries(KINDS).map(([name, label]) => (
                    <option key={name} value={name}>
                      {label}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <Field label="Time range">
              {(ids) => (
                <select {...ids} name="range" defaultValue={panel.range ?? ""}>
                  <option value="">That of the dashboard</option>
                  {Object.entries(RANGE_LABELS).map(([name, label]) => (
                    <option key={name} value={name}>
                      {label}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          </div>
          <MetricsField {...{ kind, isSingle }} value={shown} onChange={setMetrics} />
          {rule.splits === 0 ? null : (
            <div className="fields">
              <SplitField label="Split by" value={split[0]} onChange={(next) => setSplit(chosen(next, split[1]))} />
              <SplitField label="And by" value={split[1]} onChange={(next) => setSplit(chosen(split[0], next))} />
              <Field label="Groups" hint={`Up to ${rule.groups}.`}>
                {(ids) => (
                  <input
                    key={rule.groups}
                    {...ids}
                    name="groups"
                    type="number"
                    min={1}
                    max={rule.groups}
                    defaultValue={Math.min(panel.groups, rule.groups)}
                  />
                )}
              </Field>
            </div>
          )}
          <fieldset className="choices">
            <legend>Which requests</legend>
            <GroupEditor group={filter} onChange={setFilter} />
          </fieldset>
          <ThresholdsEditor metric={shown[0]!} value={thresholds} onChange={setThresholds} />
        </>
      )}
    </DialogForm>
  );
}

const chosen = (...names: readonly (string | undefined)[]) => [
  ...new Set(names.filter((name): name is string => name !== undefined && name !== "")),
];

/** The metrics that a panel can show together: of one unit, unless it is a table. */
function allowed(metrics: readonly PanelMetric[], kind: PanelKind, isSingle: boolean): readonly PanelMetric[] {
  if (isSingle) return metrics.slice(0, 1);
  const same = kind === "table" ? metrics : metrics.filter((name) => unitOf(name) === unitOf(metrics[0]!));
  return same.slice(0, RULES[kind].metrics);
}

interface MetricsFieldProps {
  readonly kind: PanelKind;
  readonly isSingle: boolean;
  readonly value: readonly PanelMetric[];
  readonly onChange: (value: readonly PanelMetric[]) => void;
}

/** One metric, or several with one unit; a table takes any. */
function MetricsField({ kind, isSingle, value, onChange }: MetricsFieldProps) {
  const all = Object.keys(METRICS) as PanelMetric[];
  const [first] = value as [PanelMetric];
  const others = all.filter((name) => name !== first && (kind === "table" || unitOf(name) === unitOf(first)));
  const most = RULES[kind].metrics;
  return (
    <>
      <div className="fields">
        <Field label="Metric">
          {(ids) => (
            <select
              {...ids}
              value={isScore(first) ? SCORE : first}
              onChange={({ target }) => {
                const next = target.value as PanelMetric;
                onChange([next, ...value.slice(1).filter((name) => name !== next)]);
              }}
            >
              {all.map((name) => (
                <option key={name} value={name}>
                  {labelOf(name)}
                </option>
              ))}
              <option value={SCORE}>Mean of a score</option>
            </select>
          )}
        </Field>
        {isScore(first) ? (
          <Field label="Score">
            {(ids) => (
              <input
                {...ids}
                required
                maxLength={200}
                value={scoreOf(first)}
                onChange={({ target }) => onChange([`${SCORE}${target.value}`, ...value.slice(1)])}
              />
            )}
          </Field>
        ) : null}
      </div>
      {isSingle || others.length === 0 ? null : (
        <fieldset className="choices">
          <legend>And</legend>
          <div className="form-actions">
            {others.map((name) => (
              <label key={name} className="check">
                <input
                  type="checkbox"
                  checked={value.includes(name)}
                  disabled={!value.includes(name) && value.length >= most}
                  onChange={() =>
                    onChange(value.includes(name) ? value.filter((each) => each !== name) : [...value, name])
                  }
                />
                {labelOf(name)}
              </label>
            ))}
          </div>
        </fieldset>
      )}
    </>
  );
}

interface SplitFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}

function SplitField({ label, value = "", onChange }: SplitFieldProps) {
  const { data: known = [] } = useQuery(propertyNamesQuery);
  const own = propertyOf(value);
  const names = own === undefined || known.includes(own) ? known : [...known, own];
  return (
    <Field label={label}>
      {(ids) => (
        <select {...ids} value={value} onChange={({ target }) => onChange(target.value)}>
          <option value="">Nothing</option>
          {Object.entries(DIMENSIONS).map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
          {names.map((name) => (
            <option key={propertyKey(name)} value={propertyKey(name)}>
              Property {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
