import { useState } from "react";
import { completePart } from "../../filter/complete.ts";
import { GroupEditor } from "../../filter/group-editor.tsx";
import { fromTree, toTree } from "../../filter/model.ts";
import { DialogForm, useSave } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { SecondsField } from "../../parts/seconds-field.tsx";
import type { Window } from "../../parts/window.ts";
import { WindowFields } from "../../parts/window-fields.tsx";
import { METRICS, metricLabel, unitOf } from "./alert-text.ts";
import { ChannelsEditor } from "./channels-editor.tsx";
import { GroupByEditor } from "./group-by-editor.tsx";
import { Secrets } from "./secrets.tsx";
import type { AlertBody, AlertRow, Channel } from "./shapes.ts";

const COOLDOWNS = [0, 60, 300, 900, 3_600, 86_400];
const UNITS = { count: "", dollars: "US dollars", ms: "milliseconds", percent: "percent" } as const;

interface AlertEditorProps {
  /** An alert with an id is replaced; one without fills in the form of a new alert. */
  readonly alert: AlertRow | AlertBody | undefined;
  readonly onClose: () => void;
}

const WINDOWS = [60, 300, 900, 3_600, 21_600, 86_400, 604_800];

/** Creates an alert, or replaces one. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a form: its fields in display order
export function AlertEditor({ alert, onClose }: AlertEditorProps) {
  const [metric, setMetric] = useState(alert?.metric ?? "error_rate");
  const [filter, setFilter] = useState(() => fromTree(alert?.filter ?? "all"));
  const [groupBy, setGroupBy] = useState(alert?.group_by ?? []);
  const [window, setWindow] = useState<Window>(alert ?? { window_seconds: 300, calendar: null, time_zone: null });
  const stored = alert !== undefined && "id" in alert ? alert : undefined;
  const [channels, setChannels] = useState<readonly Channel[]>(alert?.channels ?? []);
  const work = useSave<AlertRow>({
    ...(stored === undefined
      ? { method: "POST", path: "/v1/alerts" }
      : { method: "PUT", path: `/v1/alerts/${stored.id}` }),
    onSaved: ({ channels: made }) => {
      if (!made.some(({ secret }) => secret !== undefined)) onClose();
    },
  });
  if (work.data !== undefined) return <Secrets channels={work.data.channels} onClose={onClose} />;
  const scale = unitOf(metric) === "percent" ? 100 : 1;
  return (
    <DialogForm
      title={stored === undefined ? "Create an alert" : `Alert “${stored.name}”`}
      action={stored === undefined ? "Create alert" : "Save alert"}
      work={work}
      onClose={onClose}
      onSubmit={({ text, number }) =>
        work.mutate({
          name: text("name"),
          metric,
          comparison: text("comparison"),
          threshold: number("threshold") / scale,
          window_seconds: window.window_seconds,
          calendar: window.calendar,
          time_zone: window.time_zone,
          filter: toTree(completePart(filter)),
          group_by: groupBy,
          minimum_requests: number("minimum_requests"),
          cooldown_seconds: number("cooldown_seconds"),
          channels,
          enabled: alert?.enabled ?? true,
        })
      }
      wide
    >
      {(errorAt) => (
        <>
          <Field label="Name" error={errorAt("name")}>
            {(ids) => <input {...ids} name="name" required maxLength={200} defaultValue={alert?.name} />}
          </Field>
          <div className="fields">
            <Field label="What is watched" error={errorAt("metric")}>
              {(ids) => (
                <select {...ids} value={metric} onChange={(event) => setMetric(event.target.value)}>
                  {Object.entries(METRICS).map(([name, [label]]) => (
                    <option key={name} value={name}>
                      {label}
                    </option>
                  ))}
                  {Object.hasOwn(METRICS, metric) ? null : <option value={metric}>{metricLabel(metric)}</option>}
                </select>
              )}
            </Field>
            <Field label="Is" error={errorAt("comparison")}>
              {(ids) => (
                <select {...ids} name="comparison" defaultValue={alert?.comparison ?? "above"}>
                  <option value="above">above</option>
                  <option value="below">below</option>
                </select>
              )}
            </Field>
            <Field
              label={`Threshold${UNITS[unitOf(metric)] === "" ? "" : `, ${UNITS[unitOf(metric)]}`}`}
              error={errorAt("threshold")}
            >
              {(ids) => (
                <input
                  key={scale}
                  {...ids}
                  name="threshold"
                  type="number"
                  step="any"
                  required
                  defaultValue={alert === undefined ? 5 : Number((alert.threshold * scale).toPrecision(12))}
                />
              )}
            </Field>
            <WindowFields window={window} all={WINDOWS} onChange={setWindow} errorAt={errorAt} />
          </div>
          <fieldset className="choices">
            <legend>Which requests</legend>
            <GroupEditor group={filter} onChange={setFilter} />
          </fieldset>
          <GroupByEditor value={groupBy} onChange={setGroupBy} />
          <div className="fields">
            <Field label="Minimum requests" hint="Within the time window." error={errorAt("minimum_requests")}>
              {(ids) => (
                <input
                  {...ids}
                  name="minimum_requests"
                  type="number"
                  min={0}
                  step={1}
                  defaultValue={alert?.minimum_requests ?? 1}
                />
              )}
            </Field>
            <SecondsField
              label="Resolve after"
              hint="How long the condition must have ended."
              name="cooldown_seconds"
              all={COOLDOWNS}
              value={alert?.cooldown_seconds ?? 300}
              error={errorAt("cooldown_seconds")}
            />
          </div>
          <ChannelsEditor channels={channels} onChange={setChannels} errorAt={errorAt} />
        </>
      )}
    </DialogForm>
  );
}
