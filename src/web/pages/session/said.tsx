import { withoutMarks } from "../../parts/plain-text.ts";
import { Empty } from "../../parts/states.tsx";
import { Duration, Money, Status } from "../../parts/values.tsx";
import { StepLink } from "./step-link.tsx";
import type { SessionStep } from "./steps.ts";

/** The contents of a session, request by request: the new input of each, and the beginning of the output. */
export function Said({ steps }: { readonly steps: readonly SessionStep[] }) {
  if (steps.every(({ input, output }) => input === null && output === null)) {
    return <Empty title="No text was recorded">Clients omitted the bodies, or they were deleted.</Empty>;
  }
  return (
    <ol className="said">
      {steps.map((step) => (
        <li key={step.request_id} className="conversation">
          <SaidHead step={step} />
          <Words who="input" tone="user" text={step.input} />
          <Words who="output" tone="assistant" text={step.output} />
        </li>
      ))}
    </ol>
  );
}

function SaidHead({ step }: { readonly step: SessionStep }) {
  return (
    <div className="said-head">
      <Status of={step.status} />
      <StepLink id={step.request_id}>{step.model ?? (step.span?.name || step.provider)}</StepLink>
      {step.session_path === null ? null : <code className="muted">{step.session_path}</code>}
      {step.cached ? <span className="badge badge-accent">cached</span> : null}
      <span className="said-figures">
        <Duration of={step.latency} /> <Money of={step.cost} />
      </span>
    </div>
  );
}

interface WordsProps {
  readonly who: string;
  readonly tone: "user" | "assistant";
  readonly text: string | null;
}

function Words({ who, tone, text }: WordsProps) {
  if (text === null) return null;
  return (
    <article className={`message message-${tone}`}>
      <header className="message-head">
        <h2>{who}</h2>
      </header>
      <div className="message-body">
        <p className="text">{withoutMarks(text)}</p>
      </div>
    </article>
  );
}
