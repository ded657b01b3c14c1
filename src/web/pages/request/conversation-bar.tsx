import type { LlmSchema } from "../../../record/llm-schema.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Segments } from "../../parts/segments.tsx";
import { conversationJson, conversationMarkdown } from "./conversation-text.ts";
import { TEXT_FORMS, type TextForm } from "./text.tsx";

interface ConversationBarProps {
  readonly schema: LlmSchema;
  readonly form: TextForm;
  readonly onForm: (form: TextForm) => void;
  /** Id of the element at which the response begins; undefined without a response. */
  readonly response: string | undefined;
}

/** How a conversation is shown, with a link to its end. */
export function ConversationBar({ schema, form, onForm, response }: ConversationBarProps) {
  const go = () => {
    const target = response === undefined ? null : document.getElementById(response);
    target?.scrollIntoView({ block: "start" });
    target?.focus({ preventScroll: true });
  };
  return (
    <div className="conversation-bar">
      <Segments label="How texts are shown" options={TEXT_FORMS} value={form} onChange={onForm} />
      <CopyButton text={() => conversationMarkdown(schema)} label="Copy as Markdown" />
      <CopyButton text={() => conversationJson(schema)} label="Copy as JSON" />
      {response === undefined ? null : (
        <button type="button" className="small" onClick={go}>
          Go to response
        </button>
      )}
    </div>
  );
}
