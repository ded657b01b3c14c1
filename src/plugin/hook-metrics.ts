import type { Hooks } from "./hooks.ts";

type HookThread = "gateway" | "recorder";

/** What hooks and plugins of one thread have counted, as Prometheus text. */
export function hooksText(thread: HookThread, hooks: Hooks): string {
  return `${hookFailuresText(thread, hooks.failures())}${pluginCountersText(thread, hooks.counters())}`;
}

/**
 * Failed calls of hooks as Prometheus text.
 *
 * @param thread - `gateway` or `recorder`: each calls hooks of its own and counts them under a name of its own, because
 *   the texts of all threads are put one behind the other.
 * @param failures - `<plugin> <hook>` to the number of calls that threw or took too long.
 */
export function hookFailuresText(thread: HookThread, failures: ReadonlyMap<string, number>): string {
  const name = `weir_${thread}_hook_failures_total`;
  const lines = [
    `# HELP ${name} Calls of plugins' hooks that threw or took over 250 ms, since the start.`,
    `# TYPE ${name} counter`,
  ];
  for (const [key, count] of failures) {
    const space = key.lastIndexOf(" ");
    lines.push(`${name}{plugin="${label(key.slice(0, space))}",hook="${key.slice(space + 1)}"} ${count}`);
  }
  return `${lines.join("\n")}\n`;
}

/** Counters of plugins' own, under one name: what they are called is a label, because plugins come and go. */
function pluginCountersText(thread: HookThread, counters: ReadonlyMap<string, number>): string {
  const name = `weir_${thread}_plugin_total`;
  const lines = [`# HELP ${name} What plugins count of their own, since the start.`, `# TYPE ${name} counter`];
  for (const [key, count] of counters) {
    const space = key.lastIndexOf(" ");
    lines.push(`${name}{plugin="${label(key.slice(0, space))}",counter="${key.slice(space + 1)}"} ${count}`);
  }
  return `${lines.join("\n")}\n`;
}

function label(text: string): string {
  return text.replace(/[\\"\n]/g, (one) => (one === "\n" ? "\\n" : `\\${one}`));
}
