import { Field } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { type DraftMessage, ROLES } from "./draft.ts";

interface MessagesEditorProps {
  readonly messages: readonly DraftMessage[];
  readonly errorAt: (field: string) => string | undefined;
  readonly onChange: (messages: readonly DraftMessage[]) => void;
}

const ROWS_MAX = 14;
const rowsOf = (text: string, least: number) => Math.min(ROWS_MAX, Math.max(least, text.split("\n").length + 1));

/** The conversation so far: each message is its role and its text, or JSON if it has more members. */
export function MessagesEditor({ messages, errorAt, onChange }: MessagesEditorProps) {
  const set = (at: number, message: DraftMessage) =>
    onChange(messages.map((each, place) => (place === at ? message : each)));
  const nextRole = () => {
    const last = messages.at(-1);
    return last !== undefined && "role" in last && last.role === "user" ? "assistant" : "user";
  };
  return (
    <fieldset className="messages-editor">
      <legend className="unseen">Messages</legend>
      {messages.map((message, at) => (
        <div key={at} className="message-editor">
          <MessageField
            message={message}
            place={at + 1}
            error={errorAt(`messages.${at}`)}
            onChange={(next) => set(at, next)}
          />
          <button
            type="button"
            className="quiet message-remove"
            aria-label={`Remove message ${at + 1}`}
            onClick={() => onChange(messages.filter((_each, place) => place !== at))}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      {errorAt("messages") === undefined ? null : (
        <p className="field-error" role="alert">
          {errorAt("messages")}
        </p>
      )}
      <div className="form-actions">
        <button type="button" className="small" onClick={() => onChange([...messages, { role: nextRole(), text: "" }])}>
          <Icon name="plus" size={14} />
          Add message
        </button>
      </div>
    </fieldset>
  );
}

interface MessageFieldProps {
  readonly message: DraftMessage;
  readonly place: number;
  readonly error: string | undefined;
  readonly onChange: (message: DraftMessage) => void;
}

function MessageField({ message, place, error, onChange }: MessageFieldProps) {
  if ("json" in message) {
    return (
      <Field label={`Message ${place}, as JSON`} error={error}>
        {(ids) => (
          <textarea
            {...ids}
            rows={rowsOf(message.json, 3)}
            spellCheck={false}
            value={message.json}
            onChange={(event) => onChange({ json: event.target.value })}
          />
        )}
      </Field>
    );
  }
  return (
    <div className="field">
      <select
        aria-label={`Role of message ${place}`}
        className="message-role"
        value={message.role}
        onChange={(event) => onChange({ ...message, role: event.target.value })}
      >
        {ROLES.map((role) => (
          <option key={role}>{role}</option>
        ))}
      </select>
      <textarea
        aria-label={`Message ${place}`}
        className="prose"
        rows={rowsOf(message.text, message.role === "user" ? 4 : 2)}
        placeholder={message.role === "system" ? "Optional: how the model should behave" : ""}
        value={message.text}
        onChange={(event) => onChange({ ...message, text: event.target.value })}
      />
    </div>
  );
}
