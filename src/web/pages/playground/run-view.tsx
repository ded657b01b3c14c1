import { Icon } from "../../parts/icon.tsx";
import { Time } from "../../parts/values.tsx";
import { ResponseCard } from "./response-card.tsx";
import type { Run } from "./store.ts";

interface RunViewProps {
  readonly run: Run;
  readonly onStop: (attempt: number) => void;
  /** Puts its prompt back into the form. */
  readonly onReuse: () => void;
  readonly onRemove: () => void;
}

/** One prompt, with the responses side by side. */
export function RunView({ run, onStop, onReuse, onRemove }: RunViewProps) {
  const isRecorded = run.attempts.every(({ recorded }) => recorded);
  return (
    <article className="run">
      <header className="run-head">
        <h2>{isRecorded ? "The recorded request" : <Time of={run.at} />}</h2>
        {isRecorded ? null : (
          <button type="button" className="small" onClick={onReuse}>
            Use this prompt
          </button>
        )}
        <button type="button" className="quiet small" aria-label="Remove these responses" onClick={onRemove}>
          <Icon name="close" />
        </button>
      </header>
      <div className="answers">
        {run.attempts.map((attempt) => (
          <ResponseCard key={attempt.id} attempt={attempt} onStop={() => onStop(attempt.id)} />
        ))}
      </div>
    </article>
  );
}
