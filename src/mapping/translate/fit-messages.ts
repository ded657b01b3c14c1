import type { CallPart, Message, Part, Prompt, ResultPart } from "../../plugin-host/contract.ts";
import { PartFitter } from "./fit-parts.ts";
import type { Fitting } from "./fitting.ts";
import type { ToolNames } from "./tool-names.ts";

/** Turns in the form of the shape: parts fitted, results collected, system texts placed, neighbours joined. */
export function fitMessages(prompt: Prompt, fitting: Fitting, names: ToolNames): Prompt {
  const parts = new PartFitter(prompt, fitting, names);
  const limits = fitting.shape.limits ?? {};
  const inPlace = fitting.take("laterSystem") === "=" || fitting.call.facts.systemInPlace === true;
  const turns: Message[] = [];
  let leading = true;
  for (const message of prompt.messages) {
    leading &&= message.role === "system";
    const fitted = { ...named(message, fitting), parts: message.parts.flatMap((part) => parts.fit(part, message)) };
    // A user's turn may be empty; an empty model turn is dropped.
    if (fitted.parts.length === 0 && (fitted.role !== "user" || message.parts.length > 0)) continue;
    turns.push(leading || inPlace || message.role !== "system" ? fitted : asUser(fitted));
  }
  let messages = afterResults(gathered(turns), fitting);
  if (limits.noEmptyText === true) messages = withoutEmpty(messages);
  if (limits.turnsAlternate === true) messages = joined(messages);
  messages = withUserFirst(messages, fitting);
  if (lacksTurn(messages, fitting))
    fitting.losses.push({ kind: "refused", path: turnsPath(prompt), why: "the target needs a turn of the user" });
  return { ...prompt, messages };
}

/** Some shapes accept a system text alone, none accepts an empty prompt. An earlier refusal is more specific. */
function lacksTurn(messages: readonly Message[], { shape, losses }: Fitting): boolean {
  if (losses.some(({ kind }) => kind === "refused" || kind === "invalid")) return false;
  return shape.limits?.turnsAlternate === true
    ? messages.every(({ role }) => role === "system")
    : messages.length === 0;
}

/** Some APIs refuse a conversation that begins with the model, as one does whose beginning the client left out. */
function withUserFirst(messages: Message[], { shape, losses }: Fitting): Message[] {
  const rule = shape.limits?.userFirst;
  const at = rule === undefined ? -1 : messages.findIndex(({ role }) => role !== "system");
  const first = messages[at];
  if (first?.role !== "assistant" || (rule === "calls" && !first.parts.some(({ type }) => type === "call")))
    return messages;
  const path = first.at ?? "messages";
  losses.push({ kind: "approximated", path, why: "the target's conversations begin with a turn of the user" });
  return messages.toSpliced(at, 0, { role: "user", parts: [{ type: "text", text: BEGINNING }] });
}
const BEGINNING = "(The conversation begins here.)";

const isEmpty = (part: Part) => (part.type === "text" || part.type === "refusal") && part.text === "";

/** The member with the turns, if it is not `messages`. */
const TURNS = new Map([
  ["responses", "input"],
  ["chat-completions with input", "input"],
  ["completions", "prompt"],
]);
const turnsPath = ({ shape }: Prompt) => TURNS.get(shape) ?? "messages";

function named(message: Message, { take, losses }: Fitting): Message {
  if (message.name === undefined || take("participant") === "=") return message;
  losses.push({ kind: "dropped", path: `${message.at ?? "messages"}.name` });
  const { name: _, ...rest } = message;
  return rest;
}

/** A mid-conversation system text, as marked user text. */
const asUser = (message: Message): Message => ({
  ...message,
  role: "user",
  parts: message.parts.map((part) =>
    part.type === "text" && !isBlank(part) ? { ...part, text: `<system>${part.text}</system>` } : part,
  ),
});

