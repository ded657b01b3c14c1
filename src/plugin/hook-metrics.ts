/**
 * Failed calls of hooks as Prometheus text.
 *
 * @param thread - `gateway` or `recorder`: each calls hooks of its own and counts them under a name of its own, because
 *   the texts of all threads are put one behind the other.
 * @param failures - `<plugin> <hook>` to the number of calls that threw or took too long.
 */
export function hookFailuresText(thread: "gateway" | "recorder", failures: ReadonlyMap<string, number>): string {
  const name = `weir_${thread}_hook_failures_total`;
  const lines = [
    `# HELP ${name} Calls of plugins' hooks that threw or took over 250 ms, since the start.`,
    `# TYPE ${name} counter`,
  ];
  for (const [key, count] of failures) {
    const space = key.lastIndexOf(" ");
    const plugin = key.slice(0, space).replace(/[\\"\n]/g, (one) => (one === "\n" ? "\\n" : `\\${one}`));
    lines.push(`${name}{plugin="${plugin}",hook="${key.slice(space + 1)}"} ${count}`);
  }
  return `${lines.join("\n")}\n`;
}
