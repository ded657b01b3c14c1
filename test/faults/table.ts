import { FAULTS } from "./faults.ts";
import { OTHERS, other } from "./others.ts";
import { disk, FILES, outcome, template, type When } from "./recorded.ts";

/**
 * A program that prints what comes of every fault of every file, as tables. A program of its own, because it fills its
 * disk and changes its user; it is started with the signal XFSZ ignored.
 */
const WHEN: Readonly<Record<When, string>> = { stopped: "Stopped, then", live: "While it runs" };
const DISK = { full: "no space is left", "read-only": "its directories are read-only" } as const;

type Cells = Map<string, string>;
const cells: Cells = new Map();
const made = await template();
const files = [...Object.keys(FILES), ...Object.keys(OTHERS)];
for (const when of Object.keys(WHEN) as When[]) {
  for (const fault of Object.keys(FAULTS)) {
    const see = async (file: string) => {
      const seen = file in FILES ? await outcome(made, file, when, fault) : await other(file, when, fault);
      cells.set(`${when} ${file} ${fault}`, seen);
    };
    // Another user is the whole process's.
    if (fault === "read-only") for (const file of files) await see(file);
    else await Promise.all(files.map(see));
  }
  for (const fault of Object.keys(DISK) as (keyof typeof DISK)[]) {
    cells.set(`${when} ${fault}`, await disk(made, fault, when));
  }
}

const row = (parts: readonly string[]) => `| ${parts.join(" | ")} |`;
const tables = (Object.keys(WHEN) as When[]).map((when) => {
  const faults = Object.keys(FAULTS);
  const head = [row([WHEN[when], ...faults]), row(["---", ...faults.map(() => "---")])];
  return [
    ...head,
    ...files.map((file) => row([file, ...faults.map((fault) => cells.get(`${when} ${file} ${fault}`)!)])),
  ];
});
const disks = Object.entries(DISK).map(([fault, says]) =>
  row([says, cells.get(`stopped ${fault}`)!, cells.get(`live ${fault}`)!]),
);
tables.push([row(["The disk", "at the start", "while it runs"]), row(["---", "---", "---"]), ...disks]);
process.stdout.write(tables.map((lines) => lines.join("\n")).join("\n\n"));
made[Symbol.dispose]();
process.exit(0);
