import { Icon } from "../parts/icon.tsx";
import { ConditionEditor, newCondition } from "./condition-editor.tsx";
import { EMPTY_FILTER, type FilterGroup, type FilterNode, nodeText } from "./model.ts";

interface GroupEditorProps {
  readonly group: FilterGroup;
  readonly onChange: (group: FilterGroup) => void;
  /** Without it the group is the complete filter. */
  readonly onRemove?: () => void;
  readonly depth?: number;
}

/** How deep groups can be nested here; deeper ones, from a link, are still shown and editable. */
const DEPTH_MAX = 4;

/** Conditions and groups of which all, or any, must hold. */
export function GroupEditor({ group, onChange, onRemove, depth = 0 }: GroupEditorProps) {
  const put = (at: number, node: FilterNode) =>
    onChange({ ...group, nodes: group.nodes.map((each, index) => (index === at ? node : each)) });
  const remove = (at: number) => onChange({ ...group, nodes: group.nodes.filter((_, index) => index !== at) });
  const add = (node: FilterNode) => onChange({ ...group, nodes: [...group.nodes, node] });
  return (
    <fieldset className="group">
      <legend className="unseen">Conditions</legend>
      <div className="group-head">
        <select
          aria-label="How conditions are joined"
          value={group.operator}
          onChange={(event) => onChange({ ...group, operator: event.target.value as "and" | "or" })}
        >
          <option value="and">All of these hold</option>
          <option value="or">Any of these holds</option>
        </select>
        {onRemove === undefined ? null : <RemoveButton label="Remove group" onClick={onRemove} />}
      </div>
      {group.nodes.map((node, at) => (
        <div className="group-row" key={at}>
          {node.kind === "group" ? (
            <GroupEditor
              group={node}
              onChange={(next) => put(at, next)}
              onRemove={() => remove(at)}
              depth={depth + 1}
            />
          ) : node.kind === "condition" ? (
            <>
              <ConditionEditor condition={node} onChange={(next) => put(at, next)} />
              <RemoveButton label="Remove condition" onClick={() => remove(at)} />
            </>
          ) : (
            <>
              <code className="foreign">{nodeText(node)}</code>
              <RemoveButton label="Remove condition" onClick={() => remove(at)} />
            </>
          )}
        </div>
      ))}
      <div className="group-foot">
        <button type="button" className="small" aria-label="Add condition" onClick={() => add(newCondition())}>
          <Icon name="plus" size={12} /> Condition
        </button>
        {depth < DEPTH_MAX ? (
          <button
            type="button"
            className="small"
            aria-label="Add group"
            onClick={() =>
              add({ ...EMPTY_FILTER, operator: group.operator === "and" ? "or" : "and", nodes: [newCondition()] })
            }
          >
            <Icon name="plus" size={12} /> Group
          </button>
        ) : null}
      </div>
    </fieldset>
  );
}

function RemoveButton({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <button type="button" className="quiet small" aria-label={label} onClick={onClick}>
      <Icon name="close" size={14} />
    </button>
  );
}
