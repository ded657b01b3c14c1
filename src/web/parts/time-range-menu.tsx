import { Field } from "./field.tsx";
import { formatTime } from "./format.ts";
import { Menu } from "./menu.tsx";
import { isoMoment, localMoment, SPAN_LABELS, type Span, type TimeSearch } from "./time-range.ts";

interface TimeRangeMenuProps {
  readonly value: TimeSearch;
  readonly fallback?: Span | "all";
  readonly onChange: (value: TimeSearch) => void;
}

/** Chooses a time range: a span that ends now, or two moments. */
export function TimeRangeMenu({ value, fallback = "all", onChange }: TimeRangeMenuProps) {
  const isFixed = value.from !== undefined || value.to !== undefined;
  const label = isFixed
    ? `${value.from === undefined ? "…" : formatTime(value.from)} – ${value.to === undefined ? "now" : formatTime(value.to)}`
    : SPAN_LABELS[value.range ?? fallback];
  return (
    <Menu label={label}>
      {(close) => (
        <div className="menu-list">
          {Object.entries(SPAN_LABELS).map(([range, text]) => (
            <button
              type="button"
              key={range}
              className="menu-item"
              aria-pressed={!isFixed && (value.range ?? fallback) === range}
              onClick={() => {
                onChange({ range: range as Span | "all" });
                close();
              }}
            >
              {text}
            </button>
          ))}
          <Moments
            value={value}
            onApply={(moments) => {
              onChange(moments);
              close();
            }}
          />
        </div>
      )}
    </Menu>
  );
}

function Moments({ value, onApply }: { readonly value: TimeSearch; readonly onApply: (value: TimeSearch) => void }) {
  return (
    <form
      className="menu-form"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const moment = (name: string) => {
          const iso = isoMoment(String(form.get(name) ?? ""));
          return iso === "" ? {} : { [name]: iso };
        };
        onApply({ ...moment("from"), ...moment("to") });
      }}
    >
      <Field label="From">
        {(ids) => <input {...ids} type="datetime-local" step="1" name="from" defaultValue={localMoment(value.from)} />}
      </Field>
      <Field label="To">
        {(ids) => <input {...ids} type="datetime-local" step="1" name="to" defaultValue={localMoment(value.to)} />}
      </Field>
      <button type="submit">Apply</button>
    </form>
  );
}
