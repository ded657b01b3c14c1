/** An issuer of state in a body. */
export interface IssuerNamed {
  readonly issuer: string;
  /** False if the member is part of the API: other providers with that API may have filled it. */
  readonly certain: boolean;
}

/** Members that contain state, each with its issuer. */
const MARKS: readonly (readonly [RegExp, (found: RegExpExecArray) => IssuerNamed | undefined])[] = [
  [/weir1\.([^."\\\s]{1,300})\./g, ([, name]) => named(name!)],
  [/"thought_?[sS]ignature"\s*:\s*"(?!weir1\.|"|skip_)/g, () => ({ issuer: "google", certain: true })],
  [/"signature"\s*:\s*"(?!weir1\.|")/g, () => ({ issuer: "anthropic", certain: false })],
  [/"encrypted_content"\s*:\s*"(?!weir1\.|")/g, () => ({ issuer: "openai", certain: false })],
];

/** Most requests hold no state. Searching for each word is faster than one regular expression for all. */
const WORDS = ["weir1.", 'ignature"', 'encrypted_content"'];

const NONE: readonly IssuerNamed[] = [];

/** Whether a body may hold state; its words may be in a message too. @param text - JSON. */
export const mayHoldState = (text: string): boolean => WORDS.some((word) => text.includes(word));

/** The issuers of the state in a body, each once, the latest first. @param text - JSON. */
export function issuersIn(text: string): readonly IssuerNamed[] {
  return mayHoldState(text) ? issuersOf(text) : NONE;
}

function issuersOf(text: string): readonly IssuerNamed[] {
  const last = new Map<string, { readonly named: IssuerNamed; readonly at: number }>();
  for (const [mark, read] of MARKS) {
    for (const found of text.matchAll(mark)) {
      const one = read(found);
      if (one !== undefined) last.set(one.issuer, { named: one, at: found.index });
    }
  }
  return [...last.values()].sort((a, b) => b.at - a.at).map((each) => each.named);
}

function named(text: string): IssuerNamed | undefined {
  try {
    return { issuer: decodeURIComponent(text), certain: true };
  } catch {
    return undefined; // not Weir's state after all
  }
}
