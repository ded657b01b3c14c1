import { userInfo } from "node:os";
import { type Acting, commandLine } from "../people/actor.ts";

/** Whoever runs a command, by the name that the operating system has for them. */
export function atCommandLine(): Acting {
  try {
    return commandLine(userInfo().username);
  } catch {
    return commandLine("unknown"); // a container's user need not have a name
  }
}
