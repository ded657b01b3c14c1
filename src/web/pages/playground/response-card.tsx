import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Code } from "../../parts/code.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { useRemembered } from "../../parts/remembered.ts";
import { Stats } from "../../parts/stats.tsx";
import { Count, Duration, Money, Status } from "../../parts/values.tsx";
import { type RequestRecord, recordQuery } from "../request/record.ts";
import { ShownAs, TEXT_FORM, Text, type TextForm } from "../request/text.tsx";
import type { Attempt } from "./attempt.ts";
import { FailureNote } from "./failure-note.tsx";
import { SentRequest } from "./sent-request.tsx";

interface ResponseCardProps {
  readonly attempt: Attempt;
  readonly onStop: () => void;
}

/** One model's response as it arrives, and afterwards the metrics of its record. */
export function ResponseCard({ attempt, onStop }: ResponseCardProps) {
  const { model, state, answer, failure, requestId } = attempt;
  const isOver = state !== "sending" && state !== "answering";
  const { data: record } = useQuery({ ...recordQuery(requestId ?? ""), enabled: isOver && requestId !== undefined });
  const { text, reasoning, calls } = answer;
  const [form] = useRemembered<TextForm>(...TEXT_FORM);
  return (
    <section className="panel answer" aria-label={`Response of ${model}`} aria-busy={!isOver}>
      <header className="answer-head">
        <strong className="clipped" title={model}>
          {model}
        </strong>
        <State attempt={attempt} record={record} />
        {isOver ? null : (
          <button type="button" className="small" onClick={onStop}>
            Stop
          </button>
        )}
      </header>
      <Facts attempt={attempt} record={record} />
      <div className="answer-body">
        {reasoning === "" ? null : (
          <details className="reasoning">
            <summary>Reasoning</summary>
            <p className="text">{reasoning}</p>
          </details>
        )}
        {text === "" ? null : (
          // While it streams it would be parsed again for each piece.
          <ShownAs value={isOver ? form : "raw"}>
            <Text text={text} />
          </ShownAs>
        )}
        {calls.map((call, at) => (
          <Code key={at} label={`Calls ${call.name}`} text={prettyArguments(call.arguments)} />
        ))}
        {failure === undefined ? null : <FailureNote failure={failure} status={attempt.status} />}
        {isOver && text === "" && calls.length === 0 && failure === undefined ? (
          <p className="muted">
            {state === "stopped" ? "It was stopped before it began." : "The response has no text."}
          </p>
        ) : null}
      </div>
      <footer className="answer-foot">
        {text === "" ? null : <CopyButton text={text} />}
        {requestId === undefined ? null : (
          <Link to="/requests/$id" params={{ id: requestId }} className="button quiet">
            Record
          </Link>
        )}
      </footer>
      {record === undefined ? null : <SentRequest record={record} />}
    </section>
  );
}

const STATES: Readonly<Record<Attempt["state"], readonly [Tone, string]>> = {
  sending: ["accent", "sending"],
  answering: ["accent", "responding"],
  done: ["good", "done"],
  failed: ["bad", "failed"],
  stopped: ["warn", "stopped"],
};

function State({ attempt, record }: { readonly attempt: Attempt; readonly record: RequestRecord | undefined }) {
  const status = record?.response_status ?? attempt.status;
  if (attempt.state === "failed" && status !== undefined && status >= 400) return <Status of={status} />;
  const [tone, word] = STATES[attempt.state];
  return <Badge tone={tone}>{attempt.recorded ? "recorded" : word}</Badge>;
}

/** The provider, time and cost of a response. Once there is a record, its metrics replace the browser's. */
function Facts({ attempt, record }: { readonly attempt: Attempt; readonly record: RequestRecord | undefined }) {
  const { provider, answeredBy, firstMs, totalMs, answer } = attempt;
  const warnings = record?.gateway_warnings.join(", ") || attempt.warnings;
  const stats: readonly (readonly [string, ReactNode])[] = [
    ["First token", <Duration key="first" of={record?.time_to_first_token ?? firstMs} />],
    ["Total", <Duration key="total" of={record?.delay_ms ?? totalMs} />],
    ["Tokens", <Tokens key="tokens" record={record} />],
    ["Cost", <Money key="cost" of={record?.cost} />],
  ];
  // The first target in order is the default, and needs no explanation.
  const route =
    record === undefined ? attempt.route : record.route_reason === "order" ? record.route : record.route_reason;
  return (
    <>
      <Stats className="answer-figures" stats={stats} />
      <p className="answer-by muted">
        {provider ?? ""}
        {answeredBy === undefined ? "" : ` ${answeredBy}`}
        {record?.credential == null ? "" : ` · ${record.credential}`}
        {route === undefined || route === null ? "" : ` · ${route}`}
        {answer.end === undefined ? "" : ` · ended with ${answer.end}`}
      </p>
      {warnings === undefined ? null : <p className="answer-warning">{warnings}</p>}
    </>
  );
}

function Tokens({ record }: { readonly record: RequestRecord | undefined }) {
  const { prompt_tokens: input = null, completion_tokens: output = null } = record ?? {};
  if (input === null && output === null) return <Count of={null} />;
  return (
    <>
      <Count of={input} /> in, <Count of={output} /> out
    </>
  );
}

function prettyArguments(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text; // incomplete, or not JSON
  }
}
