import { uuidv7 } from "../../runtime/uuid.ts";
import { chatCompletion, embedding } from "./chat-completions.ts";
import { generateContent } from "./generate-content.ts";
import { anthropicMessages } from "./messages.ts";
import { riverPicture } from "./picture.ts";
import type { Call, Scene } from "./scene.ts";
import type { Tool, ToolCall } from "./talk.ts";

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

type Facts = Omit<Scene, keyof Call | "id" | "at">;

const LEVEL: Tool = {
  name: "river_level",
  description: "The level of a river at a gauge, in metres.",
  parameters: { river: "Name of the river", gauge: "Place of the gauge" },
};
const FORECAST: Tool = {
  name: "forecast",
  description: "Weather of a day.",
  parameters: { place: "Place", day: "Day" },
};
const BOOK: Tool = { name: "book_boat", description: "Books a boat.", parameters: { place: "Place", seats: "Seats" } };

const LEVEL_CALL: ToolCall = { id: "call_level", name: "river_level", input: { river: "Isar", gauge: "Lenggries" } };
const FORECAST_CALL: ToolCall = {
  id: "call_forecast",
  name: "forecast",
  input: { place: "Lenggries", day: "Saturday" },
};
const BOOK_CALL: ToolCall = { id: "call_book", name: "book_boat", input: { place: "Lenggries", seats: "4" } };

const GUIDE =
  "You plan trips on rivers. Look levels and weather up before you name them. Answer in short sentences; **bold** what matters.";
const ASK = "Four of us want to canoe on the Isar on Saturday. Is the water right, and what do we need?";

/** The detailed requests of the demonstration, newest last. @param now - milliseconds since 1970. */
export function scenes(now: number): readonly Scene[] {
  return [...agent(now - 26 * MINUTE_MS), ...single(now), ...cached(now - 6 * MINUTE_MS), ...failures(now)];
}

const scene = (at: number, call: Call, facts: Facts): Scene => ({ ...call, ...facts, id: uuidv7(Math.floor(at)), at });

