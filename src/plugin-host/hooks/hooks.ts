import { GatewayError } from "../../errors.ts";
import { type Log, messageOf } from "../../log.ts";
import type {
  Admission,
  AnswerNote,
  BodyNeed,
  GatewayAnswer,
  GatewayRequest,
  Json,
  LimitUse,
  PayingCredential,
  PluginHooks,
  PluginRoute,
  RecordDraft,
  RequestEnd,
} from "../contract.ts";
import { whyNoNeeds } from "../files/check.ts";
import type { OpenPlugin } from "../setup.ts";
import { Admissions } from "./admissions.ts";
import { type BodyTexts, restorableTexts, undoOf, whyBadDraft } from "./draft.ts";
import { CutOff, guarded, inTime, isPromise } from "./guard.ts";
import { checkedNote, joinedNote, type Note } from "./note.ts";
import { Patience } from "./patience.ts";
import { checkedVerdict, isRefusal, joined, type Verdict } from "./verdict.ts";

/** Milliseconds that one hook has for one call. */
const HOOK_MS = 250;

type HookName = Exclude<keyof PluginHooks, "dispose" | "routes" | "counters" | "limitsOf" | "admits" | "onAdmitted">;

interface Hook<I, R> {
  readonly name: HookName;
  readonly plugin: string;
  readonly call: (input: I) => R | Promise<R>;
  /** Built-in: called without the time limit for endless loops. */
  readonly builtIn: boolean;
  readonly patience: Patience;
}

type NotingHook<I> = Hook<I, AnswerNote | undefined | void>;
type RequestHook = Hook<GatewayRequest, Verdict | void>;

/** The parts of a request that may change while plugins are called. */
interface ChangingFacts {
  body?: Json;
}

interface HookCall {
  readonly list: readonly RequestHook[];
  readonly request: GatewayRequest;
  /** Undefined once nothing can be changed any more. */
  readonly facts: ChangingFacts | undefined;
}

interface Lists {
  readonly needs: readonly Hook<GatewayRequest, readonly BodyNeed[]>[];
  readonly onRequest: readonly RequestHook[];
  readonly onForward: readonly RequestHook[];
  readonly onEnd: readonly Hook<RequestEnd, void>[];
  readonly onAnswer: readonly NotingHook<GatewayAnswer>[];
  readonly onRecord: readonly Hook<RecordDraft, false | undefined | void>[];
  readonly onRecorded: readonly NotingHook<Readonly<RecordDraft>>[];
}

/** The hooks of the plugins that are set up, as flat lists. Every thread that calls hooks has its own. */
export class Hooks {
  readonly #log: Log;
  readonly #hookMs: number;
  readonly #failures = new Map<string, number>();
  #lists: Lists = { needs: [], onRequest: [], onForward: [], onEnd: [], onAnswer: [], onRecord: [], onRecorded: [] };
  /** The needs of plugins that apply to every request. */
  #needs: readonly BodyNeed[] = [];
  #routes: readonly PluginRoute[] = [];
  #counting: readonly OpenPlugin[] = [];
  #limiting: readonly OpenPlugin[] = [];
  readonly #onUse = new Set<() => void>();
  readonly admissions: Admissions;

  /** @param hookMs - milliseconds that one hook has for one call. */
  constructor(log: Log, hookMs = HOOK_MS) {
    this.#log = log;
    this.#hookMs = hookMs;
    this.admissions = new Admissions(log, hookMs);
  }

