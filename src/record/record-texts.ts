/** The texts of a record that are stored with its bodies. */
export interface RecordTexts {
  /** The last user message or prompt. */
  readonly prompt: string | null;
  readonly completion: string | null;
  /** The new text of this turn, for the word index. */
  readonly said: string | null;
}

export const NO_TEXTS: RecordTexts = { prompt: null, completion: null, said: null };
