import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { EFFORT_TABLE, EFFORTS } from "../src/mapping/translate/effort.ts";
import { SHAPES } from "../src/mapping/wire/shapes.ts";
import type { PartName, SettingName, Shape } from "../src/plugin-host/contract.ts";

/** The parts of a prompt, in the terms of the APIs. */
const ROWS: readonly (readonly [string, SettingName | PartName])[] = [
  ["system text after the first turn", "laterSystem"],
  ["name of a turn's participant", "participant"],
  ["image, bytes", "imageBytes"],
  ["image by address", "imageUrl"],
  ["how closely to look at an image", "imageDetail"],
  ["PDF", "pdf"],
  ["file by address", "fileUrl"],
  ["text file", "textFile"],
  ["a provider's `file_id`", "fileId"],
  ["audio in", "audioIn"],
  ["`strict` of a tool", "strict"],
  ["tool of free text", "customTool"],
  ["namespace of tools", "namespace"],
  ["web search", "search"],
  ["`tool_choice`: none", "choiceNone"],
  ["`tool_choice`: any", "choiceAny"],
  ["`tool_choice`: one", "choiceOne"],
  ["`tool_choice`: web search", "choiceSearch"],
  ["allowed tools", "allowedTools"],
  ["one call at a time", "parallelCalls"],
  ["error of a tool", "resultError"],
  ["images in a tool's result", "resultImages"],
  ["max tokens", "maxTokens"],
  ["`temperature`", "temperature"],
  ["`top_p`", "topP"],
  ["`top_k`", "topK"],
  ["`stop`", "stop"],
  ["`seed`", "seed"],
  ["presence penalty", "presencePenalty"],
  ["frequency penalty", "frequencyPenalty"],
  ["`logit_bias`", "logitBias"],
  ["`n` above 1", "n"],
  ["`logprobs`", "logprobs"],
  ["`top_logprobs`", "topLogprobs"],
  ["response by JSON Schema", "format"],
  ["JSON object", "jsonObject"],
  ["description of a schema", "formatDescription"],
  ["reasoning effort", "thinking"],
  ["verbosity", "verbosity"],
  ["cache marks", "cacheMarks"],
  ["end user", "user"],
  ["`metadata`", "metadata"],
  ["`store`", "store"],
  ["`service_tier`", "serviceTier"],
  ["`prediction`", "prediction"],
  ["`truncation`", "truncation"],
  ["other `include`", "include"],
  ["`modalities`, `audio`", "audio"],
  ["image out", "imageOut"],
  ["`conversation`", "conversation"],
  ["`background`", "background"],
  ["stored `prompt`", "storedPrompt"],
];

/** Writes docs/translation.md from the tables of the shapes: `bun build/shapes-doc.ts`. A test compares them. */
export function translationPage(): string {
  const shapes = Object.values(SHAPES).filter(({ name }) => name !== "completions");
  const rows = ROWS.map(([label, member]) => [label, ...shapes.map((shape) => letter(shape, member))]);
  return `# What is translated into what

<!-- Written by build/shapes-doc.ts from the tables of the shapes. -->

A request to the [unified address](unified.md) whose target speaks another API is translated. This table shows what happens to
each part of the request, per API of the provider:

| | |
| --- | --- |
| = | the API has its own place for it |
| – | it is expressed in another way without a loss, or needs no expression |
| A | it is approximated; the header \`gateway-warning\` names it |
| D | it is left out; the header names it |
| F | its address is fetched first |
| R | the target cannot take the request: the next one is tried, else the response is a 400 \`untranslatable\` with the member's path |

With \`Gateway-Unsupported: refuse\`, A and D are R. A member that no other API has is D. If the facts about a model are stricter than its API,
such as that it refuses \`temperature\`, the facts count.

Some things depend on other members. Gemini does not accept web search together with functions: the search is left out, and the header names it. The same holds
for a model whose chat completions have no web search (\`web_search_options\` in \`rejects\`). Search alone is R there. A conversation that begins with the
model's turn gets a short turn of the user before it for Converse, and for Gemini if it begins with a call (A). Messages, Gemini and Converse get no empty text. A
Claude with a thinking budget accepts tool results only after its own thinking block: if the client did not send that back, or another
model made the calls, thinking is off for that turn, and the header says so. Thinking between tools alone (\`between_tools\`), which only Anthropic has, is off elsewhere (A).

The same applies inside messages, parts, tools and items: a member without a counterpart, such as citations of an earlier response, is D under
its own path. Members that are null or empty, or state the default of every API (\`n: 1\`, \`parallel_tool_calls: true\`,
\`service_tier: "auto"\`), are not a loss. Search results, summaries of compaction and references to
tools that a client sends as blocks of Anthropic reach other APIs as text (A).
Names of files do not reach Gemini. PDF go to chat completions as OpenAI's part \`file\`, to Mistral's as \`document_url\`; a provider that has no such part says so itself.
A call of a free-text tool, if a model makes one for a client of Messages, has its text as the only member, \`input\`. Messages refuses a stop text of white space alone, so it is left out (A). Some Claude models accept
\`temperature\` or \`top_p\`, not both: \`top_p\` is left out (D). At Responses fewer than 16 max tokens become 16, and at Converse a \`temperature\` above 1 becomes 1 (A). At Cohere \`top_p\` is 0.01 to 0.99,
and penalties are 0 to 1 (A).
A request without a turn for the model is R. So is one that every API refuses, because the provider's error would name its own members, not the client's: two tools with
one name, a \`tool_choice\` that names no tool of the request or requires a call without a tool, a result whose call is not before it, and a second result of one
call. Calls that share an id, because a provider counts from 0 in each response, get different ids, and their results follow in order. Calls without
a result are sent as they are. On the same shape all of this passes unchanged.

Sources of a streamed response may come after the text that they belong to, for example after a function call of Gemini. Chat completions and Responses get them with
ranges in their own text. A block of Messages takes none once it has ended: they go to the open text block, or are left out if there is none.

${table(["", ...shapes.map(({ name }) => `\`${name}\``)], rows)}

## Reasoning effort

Each API has its own setting for the reasoning effort. A level that a model lacks becomes the next lower one, else its lowest. Without an effort in the request nothing is sent.

${table(
  ["Effort", "Share of max tokens", "Gemini 2.5 budget", "Gemini 3 level", "Claude effort"],
  EFFORTS.map((effort) => {
    const { share, geminiBudget, geminiLevel, claude } = EFFORT_TABLE[effort];
    return [
      `\`${effort}\``,
      share === 0 ? "off" : `${Math.round(share * 100)} %`,
      `${geminiBudget}`,
      geminiLevel,
      claude === "none" ? "off" : claude,
    ];
  }),
)}

A share is at least 1,024 tokens, below the limit, and at most 128,000.
`;
}

const letter = ({ takes = {} }: Shape, member: SettingName | PartName) => (takes[member] ?? "=").replace("-", "–");

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

if (import.meta.main) writeFileSync(join(import.meta.dir, "../docs/translation.md"), translationPage());