/** An agent's session: it plans, calls tools, fails once, and writes the final text. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table: the scenes of the demo
function agent(start: number): readonly Scene[] {
  let at = start;
  const step = (path: string, call: Call, facts: Facts): Scene => {
    const labels = {
      "Session-Id": "trip-2207",
      "Session-Name": "River trip planner",
      "Session-Path": path,
      "User-Id": "ada@example.com",
      "Property-App": "trip-planner",
      "Property-Environment": "production",
      ...facts.labels,
    };
    const made = scene(at, call, { ...facts, labels });
    at += facts.latencyMs + 400;
    return made;
  };
  const tools = [LEVEL, FORECAST, BOOK];
  const messages = [{ user: ASK }] as const;
  const level = [{ calls: [LEVEL_CALL] }, { result: '{"metres": 1.32, "state": "normal"}', of: LEVEL_CALL }] as const;
  const weather = [
    { calls: [FORECAST_CALL] },
    { result: '{"sky": "dry until 15:00", "celsius": 19}', of: FORECAST_CALL },
  ] as const;
  const booked = [
    { calls: [BOOK_CALL] },
    { result: '{"booking": "B-5521", "boat": "canoe, 4 seats"}', of: BOOK_CALL },
  ] as const;
  const claude = { model: "claude-sonnet-4-5", system: GUIDE, tools } as const;
  const landing = {
    model: "gemini-2.5-flash",
    said: [{ user: "List three places to land a canoe between Lenggries and Bad Tölz, with their distance." }],
  } as const;
  return [
    step(
      "/plan",
      anthropicMessages({
        ...claude,
        said: messages,
        answer: {
          thinking:
            "They need the level at a gauge near a put-in, the weather on Saturday, and a boat for four. The level decides whether to go at all, so it comes first.",
          text: "I look up the level at Lenggries first, then the weather.",
          calls: [LEVEL_CALL],
        },
        stream: true,
        tokens: { input: 1_240, output: 186, cacheWrite: 1_100 },
      }),
      { latencyMs: 3_900, firstByteMs: 820 },
    ),
    step("/plan/knowledge", embedding("text-embedding-3-small", [ASK, "canoe safety on alpine rivers"], 34), {
      latencyMs: 140,
    }),
    step(
      "/plan/level",
      anthropicMessages({
        ...claude,
        said: [...messages, ...level],
        answer: { text: "1.32 m is a good level. Now the weather.", calls: [FORECAST_CALL] },
        tokens: { input: 1_410, output: 96, cacheRead: 1_100, cacheWrite: 180 },
      }),
      { latencyMs: 2_300 },
    ),
    step(
      "/plan/route",
      {
        ...generateContent({ ...landing, answer: {}, tokens: { input: 24, output: 0 } }),
        response: { json: { error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } } },
      },
      { latencyMs: 640, status: 503 },
    ),
    step(
      "/plan/route",
      generateContent({
        ...landing,
        answer: {
          thinking: "Going downstream from Lenggries: Arzbach, the bridge at Schlegldorf, then Bad Tölz itself.",
          text: "1. Schlegldorf, 2 km, gravel bank on the left\n2. Arzbach, 5 km, below the bridge\n3. Bad Tölz, 10 km, **before** the weir: leave the river on the right",
        },
        stream: true,
        tokens: { input: 24, output: 214, reasoning: 131 },
      }),
      { latencyMs: 1_900, firstByteMs: 410 },
    ),
    step(
      "/plan/book",
      chatCompletion({
        model: "gpt-4o-mini",
        system: GUIDE,
        said: [...messages, ...level, ...weather],
        tools,
        answer: { calls: [BOOK_CALL] },
        tokens: { input: 512, output: 28 },
      }),
      { latencyMs: 780 },
    ),
    step(
      "/answer",
      anthropicMessages({
        ...claude,
        said: [...messages, ...level, ...weather, ...booked],
        answer: {
          text: "Yes: go on **Saturday before 15:00**.\n\n- The Isar at Lenggries stands at **1.32 m**, which is normal.\n- It stays dry until 15:00, at 19 °C.\n- I booked a canoe for four (B-5521).\n\nTake life jackets, dry bags and shoes that hold. Leave the river on the right **before the weir in Bad Tölz**.",
        },
        stream: true,
        tokens: { input: 1_690, output: 142, cacheRead: 1_280, cacheWrite: 210 },
      }),
      { latencyMs: 4_600, firstByteMs: 690, scores: { helpful: 0.95, faithful: 1 }, rating: true },
    ),
  ];
}

/** Conversations outside of sessions. */
function single(now: number): readonly Scene[] {
  const by = (user: string, app: string) => ({
    "User-Id": user,
    "Property-App": app,
    "Property-Environment": "production",
  });
  return [
    scene(
      now - 19 * MINUTE_MS,
      chatCompletion({
        model: "gpt-4o",
        said: [{ user: "What do you see, and is it safe to swim there?", picture: riverPicture() }],
        answer: {
          text: "A river in front of green hills, and a weir across it with white water below. Do **not** swim there: below a weir the water turns back on itself and holds swimmers under.",
        },
        tokens: { input: 287, output: 44 },
      }),
      { latencyMs: 2_150, labels: by("grace@example.com", "field-guide"), scores: { helpful: 0.9 } },
    ),
    scene(
      now - 15 * MINUTE_MS,
      chatCompletion({
        model: "gpt-5-mini",
        said: [{ user: "A canoe drifts at 1.4 m/s beside a hiker at 4 km/h. After 3 km, how far apart are they?" }],
        answer: {
          text: "The canoe needs 2,143 s for 3 km. In that time the hiker walks 2.38 km: they are **about 620 m apart**.",
        },
        stream: true,
        settings: { reasoning_effort: "low" },
        tokens: { input: 41, output: 322, reasoning: 256 },
      }),
      { latencyMs: 5_400, firstByteMs: 3_100, labels: by("linus@example.com", "tutor") },
    ),
    scene(
      now - 12 * MINUTE_MS,
      chatCompletion(
        {
          model: "mistral-large-latest",
          said: [
            { user: "Wie heißt das Wehr auf Englisch?" },
            { assistant: "„Weir“, gesprochen wie „we're“." },
            { user: "日本語では？" },
          ],
          answer: { text: "「堰」（せき）です。🌊" },
          stream: true,
          tokens: { input: 52, output: 14 },
        },
        { provider: "MISTRAL", target: "https://api.mistral.ai" },
      ),
      { latencyMs: 900, firstByteMs: 310, labels: by("mai@example.com", "tutor") },
    ),
    scene(
      now - 9 * MINUTE_MS,
      generateContent({
        model: "gemini-2.5-pro",
        system: "Answer as JSON with the members `risk` and `why`.",
        said: [{ user: "Level 2.9 m and rising, 30 mm of rain in the forecast." }],
        answer: { text: '{"risk": "high", "why": "The level rises already and the rain is still to come."}' },
        settings: { responseMimeType: "application/json", temperature: 0 },
        tokens: { input: 38, output: 412, reasoning: 385 },
      }),
      { latencyMs: 6_800, labels: by("grace@example.com", "field-guide"), scores: { valid_json: 1 } },
    ),
  ];
}

