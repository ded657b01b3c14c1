interface Choice {
  readonly label: string;
  readonly value: number;
}

/** `good=1, bad=0` as choices; the API reports a choice without a number. */
export const readChoices = (text: string): readonly Choice[] => text.split(",").map((part) => readChoice(part.trim()));

export const writeChoices = (choices: readonly Choice[]): string =>
  choices.map(({ label, value }) => `${label}=${value}`).join(", ");

function readChoice(text: string): Choice {
  const at = text.lastIndexOf("=");
  const value = text.slice(at + 1).trim();
  return at < 0 || value === ""
    ? { label: text, value: Number.NaN }
    : { label: text.slice(0, at).trim(), value: Number(value) };
}
