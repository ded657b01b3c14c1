import { expect, test } from "bun:test";
import fc from "fast-check";
import { Flight, FlightBudget, type Reader } from "../../../src/gateway/cache/flight.ts";
import { type UpstreamCall, UpstreamError, type UpstreamEvents } from "../../../src/runtime/http/upstream.ts";
import { assertProperty } from "../../chance.ts";

/** A reader that records the calls it gets. */
class Listener implements UpstreamEvents {
  readonly heard: string[] = [];
  paused = false;
  gone = false;
  /** Called while paused or after it left. */
  wrong = false;

  onHead(status: number): void {
    this.#hear(`head ${status}`);
  }
  onData(bytes: Uint8Array): void {
    this.#hear(String(bytes[0]));
  }
  onEnd(): void {
    this.#hear("end");
  }
  onError(): void {
    if (this.gone) this.wrong = true;
    this.heard.push("error");
  }
  #hear(what: string): void {
    if (this.paused || this.gone) this.wrong = true;
    this.heard.push(what);
  }
}

/** The provider's side; it keeps to the contract: nothing comes while it is held back. */
class Call implements UpstreamCall {
  held = false;
  aborted = false;
  write(): boolean {
    return true;
  }
  end(): void {}
  pause(): void {
    this.held = true;
  }
  resume(): void {
    this.held = false;
  }
  abort(): void {
    this.aborted = true;
  }
}

type Step = readonly ["join" | "pause" | "resume" | "leave" | "data" | "settle", number];

const steps = fc.array(
  fc.tuple(fc.constantFrom("join", "pause", "resume", "leave", "data", "data", "data", "settle"), fc.nat(5)),
  { maxLength: 60 },
) as fc.Arbitrary<Step[]>;

test.each([
  ["whose response is stored", 1_000],
  ["whose response exceeds the limit", 6],
])(
  "in a flight %s every reader hears all from the start, in order, and memory is given back",
  async (_name, bytesMax) => {
    await assertProperty(
      fc.asyncProperty(steps, fc.boolean(), async (script, breaks) => {
        const budget = new FlightBudget(1_000_000);
        let landed: number | undefined;
        const flight = new Flight({
          budget,
          bytesMax,
          onLanded: (_head, chunks) => {
            landed = chunks?.length ?? -1;
          },
        });
        const call = new Call();
        const readers: { reader: Reader; listener: Listener }[] = [];
        const join = () => {
          // As the cache does: a flight that has landed takes no further readers.
          if (landed !== undefined) return;
          const [reader, listener] = [flight.reserve(), new Listener()];
          reader.join(listener);
          readers.push({ reader, listener });
        };
        join();
        flight.launch(() => call);
        const sent = ["head 200"];
        let began = false;
        const send = () => {
          if (!began) flight.onHead(200, "OK", []);
          began = true;
          if (call.held || call.aborted) return;
          sent.push(String(sent.length));
          flight.onData(new Uint8Array([sent.length - 1]));
        };
        for (const [what, which] of script) {
          const one = readers[which % readers.length];
          if (what === "join") join();
          else if (what === "data") send();
          else if (what === "settle") await Promise.resolve();
          else if (one !== undefined && !one.listener.gone) {
            if (what === "leave") {
              one.listener.gone = true;
              one.reader.abort();
            } else {
              one.listener.paused = what === "pause";
              one.reader[what]();
            }
          }
        }
        await Promise.resolve();
        for (const { listener, reader } of readers) {
          listener.paused = false;
          if (!listener.gone) reader.resume();
        }
        const left = readers.filter(({ listener }) => !listener.gone);
        expect(call.aborted).toBe(left.length === 0);
        expect(call.held && left.length > 0).toBe(false);
        if (!call.aborted) {
          send();
          if (breaks) flight.onError(new UpstreamError("broken", "it broke"));
          else flight.onEnd();
        }
        const all = [...sent, breaks ? "error" : "end"];
        for (const { listener } of readers) {
          expect(listener.wrong).toBe(false);
          if (listener.gone) expect(all.slice(0, listener.heard.length)).toEqual(listener.heard);
          else expect(listener.heard).toEqual(all);
        }
        const whole = !breaks && left.length > 0 && sent.length - 1 <= bytesMax;
        expect(landed).toBe(whole ? sent.length - 1 : -1);
        expect(budget.used).toBe(0);
      }),
      { numRuns: 400 },
    );
  },
);

test("the end is passed on only after the body is examined, and the last client that disconnects meanwhile ends it", async () => {
  for (const leaves of [false, true]) {
    const examined = Promise.withResolvers<void>();
    const landed: (number | undefined)[] = [];
    const flight = new Flight({
      budget: new FlightBudget(1_000),
      bytesMax: 100,
      examine: () => examined.promise,
      onLanded: (_head, chunks) => void landed.push(chunks?.length),
    });
    const [reader, listener, call] = [flight.reserve(), new Listener(), new Call()];
    reader.join(listener);
    flight.launch(() => call);
    await Promise.resolve();
    flight.onHead(200, "OK", []);
    flight.onData(new Uint8Array([1]));
    flight.onEnd();
    expect([listener.heard, landed]).toEqual([["head 200", "1"], []]);
    if (leaves) reader.abort();
    examined.resolve();
    await examined.promise;
    expect(landed).toEqual([leaves ? undefined : 1]);
    expect(listener.heard.includes("end")).toBe(!leaves);
    expect(call.aborted).toBe(false);
  }
});
