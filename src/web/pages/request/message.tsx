import type { ReactNode } from "react";
import type { LlmToolCall } from "../../../record/llm-schema.ts";
import { Code } from "../../parts/code.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Folded } from "../../parts/folded.tsx";
import { SafeLink } from "../../parts/safe-link.tsx";
import { Media } from "./media.tsx";
import { type LlmPart, textOf, tone } from "./part.ts";
import { Text } from "./text.tsx";

interface MessageProps {
  readonly requestId: string;
  readonly part: LlmPart;
  /** The role if the message has none. */
  readonly speaker: string;
  /** Related content that is not part of the message. */
  readonly children?: ReactNode;
}

/** One message: its role, its text, and its attachments. All of it is plain text. */
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
        {isEmpty(part) && children === undefined ? <p className="muted">It has no text: see the body.</p> : null}
      </div>
    </article>
  );
}

function Content({ requestId, part }: Pick<MessageProps, "requestId" | "part">) {
  const source = part.image_url ?? part.file_data ?? part.audio_data;
  const parts = (part.contentArray ?? []).filter((each) => typeof each === "object" && each !== null) as LlmPart[];
  const isSystem = tone(part.role ?? "user") === "system";
  const isResult = part._type === "function" || part.tool_call_id !== undefined;
  // If a message has parts, its content repeats their text.
  const text = parts.length > 0 ? "" : (part.content ?? part.text ?? "");
  return (
    <>
      {text === "" ? null : isResult ? (
        <Folded text={pretty(text)}>{(shown) => <Code label="Result" text={shown} whole={pretty(text)} />}</Folded>
      ) : isSystem ? (
        <Folded text={text}>{(shown) => <Text key={shown.length} text={shown} />}</Folded>
      ) : (
        <Text text={text} />
      )}
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

function Annotations({ part }: { readonly part: LlmPart }) {
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

function isEmpty(part: LlmPart): boolean {
  const { reasoning, image_url, file_data, audio_data, file_id, contentArray, tool_calls, annotations } = part;
  const texts = [textOf(part), reasoning, image_url, file_data, audio_data, file_id];
  return !texts.some(Boolean) && ![contentArray, tool_calls, annotations].some((each) => each?.length);
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
