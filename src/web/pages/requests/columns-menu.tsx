import { useState } from "react";
import { ProposingInput } from "../../filter/proposing-input.tsx";
import { usePropertyNames } from "../../filter/value-input.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { type Choices, DEFAULT_CHOICES, moved, toggled } from "./column-choice.ts";
import { COLUMNS, columnOf, propertyColumn, type RequestRow, scoreColumn } from "./columns.tsx";

interface ColumnsMenuProps {
  readonly choices: Choices;
  readonly onChange: (choices: Choices) => void;
  /** Loaded rows, which supply names of scores as suggestions. */
  readonly rows: readonly RequestRow[];
}

/** Chooses columns and their order; adds one for a property or a score. */
export function ColumnsMenu({ choices, onChange, rows }: ColumnsMenuProps) {
  const shown = new Set(choices.map(({ id }) => id));
  const hidden = COLUMNS.filter(({ id }) => !shown.has(id));
  return (
    <Menu label="Columns" icon="columns">
      {() => (
        <div className="menu-list columns-menu">
          <AddColumn rows={rows} onAdd={(id) => !shown.has(id) && onChange(toggled(choices, id))} />
          <fieldset className="menu-checks">
            <legend>Shown</legend>
            {choices.map(({ id }, at) => (
              <div key={id} className="menu-row">
                <ColumnCheck id={id} isShown onToggle={() => onChange(toggled(choices, id))} />
                <MoveButton id={id} way="up" isOff={at === 0} onMove={() => onChange(moved(choices, id, at - 1))} />
                <MoveButton
                  id={id}
                  way="down"
                  isOff={at === choices.length - 1}
                  onMove={() => onChange(moved(choices, id, at + 1))}
                />
              </div>
            ))}
          </fieldset>
          {hidden.length === 0 ? null : (
            <fieldset className="menu-checks">
              <legend>More</legend>
              {hidden.map(({ id }) => (
                <ColumnCheck key={id} id={id} isShown={false} onToggle={() => onChange(toggled(choices, id))} />
              ))}
            </fieldset>
          )}
          <button type="button" className="small" onClick={() => onChange(DEFAULT_CHOICES)}>
            Reset
          </button>
        </div>
      )}
    </Menu>
  );
}

interface ColumnCheckProps {
  readonly id: string;
  readonly isShown: boolean;
  readonly onToggle: () => void;
}

function ColumnCheck({ id, isShown, onToggle }: ColumnCheckProps) {
  return (
    <label className="check">
      {/* The time holds the row's link, and cannot be hidden. */}
      <input type="checkbox" checked={isShown} disabled={id === "time"} onChange={onToggle} />
      {columnOf(id)?.header}
    </label>
  );
}

interface MoveButtonProps {
  readonly id: string;
  readonly way: "up" | "down";
  readonly isOff: boolean;
  readonly onMove: () => void;
}

function MoveButton({ id, way, isOff, onMove }: MoveButtonProps) {
  return (
    <button
      type="button"
      className="quiet small"
      aria-label={`Move ${columnOf(id)?.header} ${way}`}
      aria-disabled={isOff || undefined} // a disabled button would lose the focus at the end of the list
      onClick={() => isOff || onMove()}
    >
      <Icon name={way} size={12} />
    </button>
  );
}

const KINDS = { property: propertyColumn, score: scoreColumn } as const;

interface AddColumnProps {
  readonly rows: readonly RequestRow[];
  readonly onAdd: (id: string) => void;
}

/** Adds a property or a score by its name. */
function AddColumn({ rows, onAdd }: AddColumnProps) {
  const [kind, setKind] = useState<keyof typeof KINDS>("property");
  const [name, setName] = useState("");
  const properties = usePropertyNames(kind === "property");
  const scores = kind === "score" ? [...new Set(rows.flatMap((row) => Object.keys(row.scores)))] : [];
  return (
    <form
      className="menu-form menu-add"
      aria-label="Add a column"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "") onAdd(KINDS[kind](name.trim()));
        setName("");
      }}
    >
      <select
        aria-label="Column of a"
        value={kind}
        onChange={(event) => setKind(event.target.value as keyof typeof KINDS)}
      >
        <option value="property">Property</option>
        <option value="score">Score</option>
      </select>
      <ProposingInput
        label={`Name of the ${kind}`}
        placeholder="Name"
        value={name}
        proposals={kind === "property" ? properties : scores}
        onChange={setName}
      />
      <button type="submit" disabled={name.trim() === ""}>
        Add
      </button>
    </form>
  );
}
