/**
 * Asks a service's API the questions of its second argument (JSON, `[path, body]` each) one after another until its input
 * ends, then prints how many milliseconds each took, as JSON. A process of its own: what reads large responses must not be what
 * measures small ones.
 */
import { KEY } from "../../test/e2e/weir.ts";

const [api, questions] = [process.argv[2]!, JSON.parse(process.argv[3]!) as [string, object][]];
let ended = false;
process.stdin.resume().on("end", () => {
  ended = true;
});
const times: number[] = [];
while (!ended) {
  const [path, body] = questions[times.length % questions.length]!;
  const startedAt = performance.now();
  const response = await fetch(api + path, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${path} was answered ${response.status}`);
  times.push(performance.now() - startedAt);
}
console.log(JSON.stringify(times));
