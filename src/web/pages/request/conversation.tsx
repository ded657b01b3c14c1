import type { LlmRequest, LlmSchema } from "../../../record/llm-schema.ts";
import { Code } from "../../parts/code.tsx";
import { useRemembered } from "../../parts/remembered.ts";
import { Empty } from "../../parts/states.tsx";
import { ConversationBar } from "./conversation-bar.tsx";
import { Earlier, Messages } from "./earlier.tsx";
import { bodyMedia } from "./media.tsx";
import { Message } from "./message.tsx";
import type { LlmPart } from "./part.ts";
import { Pending } from "./pending.tsx";
import type { RequestRecord } from "./record.ts";
import { ShownAs, TEXT_FORM, Text, type TextForm } from "./text.tsx";
import { turnsOf } from "./turns.ts";

/** Anchor of the response. */
const RESPONSE = "response";

/** The conversation, in one form for all providers. */
export function Conversation({ record }: { readonly record: RequestRecord }) {
  const [form, setForm] = useRemembered<TextForm>(...TEXT_FORM);
  const { llmSchema: schema } = record;
  if (schema === null) return <Unread record={record} />;
  const hasResponse = record.response_status !== null;
  return (
    <ShownAs value={form}>
      <div className="conversation">
        <ConversationBar schema={schema} form={form} onForm={setForm} response={hasResponse ? RESPONSE : undefined} />
        <RequestMessages record={record} request={schema.request} />
        {/* A jump target that is not in the Tab order. */}
        <div id={RESPONSE} className="conversation" tabIndex={-1}>
          <ResponseMessages record={record} schema={schema} />
        </div>
      </div>
    </ShownAs>
  );
}

function RequestMessages({ record, request }: { readonly record: RequestRecord; readonly request: LlmRequest }) {
  const { request_id: id } = record;
  const messages = (request.messages ?? []) as readonly LlmPart[];
  const { leading, earlier, fresh } = turnsOf(messages);
  const texts = messages.length > 0 ? [] : [...new Set([request.prompt, request.input])];
  return (
    <>
      <Settings request={request} />
      {request.instructions === undefined ? null : (
        <Message requestId={id} speaker="system" part={{ role: "system", content: request.instructions }} />
      )}
      <Messages requestId={id} parts={leading} />
      <Earlier requestId={id} parts={earlier} />
      <Messages requestId={id} parts={fresh} />
      {texts
        .filter((text) => text !== undefined && text !== "")
        .map((text) => (
          <Message key={text} requestId={id} speaker="user" part={{ content: text! }} />
        ))}
    </>
  );
}

function ResponseMessages({ record, schema }: { readonly record: RequestRecord; readonly schema: LlmSchema }) {
  const { response } = schema;
  const responses = [...(response.messages ?? []), ...(response.responses ?? [])] as readonly LlmPart[];
  const error = response.error?.gatewayMessage;
  return (
    <>
      {responses.map((part, at) => (
        <Message key={at} requestId={record.request_id} part={part} speaker="assistant">
          {part._type === "audio" && part.audio_data === undefined ? bodyMedia(record, "response") : undefined}
        </Message>
      ))}
      {error === undefined ? null : (
        <article className="message message-error">
          <header className="message-head">
            <h3>error</h3>
          </header>
          <div className="message-body">
            <ShownAs value="raw">
              <Text text={typeof error === "string" ? error : JSON.stringify(error, undefined, 2)} />
            </ShownAs>
          </div>
        </article>
      )}
      <Operations schema={schema} />
      <Otherwise record={record} responses={responses.length} hasError={error !== undefined} />
    </>
  );
}

/** Details of tool calls, vector searches and the like. */
function Operations({ schema }: { readonly schema: LlmSchema }) {
  const { request, response } = schema;
  const parts: readonly (readonly [string, unknown])[] = [
    ["Tool", request.toolDetails],
    ["Tool's response", response.toolDetailsResponse],
    ["Vector database", request.vectorDBDetails],
    ["Vector database's response", response.vectorDBDetailsResponse],
    ["Data", request.dataDetails],
    ["Data's response", response.dataDetailsResponse],
  ];
  return parts
    .filter(([, value]) => value !== undefined)
    .map(([label, value]) => <Code key={label} label={label} text={JSON.stringify(value, undefined, 2)} />);
}

/** Numbers and vectors that are not messages: shown as received. */
function Otherwise({
  record,
  responses,
  hasError,
}: {
  readonly record: RequestRecord;
  readonly responses: number;
  readonly hasError: boolean;
}) {
  if (responses > 0 || hasError) return null;
  if (record.response_status === null) return <p className="muted">The response is in progress.</p>;
  if (record.response_body === null) return <p className="muted">No response body was recorded.</p>;
  return <p className="muted">The response has no text: see its body.</p>;
}

function Unread({ record }: { readonly record: RequestRecord }) {
  if (record.response_status === null)
    return <Empty title="In flight">The conversation shows once the response has ended.</Empty>;
  if (record.request_body === null && record.response_body === null) {
    return <Empty title="No bodies were recorded">The client omitted them, or they were deleted.</Empty>;
  }
  return <Pending record={record} />;
}

const SETTINGS: readonly (readonly [keyof LlmRequest, string])[] = [
  ["llm_type", "kind"],
  ["model", "model"],
  ["max_tokens", "max tokens"],
  ["temperature", "temperature"],
  ["top_p", "top p"],
  ["seed", "seed"],
  ["stream", "stream"],
  ["presence_penalty", "presence penalty"],
  ["frequency_penalty", "frequency penalty"],
  ["reasoning_effort", "reasoning"],
  ["verbosity", "verbosity"],
  ["n", "n"],
  ["size", "size"],
  ["quality", "quality"],
];

function Settings({ request }: { readonly request: LlmRequest }) {
  const known = SETTINGS.flatMap(([name, label]) => {
    const value = request[name];
    return value === undefined || value === "" ? [] : [[label, String(value)] as const];
  });
  const tools = request.tools ?? [];
  return (
    <>
      {known.length === 0 ? null : (
        <dl className="settings">
          {known.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd title={value}>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {tools.length === 0 ? null : (
        <details className="tools">
          <summary>
            {tools.length} {tools.length === 1 ? "tool" : "tools"}: {tools.map((tool) => tool.name ?? "?").join(", ")}
          </summary>
          {tools.map((tool, at) => (
            <div key={at} className="tool">
              {tool.description === undefined ? null : <Text text={tool.description} />}
              <Code label={tool.name ?? "tool"} text={JSON.stringify(tool.parameters ?? {}, undefined, 2)} />
            </div>
          ))}
        </details>
      )}
    </>
  );
}
