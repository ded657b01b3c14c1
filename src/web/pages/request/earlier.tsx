import { useState } from "react";
import { formatCount } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Message } from "./message.tsx";
import type { LlmPart } from "./part.ts";

interface MessagesProps {
  readonly requestId: string;
  readonly parts: readonly LlmPart[];
}

export function Messages({ requestId, parts }: MessagesProps) {
  return parts.map((part, at) => <Message key={at} requestId={requestId} part={part} speaker="user" />);
}

/** Messages that earlier requests of the conversation already had: folded to one line at first. */
export function Earlier({ requestId, parts }: MessagesProps) {
  const [isOpen, setOpen] = useState(false);
  if (parts.length === 0) return null;
  return (
    <>
      <button type="button" className="earlier" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? "down" : "right"} size={12} />
        {formatCount(parts.length)} earlier messages
      </button>
      {isOpen ? <Messages requestId={requestId} parts={parts} /> : null}
    </>
  );
}
