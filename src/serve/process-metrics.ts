import * as fs from "node:fs";
import program from "../../package.json" with { type: "json" };
import type { Config } from "../config.ts";
import { metricText } from "../runtime/metric-text.ts";
import { openFilesMax } from "../runtime/open-files.ts";
import { platform } from "../runtime/platform.ts";
import { bodiesPath } from "../store/database/local.ts";
import { localPath } from "../store/store.ts";

interface Metric {
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
  /** Empty if this system does not report it. */
  readonly values: (
    config: Config,
  ) => readonly { readonly labels?: Readonly<Record<string, string>>; readonly value: number }[];
}

const CLOCK_TICKS = 1e6;

/** What the process uses, and its limits. */
const METRICS: readonly Metric[] = [
  {
    name: "weir_build_info",
    type: "gauge",
    help: "1, with the version and the runtime as labels.",
    values: ({ region }) => [{ labels: { version: program.version, runtime: platform.name, region }, value: 1 }],
  },
  {
    name: "weir_process_start_time_seconds",
    type: "gauge",
    help: "When the process started, in seconds since 1970.",
    values: () => [{ value: performance.timeOrigin / 1_000 }],
  },
  {
    name: "weir_process_cpu_seconds_total",
    type: "counter",
    help: "CPU time of all threads.",
    values: () => {
      const { user, system } = process.cpuUsage();
      return [{ value: (user + system) / CLOCK_TICKS }];
    },
  },
  {
    name: "weir_process_resident_bytes",
    type: "gauge",
    help: "Memory of the process.",
    values: () => [{ value: process.memoryUsage().rss }],
  },
  {
    name: "weir_process_open_files",
    type: "gauge",
    help: "Open files and connections, if the system reports them.",
    values: () => (fs.existsSync("/proc/self/fd") ? [{ value: fs.readdirSync("/proc/self/fd").length }] : []),
  },
  {
    name: "weir_process_open_files_max",
    type: "gauge",
    help: "How many files and connections may be open at once.",
    values: () => {
      const max = openFilesMax();
      return max === undefined ? [] : [{ value: max }];
    },
  },
  {
    name: "weir_database_bytes",
    type: "gauge",
    help: "Size of each database file with its log; none if the database is a server.",
    values: (config) => {
      const path = localPath(config);
      if (path === undefined) return [];
      const files = { records: path, bodies: bodiesPath(path) };
      return Object.entries(files).map(([file, each]) => ({
        labels: { file },
        value: sizeOf(each) + sizeOf(`${each}-wal`),
      }));
    },
  },
  {
    name: "weir_disk_free_bytes",
    type: "gauge",
    help: "Room for the data directory.",
    values: ({ data_dir }) => {
      const { bavail, bsize } = fs.statfsSync(data_dir);
      return [{ value: bavail * bsize }];
    },
  },
  {
    name: "weir_disk_bytes",
    type: "gauge",
    help: "Size of the file system that the data directory is on.",
    values: ({ data_dir }) => {
      const { blocks, bsize } = fs.statfsSync(data_dir);
      return [{ value: blocks * bsize }];
    },
  },
];

/** Metrics of the process and its disk as Prometheus text. Values that cannot be read now are left out. */
export function processText(config: Config): string {
  return METRICS.map(({ values, ...metric }) => {
    try {
      return metricText(metric, values(config));
    } catch {
      return metricText(metric, []); // a missing directory, for example: other metrics report it
    }
  }).join("");
}

function sizeOf(path: string): number {
  return fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
