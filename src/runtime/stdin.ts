/** All of stdin as text. */
export async function readStdin(): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks).toString("utf8");
}

const [ENTER, LINE_FEED, INTERRUPT, END, BACKSPACE, DELETE] = ["\r", "\n", "\u0003", "\u0004", "\b", "\u007f"];

/** Prompts on stderr for a line from the terminal without echo. Ctrl-C ends the program. */
export function askSecret(prompt: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(prompt);
  stdin.setRawMode(true);
  stdin.resume();
  return new Promise((resolve) => {
    let line = "";
    const finish = () => {
      stdin.off("data", onData);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write("\n");
    };
    const onData = (chunk: Uint8Array) => {
      for (const character of Buffer.from(chunk).toString("utf8")) {
        if (character === INTERRUPT) {
          finish();
          process.kill(process.pid, "SIGINT");
          return;
        }
        if (character === ENTER || character === LINE_FEED || character === END) {
          finish();
          resolve(line);
          return;
        }
        line = character === BACKSPACE || character === DELETE ? line.slice(0, -1) : line + character;
      }
    };
    stdin.on("data", onData);
  });
}
