/** Words that CONTRIBUTING.md rules out, with the word to use. */
export const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\bmend(s|ed|ing)?\b/i, "fix, repair, retry"],
  [/\banew\b/i, "again"],
  [/\bonce more\b/i, "again"],
  [/\bnobody\b/i, "name who, or use the passive without a person"],
  [/\bwhoever\b/i, "name who"],
  [/\ball the same\b/i, "still, anyway"],
  [/\bprocessors?\b/i, "CPU, core"],
  [/\bforemost\b/i, "top"],
  [/\bunless given\b/i, "default: …"],
  [/\b(?:is|are|be|being) tried again\b/i, "retried"],
  [/\bnot known here\b/i, "unknown"],
  [/\b(?:is|are|was|were|be|been) told of\b/i, "notify, report"],
];

/** Words for comments alone: texts in quotes have names of members such as `email`. */
export const BANNED_IN_COMMENTS: typeof BANNED = [
  ...BANNED,
  [/\blogins?\b/i, "log-in"],
  [/(?<!@param )\bemails?\b/i, "e-mail"],
];

/** Words for texts of programs alone. */
export const BANNED_IN_TEXTS: typeof BANNED = [
  ...BANNED,
  [/\bweir\.toml\b(?!"| in the working directory)/, "the configuration file: --config may name another"],
];

/** The comments of a source file, without code in them. */
export function comments(source: string): string {
  const found = source.match(/^\s*\/\*\*?[\s\S]*?\*\/|(?:^|[;,{}()\]]) *\/\/ .*$/gm) ?? [];
  return found.join("\n").replace(/`[^`\n]*`/g, "");
}

/** The pages, in prose: no code, which may hold names. */
export function prose(page: string): string {
  return page.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, "");
}

/** Texts with spaces in quotes, and texts between tags: what people read of a program. */
export function texts(source: string): string {
  const code = source.replace(/^\s*\/\*\*?[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  const quoted = code.match(/"(?:[^"\\\n]|\\.)* (?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)* (?:[^`\\]|\\.)*`/g) ?? [];
  const between = code.match(/^ +[A-Z][^<>{}=;]*(?:$|(?=[<{]))|>[^<>{}=;]+</gm) ?? [];
  return [...quoted, ...between].join("\n");
}

/** Words that names of tests must not have; in prose each also has a use that is right. */
export const BANNED_IN_NAMES: typeof BANNED = [
  ...BANNED,
  [/\banswer(s|ed|ing)?\b/i, "response; gets, returns, serves"],
  [/\basked\b/i, "requested, called, queried"],
  [/\btold\b/i, "notified, reported; gets"],
  [/\bcomes? back\b/i, "returns, is restored, is available again"],
  [/\bgoes on\b/i, "continues"],
  [/\bfigures?\b/i, "metric, number"],
  [/\bseal(s|ed)?\b/i, "encrypt, frame, finish, sign"],
  [/(^|[,:;] )who (?!(?:is|are|did)\b.*\?)/i, "name who: a client, a caller, a user"],
];

/** Names of tests and of groups of tests, as they are written. */
export function testNames(source: string): string {
  const found = source.matchAll(
    /^ *(?:(?:test|describe)(?:\.\w+(?:\([^()]*\))?)*|\]\)|\] as const\))\(\s*(?:"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/gm,
  );
  return [...found].map(([, plain, template]) => plain ?? (template ?? "").replace(/\$\{[^}]*\}/g, "")).join("\n");
}

export const isBanned = (line: string): boolean => BANNED.some(([word]) => word.test(line));
