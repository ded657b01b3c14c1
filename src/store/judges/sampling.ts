import { createHash } from "node:crypto";

/** The property of a judge's own calls, which are never judged. Its value is the judge's name. */
export const JUDGE_PROPERTY = "Weir-Judge";

/** As far as it decides which records a judge looks at. */
export interface Sampling {
  readonly id: string;
  /** Percent. */
  readonly share: number;
}

/** Deterministic per record: the selection does not depend on the time of the check. */
export function isSampled({ id, share }: Sampling, requestId: string): boolean {
  const number = createHash("sha256").update(`${id} ${requestId}`).digest().readUInt32BE();
  return number / 2 ** 32 < share / 100;
}
