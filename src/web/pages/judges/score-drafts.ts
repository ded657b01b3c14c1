import type { JudgeBody } from "../../../store/judges/judge-rule.ts";
import { readChoices, writeChoices } from "../reviews/choices.ts";

type JudgeScore = JudgeBody["scores"][number];

/** A score of a judge while it is edited. */
export interface DraftScore {
  /** Of the row in the form. */
  readonly id: number;
  readonly name: string;
  readonly kind: JudgeScore["kind"];
  readonly description: string;
  /** For a choice: `good=1, bad=0`. */
  readonly choices: string;
}

export const draftsOf = (scores: readonly JudgeScore[]): readonly DraftScore[] =>
  scores.map(({ name, kind, description = "", choices = [] }, id) => ({
    ...{ id, name, kind, description },
    choices: writeChoices(choices),
  }));

/** In the API's form; the API reports errors. */
export const scoresOf = (drafts: readonly DraftScore[]): readonly JudgeScore[] =>
  drafts.map(({ name, kind, description, choices }) => ({
    ...{ name: name.trim(), kind },
    ...(description.trim() === "" ? {} : { description: description.trim() }),
    ...(kind === "choice" ? { choices: [...readChoices(choices)] } : {}),
  }));
