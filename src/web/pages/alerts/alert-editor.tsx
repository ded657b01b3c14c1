import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ApiFailure, call } from "../../api.ts";
import { completePart } from "../../filter/complete.ts";
import { GroupEditor } from "../../filter/group-editor.tsx";
import { fromTree, toTree } from "../../filter/model.ts";
import { Trouble } from "../../parts/confirm-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { windowText } from "../limits/words.ts";
import { ChannelsEditor } from "./channels-editor.tsx";
import { GroupByEditor } from "./group-by-editor.tsx";
import { Secrets } from "./secrets.tsx";
import { ALERTS, type AlertRow, type Channel } from "./shapes.ts";
import { METRICS, unitOf } from "./words.ts";

const WINDOWS = [60, 300, 900, 3_600, 21_600, 86_400, 604_800];
const COOLDOWNS = [0, 60, 300, 900, 3_600, 86_400];
const UNITS = { count: "", dollars: "US dollars", ms: "milliseconds", percent: "percent" } as const;

interface AlertEditorProps {
  readonly alert: AlertRow | undefined;
  readonly onClose: () => void;
}

/** Makes an alert, or replaces one. */
export function AlertEditor({ alert, onClose }: AlertEditorProps) {
  const [metric, setMetric] = useState(alert?.metric ?? "error_rate");
  const [filter, setFilter] = useState(() => fromTree(alert?.filter ?? "all"));
  const [groupBy, setGroupBy] = useState(alert?.group_by ?? []);
  const [channels, setChannels] = useState<readonly Channel[]>(alert?.channels ?? []);
  const client = useQueryClient();
  const work = useMutation({
    mutationFn: async (body: unknown) =>
      alert === undefined
        ? (await call<AlertRow>("POST", "/v1/alerts", { body })).data
        : (await call<AlertRow>("PUT", `/v1/alerts/${alert.id}`, { body })).data,
    onSuccess: async ({ channels: made }) => {
      await client.invalidateQueries({ queryKey: ALERTS });
      if (!made.some((channel) => channel.type === "webhook" && channel.secret !== undefined)) onClose();
    },
  });
  if (work.data !== undefined) return <Secrets channels={work.data.channels} onClose={onClose} />;
  const scale = unitOf(metric) === "percent" ? 100 : 1;
  const failedAt = work.error instanceof ApiFailure ? work.error.path : undefined;
  const errorAt = (path: string) => (failedAt === path ? work.error?.message : undefined);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const number = (name: string) => Number(form.get(name));
    work.mutate({
      name: String(form.get("name")).trim(),
      metric,
      comparison: form.get("comparison"),
      threshold: number("threshold") / scale,
      window_seconds: number("window_seconds"),
      filter: toTree(completePart(filter)),
      group_by: groupBy,
      minimum_requests: number("minimum_requests"),
      cooldown_seconds: number("cooldown_seconds"),
      channels,
      enabled: alert?.enabled ?? true,
    });
  };
  return (
    <Dialog title={alert === undefined ? "Create an alert" : `Alert “${alert.name}”`} onClose={onClose} wide>
      <form className="form form-wide" onSubmit={submit}>
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
                {...ids}
                key={scale}
                name="threshold"
                type="number"
                step="any"
                required
                defaultValue={alert === undefined ? 5 : Number((alert.threshold * scale).toPrecision(12))}
              />
            )}
          </Field>
          <Seconds
            label="Within"
            name="window_seconds"
            all={WINDOWS}
            value={alert?.window_seconds ?? 300}
            error={errorAt("window_seconds")}
          />
        </div>
        <fieldset className="choices">
          <legend>Of which requests</legend>
          <GroupEditor group={filter} onChange={setFilter} />
        </fieldset>
        <GroupByEditor value={groupBy} onChange={setGroupBy} />
        <div className="fields">
          <Field label="With at least" hint="Requests within the time." error={errorAt("minimum_requests")}>
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
          <Seconds
            label="Resolved when over for"
            name="cooldown_seconds"
            all={COOLDOWNS}
            value={alert?.cooldown_seconds ?? 300}
            error={errorAt("cooldown_seconds")}
          />
        </div>
        <ChannelsEditor channels={channels} onChange={setChannels} errorAt={errorAt} />
        <Trouble error={work.error} />
        <div className="form-actions">
          <button type="submit" className="primary" disabled={work.isPending}>
            {alert === undefined ? "Create alert" : "Save alert"}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface SecondsProps {
  readonly label: string;
  readonly name: string;
  readonly all: readonly number[];
  readonly value: number;
  readonly error: string | undefined;
}

function Seconds({ label, name, all, value, error }: SecondsProps) {
  const options = all.includes(value) ? all : [...all, value];
  return (
    <Field label={label} error={error}>
      {(ids) => (
        <select {...ids} name={name} defaultValue={value}>
          {options.map((seconds) => (
            <option key={seconds} value={seconds}>
              {seconds === 0 ? "at once" : windowText(seconds)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
