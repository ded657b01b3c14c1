import { type ReactNode, useState } from "react";
import type { LlmMessage, LlmResponseItem, LlmToolCall } from "../../../record/llm-schema.ts";
import { Code } from "../../parts/code.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { formatCount } from "../../parts/format.ts";
import { SafeLink } from "../../parts/safe-link.tsx";
import { Media } from "./media.tsx";

/** A message of a request or an answer, in either of the two shapes that llmSchema has for them. */
export type Part = Partial<LlmMessage & LlmResponseItem>;

interface MessageProps {
  readonly requestId: string;
  readonly part: Part;
  /** Who speaks where the message does not say. */
  readonly speaker: string;
  /** What belongs to it and is not in it. */
  readonly children?: ReactNode;
}

/** Texts up to this length are shown whole; of longer ones first their beginning, and then so much more at a time. */
const WHOLE_CHARS_MAX = 20_000;
const BEGINNING_CHARS = 2_000;
const MORE_CHARS = 100_000;

/** One message: who, what they said, and what came with it. All of it is text. */
export function Message({ requestId, part, speaker: fallback, children }: MessageProps) {
  const speaker = part.role ?? (part._type === "function" ? "tool" : fallback);
  const text = textOf(part);
  return (
    <article className={`message message-${tone(speaker)}`}>
      <header className="message-head">
        <h3>{speaker}</h3>
        {part.name === undefined ? null : <span className="badge">{part.name}</span>}
        {part.tool_call_id === undefined ? null : <code className="muted">{part.tool_call_id}</code>}
        <span className="message-copy">{text === "" ? null : <CopyButton text={text} />}</span>
      </header>
      <div className="message-body">
        <Reasoning text={part.reasoning} />
        <Content requestId={requestId} part={part} />
        {children}
        {(part.tool_calls ?? []).map((call, at) => (
          <ToolCall key={at} call={call} />
        ))}
        <Annotations part={part} />
        {isEmpty(part) && children === undefined ? (
          <p className="muted">There is nothing in it to show: see the bodies.</p>
        ) : null}
      </div>
    </article>
  );
}

function Content({ requestId, part }: Pick<MessageProps, "requestId" | "part">) {
  const source = part.image_url ?? part.file_data ?? part.audio_data;
  const parts = (part.contentArray ?? []).filter((each) => typeof each === "object" && each !== null) as Part[];
  const isAnswered = part._type === "function" || part.tool_call_id !== undefined;
  // Where a message has parts, its content is their text once more.
  const text = parts.length > 0 ? "" : (part.content ?? part.text ?? "");
  return (
    <>
      {text === "" ? null : isAnswered ? <Code label="Result" text={pretty(text)} /> : <Text text={text} />}
      {source === undefined ? null : (
        <Media
          requestId={requestId}
          source={source}
          kind={part.image_url !== undefined ? "image" : part.audio_data !== undefined ? "audio" : "file"}
          name={part.filename}
        />
      )}
      {source === undefined && part.file_id !== undefined ? <span className="badge">file {part.file_id}</span> : null}
      {parts.map((each, at) => (
        <div className="message-part" key={at}>
          <Reasoning text={each.reasoning} />
          <Content requestId={requestId} part={each} />
          {(each.tool_calls ?? []).map((call, index) => (
            <ToolCall key={index} call={call} />
          ))}
          <Annotations part={each} />
        </div>
      ))}
    </>
  );
}

export function Text({ text }: { readonly text: string }) {
  const [chars, setChars] = useState(text.length <= WHOLE_CHARS_MAX ? text.length : BEGINNING_CHARS);
  const left = text.length - chars;
  if (left <= 0) return <p className="text">{text}</p>;
  return (
    <>
      <p className="text">{text.slice(0, chars)}…</p>
      <button type="button" className="small long" onClick={() => setChars(chars + MORE_CHARS)}>
        {left <= MORE_CHARS
          ? `Show all ${formatCount(text.length)} characters`
          : `Show ${formatCount(MORE_CHARS)} more of ${formatCount(text.length)} characters`}
      </button>
    </>
  );
}

function Reasoning({ text }: { readonly text: string | undefined }) {
  if (text === undefined || text === "") return null;
  return (
    <details className="reasoning" open>
      <summary>Reasoning</summary>
      <Text text={text} />
    </details>
  );
}

function ToolCall({ call }: { readonly call: LlmToolCall }) {
  const raw = (call.arguments as { _raw?: unknown } | undefined)?._raw;
  const text = typeof raw === "string" ? raw : JSON.stringify(call.arguments ?? {}, undefined, 2);
  return (
    <div className="tool-call">
      <Code label={`Calls ${call.name ?? "a tool"}${call.id === undefined ? "" : ` · ${call.id}`}`} text={text} />
    </div>
  );
}

function Annotations({ part }: { readonly part: Part }) {
  const annotations = part.annotations ?? [];
  if (annotations.length === 0) return null;
  return (
    <ol className="citations" aria-label="Citations">
      {annotations.map((each, at) => (
        <li key={at}>
          {each.url === undefined ? (
            (each.title ?? each.content)
          ) : (
            <SafeLink href={each.url}>{each.title ?? each.url}</SafeLink>
          )}
          {each.content === undefined || each.url === undefined ? null : (
            <span className="muted"> “{each.content}”</span>
          )}
        </li>
      ))}
    </ol>
  );
}

function isEmpty(part: Part): boolean {
  const { reasoning, image_url, file_data, audio_data, file_id, contentArray, tool_calls, annotations } = part;
  const texts = [textOf(part), reasoning, image_url, file_data, audio_data, file_id];
  return !texts.some(Boolean) && ![contentArray, tool_calls, annotations].some((each) => each?.length);
}

function textOf(part: Part): string {
  return part.content ?? part.text ?? "";
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

function tone(role: string): "system" | "user" | "assistant" | "tool" {
  if (role === "system" || role === "developer") return "system";
  if (role === "user") return "user";
  return role === "tool" || role === "function" ? "tool" : "assistant";
}
