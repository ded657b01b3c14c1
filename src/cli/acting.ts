import { userInfo } from "node:os";
import { type Acting, commandLine } from "../people/actor.ts";

/** The user who runs a command, by their name in the operating system. */
export function atCommandLine(): Acting {
  try {
    return commandLine(userInfo().username);
  } catch {
    return commandLine("unknown"); // a container's user need not have a name
  }
}
