import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { atCommandLine } from "../../src/cli/acting.ts";

test.each(["someone-else", undefined])("the actor of a command is the system's user, with USER = %p", (given) => {
  const before = process.env["USER"];
  try {
    if (given === undefined) delete process.env["USER"];
    else process.env["USER"] = given;
    expect(atCommandLine().actor.name).toBe(execFileSync("id", ["-un"], { encoding: "utf8" }).trim());
  } finally {
    if (before === undefined) delete process.env["USER"];
    else process.env["USER"] = before;
  }
});
