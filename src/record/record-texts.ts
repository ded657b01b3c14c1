/** What is kept of a record's text beside its bodies. */
export interface RecordTexts {
  /** The last user message or prompt. */
  readonly prompt: string | null;
  readonly completion: string | null;
  /** What is new in this turn, for the index of words. */
  readonly said: string | null;
}

export const NO_TEXTS: RecordTexts = { prompt: null, completion: null, said: null };
