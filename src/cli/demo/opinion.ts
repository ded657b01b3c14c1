import type { Scene } from "./scene.ts";

/** Reasons for a score, by its value. */
const HELPFUL: readonly (readonly [least: number, reason: string])[] = [
  [0.8, "It answers what was asked, and no more."],
  [0.55, "It answers, but leaves out what comes next."],
  [0, "It does not answer the question that was asked."],
];
const FAITHFUL = "Nothing in it is made up.";
const UNFAITHFUL = "It promises what the question does not say.";

interface Judged {
  readonly app: string;
  readonly model: string;
  /** Of its prompt, if it has one. */
  readonly version: string | undefined;
  readonly random: () => number;
}

/** Scores of one response: better for larger models and for the second version of a prompt. */
export function opinion({ app, model, version, random }: Judged): Pick<Scene, "scores" | "reasons"> {
  // A prompt in development is reviewed more often.
  if (random() >= (app === "tutor" ? 0.5 : 0.08)) return {};
  const base = /mini|haiku|flash/.test(model) ? 0.55 : 0.75;
  const better = version === "2" ? 0.15 : 0;
  const helpful = Math.round((base + better + (random() - 0.5) * 0.4) * 20) / 20;
  const isFaithful = random() < base + better;
  const [, reason] = HELPFUL.find(([least]) => helpful >= least)!;
  return {
    scores: { helpful: Math.min(1, helpful), faithful: isFaithful ? 1 : 0 },
    reasons: { helpful: reason, faithful: isFaithful ? FAITHFUL : UNFAITHFUL },
  };
}
