import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { type Acting, commandLine } from "../people/actor.ts";

/** The user who runs a command, by their name in the operating system. */
export function atCommandLine(): Acting {
  const uid = process.getuid?.();
  const listed = uid === undefined ? undefined : nameInPasswd(uid);
  return commandLine(listed ?? nameInEnvironment() ?? (uid === undefined ? "unknown" : `uid ${uid}`));
}

function nameInPasswd(uid: number): string | undefined {
  try {
    const users = readFileSync("/etc/passwd", "utf8").split("\n");
    return users.map((line) => line.split(":")).find((fields) => fields[2] === String(uid))?.[0];
  } catch {
    return undefined;
  }
}

/** Bun takes the name from `USER`, which the caller can set, and which cron and containers may lack. */
function nameInEnvironment(): string | undefined {
  try {
    const { username } = userInfo();
    return username === "unknown" ? undefined : username;
  } catch {
    return undefined; // a container's user need not have a name
  }
}
