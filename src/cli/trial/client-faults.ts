import { messageOf } from "../../log.ts";
import { eventReader } from "../../mapping/events/event-reader.ts";
import { isObject } from "../../mapping/json.ts";
import { piecesOf } from "../../mapping/translate/pieces.ts";
import { eventText } from "../../mapping/translate/translate.ts";
import type { Answer, Call, Json, Part, Piece, Prompt, Reply, Shape } from "../../plugin-host/contract.ts";
import { shapeOfApi } from "../../unified/client-api.ts";

const ANSWER: Answer = {
  id: "answer-1",
  model: "m-1",
  choices: [{ parts: [{ type: "text", text: "Hello, client." }], finish: "end" }],
  usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
};
const MESSAGE = "the model is busy";

/** What a client may send that is not the shape's format. */
const STRANGE: readonly Json[] = [{}, { model: 1 }, { messages: null }, { error: "it broke" }];

/**
 * The faults of a shape that clients speak: requests, responses, streams and errors go there and back, written by one half of the
 * shape and read by the other.
 *
 * @param prompts - fitted to the shape.
 */
export function clientFaults(shape: Shape, prompts: readonly Prompt[], call: Call): readonly string[] {
  if (shape.endpoint === undefined) return [];
  const client = shapeOfApi(shape)!;
  const reply: Reply = { id: "id-1", model: call.model, created: 0, prompt: prompts[0]! };
  return [
    ...prompts.map((prompt) => () => requestFault(client, prompt, call)),
    ...STRANGE.map((body) => () => faultOfReading(client, body)),
    () => responseFault(client, reply),
    () => streamFault(client, reply),
    () => errorFault(client),
  ].flatMap((check) => faultOf(check) ?? []);
}

function faultOf(check: () => string | undefined): string | undefined {
  try {
    return check();
  } catch (error) {
    return messageOf(error);
  }
}

const fault = ({ name }: Shape, member: keyof Shape, what: string) => `the shape ${name}: ${member} ${what}`;

function requestFault(shape: Shape, prompt: Prompt, call: Call): string | undefined {
  const { body } = shape.writeRequest(prompt, call);
  if (!isObject(body)) return undefined; // reported as a fault of writeRequest
  const read = shape.readRequest!(JSON.parse(JSON.stringify(body)));
  const text = textOf(read.messages.flatMap(({ parts }) => parts));
  const lost = prompt.messages.flatMap(({ parts }) => parts).find((part) => !text.includes(textOf([part])));
  if (lost !== undefined) return fault(shape, "readRequest", `loses the text ${JSON.stringify(textOf([lost]))}`);
  return read.model === undefined || read.model === call.model
    ? undefined
    : fault(
        shape,
        "readRequest",
        `reads the model as ${JSON.stringify(read.model)}, not ${JSON.stringify(call.model)}`,
      );
}

function faultOfReading(shape: Shape, body: Json): string | undefined {
  const found = faultOf(() => void shape.readRequest!(body));
  return found && fault(shape, "readRequest", `fails for ${JSON.stringify(body)}: ${found}`);
}

function responseFault(shape: Shape, reply: Reply): string | undefined {
  const body = JSON.parse(JSON.stringify(shape.writeAnswer!(ANSWER, reply)));
  const text = textOf(shape.readAnswer(body).choices.flatMap(({ parts }) => parts));
  return unlike(shape, "writeAnswer", text);
}

function streamFault(shape: Shape, reply: Reply): string | undefined {
  const state = {};
  const pieces: readonly Piece[] = piecesOf(ANSWER);
  const sent = pieces.flatMap((piece) => shape.writeEvents!(state, piece, reply));
  const reader = eventReader("sse");
  const reading = {};
  const read = [...reader.push(Buffer.from(sent.map(eventText).join(""))), ...reader.end()].flatMap((event) =>
    shape.readEvent(reading, event),
  );
  return unlike(shape, "writeEvents", read.map((piece) => (piece.type === "text" ? piece.text : "")).join(""));
}

function errorFault(shape: Shape): string | undefined {
  const body = shape.writeError!({ status: 503, message: MESSAGE });
  const { message } = shape.readError(503, body);
  return message.includes(MESSAGE) ? undefined : fault(shape, "writeError", "loses the message of an error");
}

function unlike(shape: Shape, member: keyof Shape, text: string): string | undefined {
  const expected = textOf(ANSWER.choices[0]!.parts);
  if (text === expected) return undefined;
  return fault(shape, member, `writes ${JSON.stringify(expected)} so that it is read as ${JSON.stringify(text)}`);
}

const textOf = (parts: readonly Part[]) => parts.map((part) => (part.type === "text" ? part.text : "")).join("");
