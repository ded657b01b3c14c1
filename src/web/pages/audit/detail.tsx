import { Fragment } from "react";
import type { AuditEntry } from "../../../store/audit/entry.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Time } from "../../parts/values.tsx";

/** One complete entry, with the state before and after. */
export function Detail({ entry, onClose }: { readonly entry: AuditEntry; readonly onClose: () => void }) {
  const { seq, time, actor, address, action, object, change, organization, request_id, outcome, hash } = entry;
  const facts: readonly (readonly [string, string | null])[] = [
    ["Action", action],
    ["Outcome", outcome],
    ["Actor", `${actor.name} (${actor.kind} ${actor.id})`],
    ["Address", address],
    ["Object", [object.kind, object.name, object.id].filter((text) => text !== "").join(" ")],
    ["Organization", organization],
    ["Request id", request_id],
    ["Hash", hash],
  ];
  return (
    <Dialog title={`Entry ${seq}`} onClose={onClose} wide>
      <dl className="facts">
        <dt>Time</dt>
        <dd>
          <Time of={time} />
        </dd>
        {facts.map(([name, text]) =>
          text === null ? null : (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </Fragment>
          ),
        )}
      </dl>
      <Side title="Before" value={change.before} />
      <Side title="After" value={change.after} />
      <div className="form-actions">
        <button type="button" className="primary" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function Side({ title, value }: { readonly title: string; readonly value: unknown }) {
  if (value === null) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>
    </section>
  );
}
