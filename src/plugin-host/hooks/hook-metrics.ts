import { metricText } from "../../runtime/metric-text.ts";
import type { Hooks } from "./hooks.ts";

/**
 * The counters of hooks and plugins of one thread, as Prometheus text.
 *
 * @param thread - each thread has its own hooks and its own metric names, because the texts of all threads are concatenated.
 */
export function hooksText(thread: "gateway" | "recorder", hooks: Hooks): string {
  const failures = {
    name: `weir_${thread}_hook_failures_total`,
    help: "Calls of plugins' hooks that threw or took over 250 ms, since the start.",
    label: "hook",
  };
  // A plugin's counter is a label, not a metric name, because plugins come and go.
  const counters = {
    name: `weir_${thread}_plugin_total`,
    help: "What plugins count of their own, since the start.",
    label: "counter",
  };
  return counterText(failures, hooks.failures()) + counterText(counters, hooks.counters());
}

interface Counter {
  readonly name: string;
  readonly help: string;
  /** For counters of a plugin. */
  readonly label: string;
}

/** @param counts - keys are `<plugin> <what>`. */
function counterText({ name, help, label }: Counter, counts: ReadonlyMap<string, number>): string {
  const samples = [...counts].map(([key, value]) => {
    const space = key.lastIndexOf(" ");
    return { labels: { plugin: key.slice(0, space), [label]: key.slice(space + 1) }, value };
  });
  return metricText({ name, help, type: "counter" }, samples);
}