/** A question sent twice. */
function cached(at: number): readonly Scene[] {
  const call = chatCompletion({
    model: "gpt-4o-mini",
    said: [{ user: "What does a weir do?" }],
    answer: { text: "It holds the water back to an even level, and lets the rest flow over its crest." },
    tokens: { input: 13, output: 20 },
  });
  const labels = { "Cache-Enabled": "true", "Property-App": "support-bot", "Property-Environment": "production" };
  const first = scene(at, call, { latencyMs: 940, labels: { ...labels, "User-Id": "ada@example.com" } });
  const second = scene(at + 50 * SECOND_MS, call, {
    latencyMs: 2,
    labels: { ...labels, "User-Id": "linus@example.com" },
    cacheOf: first,
  });
  return [first, second];
}

/** Failures: a provider's limit, an overloaded provider, and a refusal by Weir. */
function failures(now: number): readonly Scene[] {
  const labels = { "User-Id": "linus@example.com", "Property-App": "support-bot", "Property-Environment": "staging" };
  const talk = {
    said: [{ user: "Summarise the last ten tickets." }],
    answer: { text: "" },
    tokens: { input: 0, output: 0 },
  };
  const limit = chatCompletion({ ...talk, model: "gpt-4o" });
  const overloaded = anthropicMessages({ ...talk, model: "claude-haiku-4-5" });
  const own = chatCompletion({ ...talk, model: "llama3.3" }, { provider: "CUSTOM", target: "https://llm.example.com" });
  const error = (call: Call, json: object): Call => ({ ...call, response: { json } });
  return [
    scene(
      now - 8 * MINUTE_MS,
      error(limit, {
        error: {
          message: "Rate limit reached for gpt-4o on tokens per minute: limit 30000, used 29210, requested 1840.",
          type: "tokens",
          param: null,
          code: "rate_limit_exceeded",
        },
      }),
      { latencyMs: 210, status: 429, labels },
    ),
    scene(
      now - 5 * MINUTE_MS,
      error(overloaded, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
      { latencyMs: 1_300, status: 529, labels },
    ),
    scene(now - 3 * MINUTE_MS, own, {
      latencyMs: 1,
      status: 429,
      labels,
      refused: {
        code: "rate_limited",
        message:
          "llm.example.com is not an approved domain; it is limited to 1 request per second. Retry in 1 s. Approve it: weir domains approve llm.example.com, or ask for approval: POST /v1/domains/approval-requests",
      },
    }),
  ];
}
