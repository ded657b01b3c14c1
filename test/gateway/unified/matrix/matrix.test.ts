import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer, ApiError, Json, Part } from "../../../../src/plugin-host/contract.ts";
import { reasoningLine } from "../../../mapping/shapes/oracle.ts";
import { at, KEY, type Received, standIn, startUnified } from "../house.ts";
import type { Api } from "./apis/api.ts";
import { responsesApi } from "./apis/responses.ts";
import { aiSdk } from "./clients/ai-sdk.ts";
import { anthropicSdk } from "./clients/anthropic.ts";
import { claudeCode, countedByClaudeCode } from "./clients/claude-code.ts";
import { type Client, statusOf } from "./clients/client.ts";
import { codex } from "./clients/codex.ts";
import { googleGenai } from "./clients/google.ts";
import { langchain } from "./clients/langchain.ts";
import { openaiChat, openaiResponses } from "./clients/openai.ts";
import { callStateOf, OUTBOUNDS, type Outbound, stateOf } from "./outbounds.ts";
import { expectedLines, nextAfter, SCENES, type Scene, type Seen } from "./scenes.ts";

const CLIENTS: readonly Client[] = [
  openaiChat,
  openaiResponses,
  anthropicSdk,
  ...aiSdk,
  ...langchain,
  claudeCode,
  codex,
  googleGenai,
];

const PATCH = '*** Begin Patch\n*** Add File: a.txt\n+"hi" ✓\n*** End Patch';
const CUSTOM: Scene = {
  name: "a custom tool",
  tools: true,
  stream: true,
  user: [{ text: "Write it." }],
  answers: () => [
    [{ type: "call", id: "call_c1", name: "apply_patch", arguments: PATCH, custom: true }],
    [{ type: "text", text: "Written." }],
  ],
};

const FAILURE: ApiError = { status: 400, message: "the planet is closed", type: "invalid_request_error" };

/** One provider in the role of a row, which plays the scene that is on. */
class Stage {
  readonly #outbound: Outbound;
  #answers: readonly Part[][] = [];
  #fails: Scene["fails"];
  turn = 0;
  refused: string[] = [];
  calls: { readonly api: Api; readonly body: Json; readonly received: Received }[] = [];
  counts = 0;

  constructor(outbound: Outbound) {
    this.#outbound = outbound;
  }

  play(scene: Scene): void {
    this.#answers = scene.answers(stateOf(this.#outbound), callStateOf(this.#outbound)) as readonly Part[][];
    this.#fails = scene.fails;
    this.turn = 0;
    this.counts = 0;
    this.refused = [];
    this.calls = [];
  }

  answer(turn: number): readonly Part[] {
    return this.#answers[turn]!;
  }

  readonly respond = (received: Received): Response => {
    const { path, json: body } = received;
    if (path === "/token") return Response.json({ access_token: "token-of-google", expires_in: 3_600 });
    if (/count_tokens|countTokens|count-tokens|input_tokens/.test(path)) {
      this.counts++;
      return Response.json({ input_tokens: 7, totalTokens: 7, inputTokens: 7 });
    }
    const api = this.#outbound.apis.find(([pattern]) => pattern.test(path))?.[1];
    const problem = api === undefined ? `nothing at ${path}` : (this.#unpaid(received) ?? api.refuses(body));
    if (api === undefined || problem !== undefined) {
      this.refused.push(problem!);
      const error = { status: 400, message: problem!, type: "invalid_request_error" };
      return Response.json(api?.error(error) ?? {}, { status: 400 });
    }
    this.calls.push({ api, body, received });
    if (this.#fails === "status") return Response.json(api.error(FAILURE), { status: 400 });
    const parts = this.answer(this.turn).map((part) => spokenBy(api, part));
    const answer: Answer = {
      id: "answer-1",
      model: this.#outbound.model,
      choices: [{ parts, finish: parts.some(({ type }) => type === "call") ? "calls" : "end" }],
      usage: { prompt_tokens: 11, completion_tokens: 7 },
    };
    const isStream = body.stream === true || /stream/i.test(path);
    if (!isStream) return Response.json(api.answer(answer));
    const events = [...api.events(answer)];
    return new Response(inChunks(this.#fails === "stream" ? this.#broken(api, events) : events), {
      headers: { "content-type": api.streamType },
    });
  };

  #unpaid({ headers }: Received): string | undefined {
    const [name, value] = this.#outbound.paid;
    return value.test(headers.get(name) ?? "") ? undefined : `not paid by ${name}`;
  }

  /** In the first turn it says what is wrong after some of the text, in the second it only stops. */
  #broken(api: Api, events: readonly Uint8Array[]): Uint8Array[] {
    const begun = events.slice(0, Math.ceil(events.length / 2));
    const error = api.streamError({ ...FAILURE, status: 503 });
    return this.turn === 0 && error !== undefined ? [...begun, error] : begun;
  }
}

/** A custom tool is a function with one text to all but Responses. */
function spokenBy(api: Api, part: Part): Part {
  if (part.type !== "call" || part.custom !== true || api === responsesApi) return part;
  const { custom: _, ...call } = part;
  return { ...call, arguments: JSON.stringify({ input: part.arguments }) };
}

function inChunks(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      for (const chunk of chunks) {
        controller.enqueue(chunk);
        await new Promise((resolve) => setImmediate(resolve));
      }
      controller.close();
    },
  });
}

const stages = new Map(OUTBOUNDS.map((outbound) => [outbound, new Stage(outbound)]));
const stack = new AsyncDisposableStack();
let gateway: Awaited<ReturnType<typeof startUnified>>;

const nameOf = (outbound: Outbound) => `row-${OUTBOUNDS.indexOf(outbound)}`;