/** All results of one turn's calls come first in the user's next turn, in the order of the calls. */
function gathered(turns: readonly Message[]): Message[] {
  const messages: Message[] = [];
  let at = 0;
  while (at < turns.length) {
    const turn = turns[at++]!;
    messages.push(turn);
    const calls = turn.role === "assistant" ? turn.parts.filter((part) => part.type === "call") : [];
    if (calls.length === 0) continue;
    const open = new Set(calls.map(({ id }) => id));
    const found = new Map<string, ResultPart>();
    const rest: Message[] = [];
    for (let next = turns[at]; next !== undefined && next.role !== "assistant"; next = turns[++at]) {
      const others: Part[] = [];
      for (const part of next.parts) {
        if (part.type === "result" && open.has(part.id) && !found.has(part.id)) found.set(part.id, part);
        else others.push(part);
      }
      if (others.length > 0 || next.parts.length === 0) rest.push({ ...next, parts: others });
    }
    if (found.size > 0) messages.push(resultTurn(calls, found));
    messages.push(...rest);
  }
  return messages;
}

function resultTurn(calls: readonly CallPart[], found: ReadonlyMap<string, ResultPart>): Message {
  const parts: Part[] = [];
  const seen = new Set<string>();
  for (const { id } of calls) {
    const result = seen.has(id) ? undefined : found.get(id);
    seen.add(id);
    if (result !== undefined) parts.push(result);
  }
  return { role: "user", parts };
}

/** If results must be text, their pictures and files go into a user turn right after all results. */
function afterResults(messages: readonly Message[], { take }: Fitting): Message[] {
  const images = take("resultImages") === "=";
  const files = take("resultFiles") === "=";
  if (images && files) return [...messages];
  const stays = (part: Part) => (part.type === "image" ? images : part.type === "text" || files);
  return messages.flatMap((message): Message[] => {
    if (!message.parts.some((part) => part.type === "result" && !part.parts.every(stays))) return [message];
    const moved: Part[] = [];
    const parts = message.parts.map((part): Part => {
      if (part.type !== "result" || part.parts.every(stays)) return part;
      moved.push(...part.parts.filter((inner) => !stays(inner)));
      const kept = part.parts.filter(stays);
      return { ...part, parts: kept.length > 0 ? kept : [{ type: "text", text: BELOW }] };
    });
    const results = parts.filter((part) => part.type === "result");
    const others = parts.filter((part) => part.type !== "result");
    return [
      { ...message, parts: results },
      { role: "user", parts: [...moved, ...others] },
    ];
  });
}
const BELOW = "(The result is in the next message.)";

/** Merges neighbours with the same role; drops empty ones. */
function joined(messages: readonly Message[]): Message[] {
  const turns: Message[] = [];
  let last: { role: Message["role"]; parts: Part[]; at?: string } | undefined;
  for (const { role, parts, at } of messages) {
    if (parts.every(isEmpty)) continue;
    if (last?.role === role) for (const part of parts) last.parts.push(part);
    else {
      last = at === undefined ? { role, parts: [...parts] } : { role, parts: [...parts], at };
      turns.push(last);
    }
  }
  return turns;
}

/**
 * Some APIs refuse empty text, also in the result of a call, and trailing white space in a text that the model is to
 * continue.
 */
function withoutEmpty(messages: readonly Message[]): Message[] {
  const kept: Message[] = [];
  for (const [index, message] of messages.entries()) {
    let parts = filled(message.parts);
    const last = parts.at(-1);
    if (index === messages.length - 1 && message.role === "assistant" && last?.type === "text")
      parts = [...parts.slice(0, -1), { ...last, text: last.text.trimEnd() }];
    if (parts.length > 0) kept.push(parts === message.parts ? message : { ...message, parts });
  }
  return kept;
}

/** Drops blank texts; returns the same list if there are none. A result stays, even without content. */
function filled(parts: readonly Part[]): readonly Part[] {
  if (!parts.some((part) => isBlank(part) || (part.type === "result" && part.parts.some(isBlank)))) return parts;
  return parts.flatMap((part): Part[] => {
    if (part.type === "result") return [{ ...part, parts: filled(part.parts) }];
    return isBlank(part) ? [] : [part];
  });
}

const isBlank = (part: Part) => (part.type === "text" || part.type === "refusal") && part.text.trim() === "";
