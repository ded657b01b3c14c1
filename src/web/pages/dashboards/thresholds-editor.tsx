import { Icon } from "../../parts/icon.tsx";
import { unitOf } from "./metrics.ts";
import type { PanelMetric, Threshold } from "./shapes.ts";

const THRESHOLDS_MAX = 5;
const COLOURS: Readonly<Record<Threshold["colour"], string>> = { good: "green", warn: "amber", bad: "red" };
const UNITS = {
  count: "",
  dollars: "US dollars",
  percent: "percent",
  ms: "milliseconds",
  rate: "tokens per second",
  score: "",
};

interface ThresholdsEditorProps {
  readonly metric: PanelMetric;
  readonly value: readonly Threshold[];
  readonly onChange: (value: readonly Threshold[]) => void;
}

/** Thresholds above which values get a colour; charts draw a line there. */
export function ThresholdsEditor({ metric, value, onChange }: ThresholdsEditorProps) {
  const unit = unitOf(metric);
  const scale = unit === "percent" ? 100 : 1;
  const put = (at: number, change: Partial<Threshold>) =>
    onChange(value.map((each, index) => (index === at ? { ...each, ...change } : each)));
  return (
    <fieldset className="choices">
      <legend>Thresholds{UNITS[unit] === "" ? "" : `, ${UNITS[unit]}`}</legend>
      {value.map((threshold, at) => (
        <div key={at} className="inline-form">
          <select
            aria-label={`Threshold ${at + 1} is`}
            value={threshold.comparison}
            onChange={({ target }) => put(at, { comparison: target.value as Threshold["comparison"] })}
          >
            <option value="above">above</option>
            <option value="below">below</option>
          </select>
          <input
            aria-label={`Value of threshold ${at + 1}`}
            type="number"
            step="any"
            required
            defaultValue={Number((threshold.value * scale).toPrecision(12))}
            onChange={({ target }) => {
              if (Number.isFinite(target.valueAsNumber)) put(at, { value: target.valueAsNumber / scale });
            }}
          />
          <select
            aria-label={`Colour of threshold ${at + 1}`}
            value={threshold.colour}
            onChange={({ target }) => put(at, { colour: target.value as Threshold["colour"] })}
          >
            {Object.entries(COLOURS).map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
          <button
            type="button"
            className="quiet small"
            aria-label={`Remove threshold ${at + 1}`}
            onClick={() => onChange(value.filter((_, index) => index !== at))}
          >
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
      {value.length >= THRESHOLDS_MAX ? null : (
        <div>
          <button
            type="button"
            className="small"
            onClick={() => onChange([...value, { comparison: "above", value: 0, colour: "bad" }])}
          >
            <Icon name="plus" size={12} /> Threshold
          </button>
        </div>
      )}
    </fieldset>
  );
}
