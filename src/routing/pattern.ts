/** Whether `text` matches `pattern`, in which `*` stands for any text, including none. Case-sensitive. Linear in both. */
export function fits(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return pattern === text;
  const last = rest.pop()!;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/**
 * Whether one of `texts` is allowed by a list of patterns: at least one pattern must match, and no pattern with a leading
 * `!` may match. An empty list, or one of exclusions alone, allows everything else.
 */
export function allows(patterns: readonly string[], ...texts: readonly string[]): boolean {
  let positive = false;
  let allowed = false;
  for (const pattern of patterns) {
    const excludes = pattern.startsWith("!");
    if (!excludes) positive = true;
    const fitting = texts.some((text) => fits(excludes ? pattern.slice(1) : pattern, text));
    if (fitting && excludes) return false;
    allowed ||= fitting;
  }
  return allowed || !positive;
}

/**
 * Whether a list, null for no restriction, allows nothing that `own` forbids. Read from the patterns alone: each must match
 * one of `own`, and the exclusions of `own` must be repeated.
 */
export function isWithin(patterns: readonly string[] | null, own: readonly string[] | null): boolean {
  if (own === null) return true;
  if (patterns === null) return false;
  // Only for credentials: none.
  if (patterns.length === 0 || own.length === 0) return patterns.length === 0;
  const excludes = (pattern: string) => pattern.startsWith("!");
  const wanted = patterns.filter((pattern) => !excludes(pattern));
  const granted = own.filter((pattern) => !excludes(pattern));
  const fitting = wanted.every((pattern) => granted.some((each) => fits(each, pattern)));
  const repeated = own.filter(excludes).every((pattern) => patterns.includes(pattern));
  return repeated && (granted.length === 0 || (wanted.length > 0 && fitting));
}

/** The text for `*` if `text` matches a pattern with one `*`; undefined if it does not match, or there is no `*`. */
export function captured(pattern: string, text: string): string | undefined {
  const star = pattern.indexOf("*");
  if (star < 0 || !fits(pattern, text)) return undefined;
  return text.slice(star, text.length - (pattern.length - star - 1));
}
