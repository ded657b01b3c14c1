import { readFileSync } from "node:fs";

interface Command {
  /** Line of the document, from 1. */
  readonly line: number;
  /** As written, continued lines joined, without a comment at its end. */
  readonly text: string;
}

/** The commands of a Markdown document's `sh` blocks, in order. */
export function commandsIn(file: string): Command[] {
  const commands: Command[] = [];
  let inBlock = false;
  let open: { line: number; text: string } | undefined;
  for (const [index, written] of readFileSync(file, "utf8").split("\n").entries()) {
    if (written.startsWith("```")) {
      inBlock = !inBlock && /^```(sh|bash)$/.test(written);
      continue;
    }
    if (!inBlock || (open === undefined && written.trim() === "")) continue;
    const continues = written.endsWith("\\");
    const text = continues ? written.slice(0, -1) : written.replace(/\s{2,}#.*$/, "");
    open = open === undefined ? { line: index + 1, text } : { ...open, text: `${open.text} ${text.trim()}` };
    if (continues) continue;
    commands.push({ line: open.line, text: open.text.trim() });
    open = undefined;
  }
  return commands;
}
