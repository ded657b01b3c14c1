export type { ShownJudge as JudgeRow } from "../../../api/judges/judges.ts";
export type { TriedRequest } from "../../../api/judges/try.ts";

export const JUDGES = ["judges"] as const;
