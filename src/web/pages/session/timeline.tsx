import { useState } from "react";
import { Icon } from "../../parts/icon.tsx";
import { Count, Duration, Money, Status, Time } from "../../parts/values.tsx";
import { StepLink } from "./step-link.tsx";
import { type SessionStep, stepLabel } from "./steps.ts";
import { type Totals, type TreeNode, visible } from "./tree.ts";

interface TimelineProps {
  readonly nodes: readonly TreeNode<SessionStep>[];
  /** Of the complete session. */
  readonly totals: Totals;
}

/** A session's paths and requests, each row with its time. */
export function Timeline({ nodes, totals }: TimelineProps) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string) => {
    const next = new Set(closed);
    if (!next.delete(key)) next.add(key);
    setClosed(next);
  };
  return (
    <div className="table-scroller">
      <table className="table session-tree" aria-label="Requests of the session">
        <thead>
          <tr>
            <th scope="col">What happened</th>
            <th scope="col">Status</th>
            <th scope="col" className="session-when">
              When, from start to end
            </th>
            <th scope="col" className="end">
              Latency
            </th>
            <th scope="col" className="end">
              Tokens
            </th>
            <th scope="col" className="end">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {visible(nodes, closed).map((node) => (
            <Row
              key={node.key}
              node={node}
              whole={totals}
              isClosed={closed.has(node.key)}
              onToggle={() => toggle(node.key)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly node: TreeNode<SessionStep>;
  readonly whole: Totals;
  readonly isClosed: boolean;
  readonly onToggle: () => void;
}

function Row({ node, whole, isClosed, onToggle }: RowProps) {
  const { name, depth, step, totals } = node;
  const indent = { paddingInlineStart: `${depth * 20}px` };
  return (
    <tr className={step === undefined ? "session-path" : undefined}>
      <td>
        <div className="session-name" style={indent}>
          {step === undefined || node.children.length === 0 ? null : (
            <Toggle isClosed={isClosed} onToggle={onToggle} label={`What is within ${stepLabel(step)}`} />
          )}
          {step === undefined ? (
            <button type="button" className="quiet small" aria-expanded={!isClosed} onClick={onToggle}>
              <Icon name={isClosed ? "right" : "down"} size={12} />
              <span title={node.key}>{name}</span>
              <span className="muted">
                <Count of={totals.requests} />
                <span className="unseen">{totals.requests === 1 ? " request" : " requests"}</span>
              </span>
            </button>
          ) : (
            <>
              <StepLink
                id={step.request_id}
                title={`${stepLabel(step)}\n${step.model ?? step.provider}, ${step.request_id}`}
              >
                {stepLabel(step)}
              </StepLink>
              {step.span === undefined ? null : <span className="badge">{step.span.kind}</span>}
              {stepLabel(step) === step.model ? null : <span className="session-model">{step.model}</span>}
            </>
          )}
          {step?.cached === true ? <span className="badge badge-accent">cached</span> : null}
        </div>
      </td>
      <td>
        {step === undefined ? (
          totals.errors > 0 ? (
            <span className="status status-bad">
              <Count of={totals.errors} /> failed
            </span>
          ) : null
        ) : (
          <Status of={step.status} />
        )}
      </td>
      <td className="session-when">
        <Bar totals={totals} whole={whole} isPath={step === undefined} isFailed={totals.errors > 0} />
      </td>
      <td className="end">
        <Duration of={step === undefined ? totals.to - totals.from : step.latency} />
      </td>
      <td className="end">
        <Count of={totals.tokens} short />
      </td>
      <td className="end">
        <Money of={totals.cost} />
      </td>
    </tr>
  );
}

interface ToggleProps extends Pick<RowProps, "isClosed" | "onToggle"> {
  readonly label: string;
}

function Toggle({ isClosed, onToggle, label }: ToggleProps) {
  return (
    <button type="button" className="quiet small" aria-label={label} aria-expanded={!isClosed} onClick={onToggle}>
      <Icon name={isClosed ? "right" : "down"} size={12} />
    </button>
  );
}

interface BarProps {
  readonly totals: Totals;
  readonly whole: Totals;
  readonly isPath: boolean;
  readonly isFailed: boolean;
}

function Bar({ totals, whole, isPath, isFailed }: BarProps) {
  const length = Math.max(1, whole.to - whole.from);
  const left = ((totals.from - whole.from) / length) * 100;
  const width = ((totals.to - totals.from) / length) * 100;
  const kind = isPath ? "span-path" : isFailed ? "span-bad" : "span-good";
  return (
    <span className="span-area">
      <span className="unseen">
        <Time of={new Date(totals.from).toISOString()} />
      </span>
      <span
        className={`span-bar ${kind}`}
        style={{ insetInlineStart: `${Math.min(left, 99.5)}%`, width: `${width}%` }}
      />
    </span>
  );
}
