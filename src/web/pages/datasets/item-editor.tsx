import { useState } from "react";
import { Dialog } from "../../parts/dialog.tsx";
import { DialogForm, useSave } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { type Item, messageText } from "./shapes.ts";

interface ItemEditorProps {
  readonly path: string;
  readonly item: Item;
  /** Only the newest version can be changed. */
  readonly isNewest: boolean;
  readonly onClose: () => void;
}

/** Shows a complete example, and edits it. */
export function ItemEditor({ path, item, isNewest, onClose }: ItemEditorProps) {
  const work = useSave<Item>({ method: "PATCH", path: `${path}/${item.id}`, onSaved: onClose });
  const [broken, setBroken] = useState<string>();
  if (!isNewest)
    return (
      <Dialog title="Example of an earlier version" onClose={onClose} wide>
        <Messages item={item} />
      </Dialog>
    );
  const isText = item.output === null || typeof item.output.content === "string";
  return (
    <DialogForm
      title="Example"
      action="Save example"
      work={work}
      onClose={onClose}
      onSubmit={({ text }) => {
        const input = parsed(text("input"));
        const output = isText ? textOutput(item, text("output")) : parsed(text("output"));
        if (input === undefined || output === undefined) return setBroken(input === undefined ? "input" : "output");
        setBroken(undefined);
        const labels = text("labels")
          .split(",")
          .map((label) => label.trim());
        work.mutate({ input, output, labels: labels.filter(Boolean), note: text("note") });
      }}
      wide
    >
      {(errorAt) => (
        <>
          <Messages item={item} />
          <Field label="Right output" hint={OUTPUT_HINT} error={broken === "output" ? NOT_JSON : errorAt("output*")}>
            {(ids) => (
              <textarea
                {...ids}
                name="output"
                rows={6}
                defaultValue={isText ? (item.output?.content ?? "") : JSON.stringify(item.output, null, 2)}
              />
            )}
          </Field>
          <div className="fields">
            <Field label="Labels" hint="Separated by commas." error={errorAt("labels*")}>
              {(ids) => <input {...ids} name="labels" defaultValue={item.labels.join(", ")} />}
            </Field>
            <Field label="Note" error={errorAt("note")}>
              {(ids) => <input {...ids} name="note" maxLength={10_000} defaultValue={item.note} />}
            </Field>
          </div>
          <details>
            <summary>Messages and tools as JSON</summary>
            <Field label="Input" error={broken === "input" ? NOT_JSON : errorAt("input*")}>
              {(ids) => (
                <textarea
                  {...ids}
                  name="input"
                  rows={14}
                  className="code"
                  defaultValue={JSON.stringify(item.input, null, 2)}
                />
              )}
            </Field>
          </details>
        </>
      )}
    </DialogForm>
  );
}

const NOT_JSON = "This is not JSON.";
const OUTPUT_HINT = "What the model should have said. Leave empty if undecided.";

function Messages({ item }: { readonly item: Item }) {
  const messages: readonly { readonly role: string }[] = item.input.messages;
  return (
    <dl className="facts">
      {messages.map((message, index) => (
        // The order of messages does not change while the dialog is open.
        <div key={index}>
          <dt>{message.role}</dt>
          <dd className="said">{messageText(message)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Text replaces the message's text; tool calls stay. */
function textOutput({ output }: Item, content: string): unknown {
  if (content === "" && output?.tool_calls === undefined) return null;
  return { role: "assistant", ...output, content };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
