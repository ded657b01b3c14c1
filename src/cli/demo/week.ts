import { uuidv7 } from "../../runtime/uuid.ts";
import { chatCompletion } from "./chat-completions.ts";
import { generateContent } from "./generate-content.ts";
import { anthropicMessages } from "./messages.ts";
import { opinion } from "./opinion.ts";
import type { Call, Scene } from "./scene.ts";
import type { Talk } from "./talk.ts";

const HOUR_MS = 3_600_000;
const DAYS = 7;

interface TrafficKind {
  readonly model: string;
  readonly write: (talk: Talk) => Call;
  /** Milliseconds until the first byte, and for each token of the response. */
  readonly firstMs: number;
  readonly tokenMs: number;
}

const KINDS: readonly TrafficKind[] = [
  { model: "gpt-4o-mini", write: chatCompletion, firstMs: 330, tokenMs: 9 },
  { model: "gpt-4o-mini", write: chatCompletion, firstMs: 350, tokenMs: 9 },
  { model: "gpt-4o", write: chatCompletion, firstMs: 480, tokenMs: 14 },
  { model: "claude-sonnet-4-5", write: anthropicMessages, firstMs: 700, tokenMs: 16 },
  { model: "claude-haiku-4-5", write: anthropicMessages, firstMs: 360, tokenMs: 7 },
  { model: "gemini-2.5-flash", write: generateContent, firstMs: 400, tokenMs: 5 },
];
const USERS = ["ada", "grace", "linus", "mai", "tim", "radia"].map((name) => `${name}@example.com`);
const APPS = ["support-bot", "support-bot", "tutor", "field-guide"];
const QUESTIONS: readonly (readonly [string, string])[] = [
  ["Where is my parcel?", "It left the depot this morning and arrives tomorrow before noon."],
  [
    "How do I reset my password?",
    "Open Settings, choose Security, then *Reset password*. The link is valid for an hour.",
  ],
  [
    "Can I change the delivery address?",
    "Yes, until the parcel is on the truck: open the order and choose *Change address*.",
  ],
  [
    "Explain Bernoulli's equation to a child.",
    "Where water runs faster, it pushes less to the side. That is why two boats drift together.",
  ],
  ["Translate 'low tide' into French.", "“Marée basse”."],
  ["Which birds live at slow rivers?", "Kingfishers, herons, coots, and in reeds the reed warbler."],
  ["My invoice is wrong.", "I am sorry. I have opened a ticket; billing answers within one working day."],
  ["Write a haiku about a weir.", "Still water, one line —\nthen everything lets go, white,\nand is still again."],
];

/** A week of small requests up to now: more by day than by night. Deterministic for the same `now`. */
export function week(now: number): readonly Scene[] {
  const random = numbers(2_207);
  const judged = numbers(1_903);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const made: Scene[] = [];
  for (let hour = DAYS * 24; hour > 0; hour--) {
    const start = now - hour * HOUR_MS;
    const ofDay = new Date(start).getUTCHours();
    const count = Math.round((1 + 5 * Math.max(0, Math.sin(((ofDay - 5) / 16) * Math.PI))) * (0.6 + random() * 0.8));
    const times = Array.from({ length: count }, () => start + random() * (HOUR_MS - 60_000)).sort((a, b) => a - b);
    for (const at of times) {
      const [user, text] = pick(QUESTIONS);
      const chosen = { now, kind: pick(KINDS), user, text, random, sender: pick(USERS), app: pick(APPS) };
      made.push(small(at, { ...chosen, judged }));
    }
  }
  return made;
}

interface Chosen {
  readonly now: number;
  readonly kind: TrafficKind;
  readonly user: string;
  readonly text: string;
  readonly sender: string;
  readonly app: string;
  readonly random: () => number;
  /** Random numbers for scores. */
  readonly judged: () => number;
}

function small(at: number, { now, kind, user, text, sender, app, random, judged }: Chosen): Scene {
  const { model, write, firstMs, tokenMs } = kind;
  const output = Math.ceil(text.length / 4) + Math.floor(random() * 40);
  const stream = random() < 0.5;
  const fails = random() < 0.03;
  const talk: Talk = {
    model,
    system: `You are the ${app} of Example Ltd.`,
    said: [{ user }],
    answer: { text },
    stream: stream && !fails,
    tokens: { input: 180 + Math.floor(random() * 900), output },
  };
  const call = write(talk);
  const firstByteMs = Math.round(firstMs * (0.7 + random() * 0.9));
  const labels = labelsOf({ app, sender, at, now });
  const latencyMs = Math.round(firstByteMs + output * tokenMs * (0.8 + random() * 0.6));
  return {
    ...call,
    ...(fails && {
      status: 500,
      response: { json: { error: { message: "The server had an error.", type: "server_error" } } },
    }),
    ...(!fails && opinion({ app, model, version: labels["Prompt-Version"], random: judged })),
    id: uuidv7(Math.floor(at)),
    at,
    latencyMs,
    ...(stream && !fails && { firstByteMs }),
    labels: {
      ...labels,
      "User-Id": sender,
      "Property-App": app,
      "Property-Environment": random() < 0.85 ? "production" : "staging",
    },
  };
}

interface Sent {
  readonly app: string;
  readonly sender: string;
  readonly at: number;
  readonly now: number;
}

/** One user's questions to support on one day form a session; the tutor's prompt got a new version three days ago. */
function labelsOf({ app, sender, at, now }: Sent): Readonly<Record<string, string>> {
  const name = sender.split("@")[0]!;
  if (app === "tutor") return { "Prompt-Id": "tutor", "Prompt-Version": at < now - 3 * 24 * HOUR_MS ? "1" : "2" };
  if (app !== "support-bot") return {};
  const day = new Date(at).toISOString().slice(0, 10);
  return { "Session-Id": `support-${name}-${day}`, "Session-Name": `Support for ${name}` };
}

/** Numbers from 0 to 1, always the same sequence (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
