import { useState } from "react";
import { completePart } from "../../filter/complete.ts";
import { GroupEditor } from "../../filter/group-editor.tsx";
import { type FilterGroup, toTree } from "../../filter/model.ts";
import { Code } from "../../parts/code.tsx";
import { useSession } from "../../session.ts";
import { curlText, exportText } from "./commands.ts";
import type { RequestsQuestion } from "./query.ts";

interface BuilderProps {
  readonly filter: FilterGroup;
  readonly onChange: (filter: FilterGroup) => void;
  readonly question: RequestsQuestion;
}

/** The complete filter, with groups, and commands for the same query. A condition counts once it is complete. */
export function Builder({ filter, onChange, question }: BuilderProps) {
  const { api_url: apiUrl } = useSession();
  const [draft, setDraft] = useState(filter);
  const [from, setFrom] = useState(filter);
  // Changed elsewhere, by the bar or the browser's history: the draft follows.
  if (from !== filter) {
    setFrom(filter);
    if (JSON.stringify(toTree(filter)) !== JSON.stringify(toTree(completePart(draft)))) setDraft(filter);
  }
  const change = (next: FilterGroup) => {
    setDraft(next);
    const complete = completePart(next);
    if (JSON.stringify(toTree(complete)) !== JSON.stringify(toTree(completePart(draft)))) onChange(complete);
  };
  return (
    <section className="builder panel" aria-label="Filter builder">
      <GroupEditor group={draft} onChange={change} />
      <div className="builder-texts">
        <Code label="Filter as JSON" text={JSON.stringify(question.filter, undefined, 2)} />
        <Code label="curl" text={curlText(question, apiUrl)} />
        <Code label="weir export" text={exportText(question, apiUrl)} />
      </div>
    </section>
  );
}