beforeAll(async () => {
  const credentials = OUTBOUNDS.map((outbound) => {
    const { origin } = stack.use(standIn(stages.get(outbound)!.respond));
    return at(outbound.provider, origin, { ...outbound.credential?.(origin), name: nameOf(outbound) });
  });
  gateway = stack.use(await startUnified({ credentials }));
});

afterAll(async () => {
  await stack.disposeAsync();
});

const placeOf = (outbound: Outbound) => ({
  origin: gateway.origin,
  key: KEY,
  model: `${outbound.provider.toLowerCase()}:${nameOf(outbound)}/${outbound.model}`,
});

describe.each(OUTBOUNDS.map((outbound) => [outbound.what, outbound] as const))("%s", (_what, outbound) => {
  const stage = stages.get(outbound)!;

  describe.each(CLIENTS.map((client) => [client.name, client] as const))("%s", (_name, client) => {
    const isSame = outbound.same.includes(client.shape);
    const playable = [...SCENES, ...(client === codex ? [CUSTOM] : [])].filter(
      ({ name }) => client.lacks?.includes(name) !== true,
    );
    // Google's own shape is passed on or refused: one scene says which.
    const scenes = client.shape === "generate-content" && !isSame ? playable.slice(0, 1) : playable;

    test.each(scenes.map((scene) => [scene.name, scene] as const))("%s", async (_scene, scene) => {
      stage.play(scene);
      const conversation = client.open(placeOf(outbound), scene);
      const refusal = client.shape === "generate-content" && !isSame ? NOT_SPOKEN : outbound.refuses?.[scene.name];
      if (refusal !== undefined) {
        const error = await conversation.send({ user: scene.user }).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect([statusOf(error), stage.calls.length]).toEqual([400, 0]);
        expect(textOf(error)).toMatch(refusal);
        return;
      }
      if (scene.fails !== undefined) {
        // A stream that only stops passes unchanged on the same shape; the SDKs differ in whether they see it.
        for (const turn of isSame && scene.fails === "stream" ? [0] : [0, 1]) {
          stage.turn = turn;
          const error = await client
            .open(placeOf(outbound), scene)
            .send({ user: scene.user })
            .then(
              (seen) => ({ seen }),
              (thrown: unknown) => thrown,
            );
          expect(stage.refused).toEqual([]);
          expect(error).not.toHaveProperty("seen");
          if (scene.fails === "status") expect(statusOf(error)).toBe(400);
          if (scene.fails === "status") expect(textOf(error)).toContain(FAILURE.message);
        }
        return;
      }
      const first = await play(conversation, scene, undefined);
      await play(conversation, scene, first);
    });

    async function play(
      conversation: ReturnType<Client["open"]>,
      scene: Scene,
      before: Seen | undefined,
    ): Promise<Seen> {
      const turn = before === undefined ? 0 : 1;
      stage.turn = turn;
      const sent = await conversation
        .send(before === undefined ? { user: scene.user } : nextAfter(before))
        .catch((thrown: unknown) => thrown);
      expect(stage.refused).toEqual([]);
      if (sent instanceof Error) throw sent;
      const { api, body } = stage.calls.at(-1)!;
      expect(stage.calls).toHaveLength(turn + 1);
      const seen = sent as Seen;
      const parts = stage.answer(turn);
      expect(seen).toMatchObject({
        text: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
        calls: parts.flatMap((part) =>
          part.type === "call"
            ? [{ name: part.name, input: part.custom ? part.arguments : JSON.parse(part.arguments) }]
            : [],
        ),
        finish: parts.some(({ type }) => type === "call") ? "calls" : "end",
        input: 11,
        output: 7,
      });
      const lines = api.lines(body);
      const state = stateOf(outbound)("1");
      const said = stage.answer(0).map((part) => spokenBy(api, part));
      expectLines(lines, expectedLines(scene, said, before), !isSame);
      const keeps = client.keepsState === "always" || (client.keepsState === "whole" && scene.stream !== true);
      if (turn === 1 && scene.thinking && state !== undefined && keeps)
        expect(lines).toContain(`assistant ${reasoningLine("Let me see.", state.value)}`);
      return seen;
    }
  });

  test("Claude Code asks how long a prompt is", async () => {
    const scene = SCENES.find(({ tools }) => tools)!;
    stage.play(scene);
    expect(await countedByClaudeCode(placeOf(outbound), scene)).toBeGreaterThan(0);
    expect(stage.calls).toEqual([]);
  });
});

const NOT_SPOKEN = /the target does not support generate-content/;

/** Everything that an SDK's error says. */
const textOf = (error: unknown): string => {
  const { message, responseBody, error: inner } = error as Record<string, unknown>;
  return [message, responseBody, JSON.stringify(inner)].join(" ");
};

/** All of `wanted`, in this order; results in any, where a client's bytes pass unchanged. */
function expectLines(lines: readonly string[], wanted: readonly string[], inOrder: boolean): void {
  let from = 0;
  for (const line of wanted) {
    const found = lines.findIndex((each, at) => at >= from && says(each, line));
    if (found < 0) throw new Error(`not there, or not in order: ${line}\nin\n${lines.join("\n")}`);
    if (inOrder || !line.startsWith("user result")) from = found;
  }
}

/** Texts of one turn may stand together, and pictures without their type. */
function says(line: string, wanted: string): boolean {
  const [role, kind, ...rest] = wanted.split(" ");
  if (!line.startsWith(`${role} ${kind} `)) return false;
  if (kind === "text") return line.includes(rest.join(" ").slice(1, -1));
  return line === wanted || (kind === "media" && line === `${role} ${kind} ${rest.at(-1)}`);
}
