import { type GatewayHeader, recordedValue } from "./gateway-header.ts";
import type { HeaderName } from "./header-names.ts";

/** Derives a value from settings lines. It must depend on nothing else. */
type LinesReader<T> = (lines: readonly GatewayHeader[]) => T;

/**
 * The settings lines of a head: its `Gateway-*` headers that are not a label, a key or an id. Requests with the same lines
 * share this object, so that values derived from the lines alone are computed once.
 */
export class SettingLines {
  readonly lines: readonly GatewayHeader[];
  readonly #known = new Map<LinesReader<unknown>, { readonly value: unknown }>();
  /** The same lines followed by one more. */
  readonly longer = new Map<GatewayHeader, SettingLines>();

  constructor(lines: readonly GatewayHeader[] = []) {
    this.lines = lines;
  }

  /** The value that `read` derives from the lines. It is called once; if it throws, again with every request. */
  once<T>(read: LinesReader<T>): T {
    const known = this.#known.get(read) as { readonly value: T } | undefined;
    if (known !== undefined) return known.value;
    const value = read(this.lines);
    this.#known.set(read, { value });
    return value;
  }
}

/** Of lines and sets of lines together; beyond this all are dropped and learned again. */
const BYTES_MAX = 1_024 * 1_024;
/** Approximate overhead of a line or a set, without its text. */
const ENTRY_BYTES = 512;

/**
 * Settings lines that clients send repeatedly. Only lines that may be recorded as they are stay here: a line that holds a
 * credential is read again each time, and so is every set that contains it.
 */
export class LineMemory {
  #none = new SettingLines();
  #lines = new Map<HeaderName, Map<string, GatewayHeader>>();
  #bytes = 0;

  /** The set of a head without such lines. */
  get none(): SettingLines {
    return this.#none;
  }

  line(name: HeaderName, value: string): GatewayHeader {
    const known = this.#lines.get(name)?.get(value);
    if (known !== undefined) return known;
    const { canonical, setting } = name;
    const isKept = setting !== "auth" && recordedValue(setting, value) === value;
    if (!isKept) return { name: canonical, setting, value, isLabel: false, isKept };
    // A copy, because a substring would keep the entire head in memory.
    const own = Buffer.from(value, "latin1").toString("latin1");
    const line = { name: canonical, setting, value: own, isLabel: false, isKept };
    this.#makeRoom(canonical.length + own.length);
    const ofName = this.#lines.get(name);
    if (ofName === undefined) this.#lines.set(name, new Map([[own, line]]));
    else ofName.set(own, line);
    return line;
  }

  /** The same set with one more line. */
  with(set: SettingLines, line: GatewayHeader): SettingLines {
    const known = set.longer.get(line);
    if (known !== undefined) return known;
    const longer = new SettingLines([...set.lines, line]);
    if (!line.isKept) return longer;
    this.#makeRoom(0);
    set.longer.set(line, longer);
    return longer;
  }

  #makeRoom(bytes: number): void {
    this.#bytes += bytes + ENTRY_BYTES;
    if (this.#bytes <= BYTES_MAX) return;
    this.#none = new SettingLines();
    this.#lines = new Map();
    this.#bytes = bytes + ENTRY_BYTES;
  }
}
