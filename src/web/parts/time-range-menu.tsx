import { Field } from "./field.tsx";
import { formatTime } from "./format.ts";
import { Menu } from "./menu.tsx";
import { daysOf, isoMoment, localMoment, momentsOf, RANGE_LABELS, type Range, type TimeSearch } from "./time-range.ts";

interface TimeRangeMenuProps {
  readonly value: TimeSearch;
  readonly fallback?: Range;
  readonly onChange: (value: TimeSearch) => void;
}

/** Chooses a time range: a span that ends now, a calendar period, or two moments. */
export function TimeRangeMenu({ value, fallback = "all", onChange }: TimeRangeMenuProps) {
  const isFixed = value.from !== undefined || value.to !== undefined;
  const range = value.range ?? fallback;
  const days = daysOf(range);
  const label = isFixed
    ? `${value.from === undefined ? "…" : formatTime(value.from)} – ${value.to === undefined ? "now" : formatTime(value.to)}`
    : `${RANGE_LABELS[range]}${days === undefined ? "" : ` (${days})`}`;
  return (
    <Menu label={label}>
      {(close) => (
        <div className="menu-list">
          {(Object.entries(RANGE_LABELS) as [Range, string][]).map(([each, text]) => (
            <button
              type="button"
              key={each}
              className="menu-item"
              aria-pressed={!isFixed && each === range}
              onClick={() => {
                onChange({ range: each });
                close();
              }}
            >
              {text}
              {daysOf(each) === undefined ? null : <span className="muted"> {daysOf(each)}</span>}
            </button>
          ))}
          <Moments
            value={momentsOf(value, fallback)}
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

interface MomentsProps {
  readonly value: ReturnType<typeof momentsOf>;
  readonly onApply: (value: TimeSearch) => void;
}

/** Two fields that begin with the moments of the range, to keep or change them. */
function Moments({ value, onApply }: MomentsProps) {
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