  /** Uses these plugins' hooks from the next call on, in the order of the plugins. */
  use(plugins: readonly OpenPlugin[]): void {
    const all = <I, R>(name: HookName): Hook<I, R>[] =>
      plugins.flatMap(({ name: plugin, hooks, builtIn = false }) => {
        const call = hooks[name] as unknown;
        if (!isHook<I, R>(call)) return [];
        return [{ name, plugin, call: (input: I) => call.call(hooks, input), builtIn, patience: new Patience() }];
      });
    this.#lists = {
      needs: all("needs"),
      onRequest: all("onRequest"),
      onForward: all("onForward"),
      onEnd: all("onEnd"),
      onAnswer: all("onAnswer"),
      onRecord: all("onRecord"),
      onRecorded: all("onRecorded"),
    };
    const listed = plugins.flatMap(({ hooks: { needs } }) => (Array.isArray(needs) ? (needs as BodyNeed[]) : []));
    this.#needs = [...new Set(listed)];
    this.#routes = plugins.flatMap(({ hooks }) => hooks.routes ?? []);
    this.#counting = plugins.filter(({ hooks }) => hooks.counters !== undefined);
    this.#limiting = plugins.filter(({ hooks }) => hooks.limitsOf !== undefined);
    this.admissions.use(plugins);
    for (const listener of [...this.#onUse]) listener();
  }

  /** Calls `listener` whenever the plugins change, until the returned function is called. */
  watch(listener: () => void): () => void {
    this.#onUse.add(listener);
    return () => void this.#onUse.delete(listener);
  }

  /** Whether a hook is registered. If not, the caller need not create its argument. */
  has(name: HookName): boolean {
    return this.#lists[name].length > 0;
  }

  /** The plugins' needs for this request's body. Never throws. */
  needs(request: GatewayRequest): readonly BodyNeed[] {
    let all = this.#needs;
    for (const hook of this.#lists.needs) {
      if (hook.patience.isOver) continue;
      try {
        for (const need of checkedNeeds(this.#call(hook, request))) if (!all.includes(need)) all = [...all, need];
      } catch (error) {
        this.#count(hook, error);
      }
    }
    return all;
  }

  /**
   * Calls every `onRequest` in order; the first refusal ends it. Returns synchronously unless a hook returns a promise.
   *
   * @param facts - the content of `request`: a plugin's change of the body is applied there, so that later plugins see it.
   * @throws GatewayError `plugin_failed` if a hook threw, took over 250 ms, returned an invalid refusal or is switched off.
   */
  onRequest(request: GatewayRequest, facts: ChangingFacts = {}): Verdict | Promise<Verdict> {
    return this.#ask({ list: this.#lists.onRequest, request, facts }, 0, undefined);
  }

  /** Calls every `onForward`, like `onRequest`. */
  onForward(request: GatewayRequest): Verdict | Promise<Verdict> {
    return this.#ask({ list: this.#lists.onForward, request, facts: undefined }, 0, undefined);
  }

  /** Calls every `onEnd`. Never throws. */
  onEnd(end: RequestEnd): void {
    for (const hook of this.#lists.onEnd) {
      if (hook.patience.isOver) continue;
      try {
        const result: unknown = this.#call(hook, end);
        // Not awaited, but it must not become an unhandled rejection.
        if (isPromise(result)) result.catch((error: unknown) => this.#count(hook, error));
      } catch (error) {
        this.#count(hook, error);
      }
    }
  }

  /** Shows a response to every `onAnswer`. Never throws; a hook that fails adds nothing. */
  onAnswer(answer: GatewayAnswer): Note | undefined | Promise<Note | undefined> {
    return this.#noted(this.#lists.onAnswer, answer);
  }

  /** Shows a stored record to every `onRecorded`, like `onAnswer` a response. */
  onRecorded(draft: Readonly<RecordDraft>): Note | undefined | Promise<Note | undefined> {
    return this.#noted(this.#lists.onRecorded, draft);
  }

  /** The endpoints of all plugins. */
  routes(): readonly PluginRoute[] {
    return this.#routes;
  }

  /**
   * Lets every `onRecord` change the draft. Returns false to drop the record. A hook that fails changes nothing.
   *
   * @param given - the texts of the draft's bodies, if the caller has them.
   */
  async onRecord(draft: RecordDraft, given?: BodyTexts): Promise<boolean> {
    let texts = given;
    for (const hook of this.#lists.onRecord) {
      if (hook.patience.isOver) continue;
      texts ??= restorableTexts(draft);
      const undo = undoOf(draft, texts);
      try {
        if ((await this.#call(hook, draft, undo)) === false) return false;
        const wrong = whyBadDraft(draft);
        if (wrong !== undefined) throw new Error(wrong);
        texts = undefined;
      } catch (error) {
        undo();
        this.#count(hook, error);
      }
    }
    return true;
  }

  /** Failed calls since startup, by `<plugin> <hook>`. */
  failures(): ReadonlyMap<string, number> {
    return this.#failures;
  }

  /** The plugins' counters, by `<plugin> <counter>`. Plugins whose counters fail are omitted. */
  counters(): ReadonlyMap<string, number> {
    const counters = new Map<string, number>();
    for (const { name: plugin, hooks } of this.#counting) {
      try {
        for (const [name, value] of Object.entries(guarded(() => hooks.counters!(), undefined, this.#hookMs))) {
          if (/^[a-z][a-z0-9_]*$/.test(name) && Number.isFinite(value)) counters.set(`${plugin} ${name}`, value);
        }
      } catch (error) {
        this.#log.warn("a plugin's counters cannot be read", { plugin, error: messageOf(error) });
      }
    }
    return counters;
  }

  /** The plugins' counts of a credential's limit. Plugins that fail are omitted. */
  limitsOf(credential: PayingCredential): readonly LimitUse[] {
    return this.#limiting.flatMap(({ name: plugin, hooks }) => {
      try {
        return guarded(() => hooks.limitsOf!(credential), undefined, this.#hookMs);
      } catch (error) {
        this.#log.warn("a plugin's limits cannot be read", { plugin, error: messageOf(error) });
        return [];
      }
    });
  }

  /** Hooks that are switched off, as sentences. */
  degraded(): readonly string[] {
    return Object.values(this.#lists as Readonly<Record<HookName, readonly Hook<never, unknown>[]>>)
      .flat()
      .filter(({ patience }) => patience.isOver)
      .map(({ plugin, name }) => `plugin ${plugin}: ${name} is switched off: it blocked the thread repeatedly`);
  }

  /** The list is passed on: a request uses the hooks that it started with, even after a reload. */
  #ask(call: HookCall, from: number, before: Admission | undefined): Verdict | Promise<Verdict> {
    const { list, request } = call;
    let admission = before;
    for (let at = from; at < list.length; at++) {
      const hook = list[at]!;
      try {
        if (hook.patience.isOver) throw new Error("it is switched off");
        const result = this.#call(hook, request);
        if (isPromise(result)) return this.#askLater(result, call, at, admission);
        const verdict = appliedVerdict(result, call);
        if (isRefusal(verdict)) return verdict;
        admission = joined(admission, verdict);
      } catch (error) {
        this.#refuse(hook, error);
      }
    }
    return admission;
  }

  /** Continues once the hook at `at` has given its result. In `#ask` these closures would cost every request their scope. */
  #askLater(
    result: Promise<Verdict | void>,
    call: HookCall,
    at: number,
    before: Admission | undefined,
  ): Promise<Verdict> {
    return result
      .then((given) => appliedVerdict(given, call))
      .then(
        (verdict) => (isRefusal(verdict) ? verdict : this.#ask(call, at + 1, joined(before, verdict))),
        (error) => this.#refuse(call.list[at]!, error),
      );
  }

  #noted<I>(hooks: readonly NotingHook<I>[], shown: I): Note | undefined | Promise<Note | undefined> {
    let note: Note | undefined;
    const waiting: Promise<Note | undefined>[] = [];
    for (const hook of hooks) {
      if (hook.patience.isOver) continue;
      try {
        const given = this.#call(hook, shown);
        if (!isPromise(given)) note = joinedNote(note, checkedNote(given, hook));
        else {
          const later = given.then((returned) => checkedNote(returned, hook));
          waiting.push(later.catch((error: unknown) => this.#count(hook, error)));
        }
      } catch (error) {
        this.#count(hook, error);
      }
    }
    return waiting.length === 0 ? note : Promise.all(waiting).then((later) => later.reduce(joinedNote, note));
  }

  #refuse(hook: RequestHook, error: unknown): never {
    this.#count(hook, error);
    throw new GatewayError("plugin_failed", `the plugin "${hook.plugin}" failed on this request`, { cause: error });
  }

  /** @param undo - if the hook may be called again after it was cut off: undoes its first call. */
  #call<I, R>(hook: Hook<I, R>, input: I, undo?: () => void): R | Promise<R> {
    // Built-in plugins are trusted to limit themselves: the time limit costs more than all of their hooks.
    if (hook.builtIn) return hook.call(input);
    if (undo !== undefined) {
      const result = hook.patience.repeat(hook.call, input, this.#hookMs, undo);
      return isPromise(result) ? inTime(result, this.#hookMs) : result;
    }
    const startedMs = performance.now();
    const result = hook.patience.call(hook.call, input, this.#hookMs);
    return isPromise(result) ? inTime(result, this.#hookMs - (performance.now() - startedMs)) : result;
  }

  #count(hook: Hook<never, unknown>, error: unknown): undefined {
    const key = `${hook.plugin} ${hook.name}`;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    if (error instanceof CutOff && error.blocked && hook.patience.isOver) {
      this.#log.error("a hook is switched off for a minute: it blocked the thread", {
        plugin: hook.plugin,
        hook: hook.name,
      });
    }
    // A hook that fails on every request must not fill the disk with log lines.
    if (failures <= 10 || failures % 1_000 === 0) {
      this.#log.warn("a hook failed", { plugin: hook.plugin, hook: hook.name, failures, error: messageOf(error) });
    }
  }
}

/** A valid verdict, after applying its change to the visible body. @throws if it is invalid. */
function appliedVerdict(result: Verdict | void, { facts }: HookCall): Verdict {
  const verdict = checkedVerdict(result);
  if (verdict === undefined || isRefusal(verdict) || verdict.send === undefined) return verdict;
  if (facts === undefined) throw new Error("onForward cannot change what is sent; onRequest can");
  const { body } = verdict.send;
  if (body !== undefined) facts.body = { ...facts.body, ...body };
  return verdict;
}

function isHook<I, R>(member: unknown): member is (input: I) => R | Promise<R> {
  return typeof member === "function";
}

function checkedNeeds(needs: unknown): readonly BodyNeed[] {
  const wrong = whyNoNeeds(needs);
  if (wrong !== undefined) throw new Error(`the result of needs ${wrong}`);
  return needs as readonly BodyNeed[];
}
