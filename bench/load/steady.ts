import type http from "node:http";
import { request as ask } from "node:http";
import { pause } from "../measured.ts";

/** Milliseconds of one request, to the end of its response. */
export function timedRequest(url: string, options: http.RequestOptions, body: string): Promise<number> {
  const startedAt = performance.now();
  return new Promise((done, reject) => {
    const request = ask(url, options, (response) => {
      response.resume().on("end", () => done(performance.now() - startedAt));
    });
    request.on("error", reject).end(body);
  });
}

/** Requests at a steady rate, whether or not those before have their responses. @returns how long each took. */
export async function atSteadyRate(
  { seconds, rate }: { readonly seconds: number; readonly rate: number },
  send: () => Promise<number>,
): Promise<number[]> {
  const sent: Promise<number>[] = [];
  const startedAt = performance.now();
  for (let number = 0; number < seconds * rate; number++) {
    const wait = startedAt + (number * 1000) / rate - performance.now();
    if (wait > 0) await pause(wait);
    sent.push(send());
  }
  return Promise.all(sent);
}
