import type { ConfigError, LoadedConfig } from "../config/load.ts";
import type { Config } from "../config.ts";

/** An option as help shows it and the parser reads it. */
export interface Option {
  readonly type: "string" | "boolean";
  readonly short?: string;
  readonly multiple?: true;
  /** What stands for the value in help, such as `FILE`. */
  readonly value?: string;
  readonly description: string;
}

export interface Terminal {
  /** What a program may want to read: results, and nothing else. */
  out(text: string): void;
  /** What a person may want to read. */
  err(text: string): void;
  /** How wide a terminal is that shows what goes to `out`; undefined where that goes to a file or a program. */
  readonly columns?: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** All that comes on stdin. */
  readonly stdin?: () => Promise<string>;
  /** Asks for a line that is not shown; undefined where stdin is no terminal. */
  readonly askSecret?: ((prompt: string) => Promise<string>) | undefined;
}

export interface Invocation {
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly args: readonly string[];
  readonly terminal: Terminal;
  readonly config: Config;
  readonly loaded: LoadedConfig;
  /** Where a command runs with a broken configuration: what is wrong with it. `config` is then the default one. */
  readonly problem?: ConfigError;
}

/** The status that the program ends with. */
export type Run = (invocation: Invocation) => Promise<number>;

export interface Command {
  /** One or two words, such as `keys create`. */
  readonly name: string;
  readonly summary: string;
  /** What follows the options, such as `<id>`; every one of them is needed, but for a last one such as `[filter…]`: any number. */
  readonly args?: readonly string[];
  /** An option with which it takes none of them. */
  readonly alone?: string;
  readonly options?: Readonly<Record<string, Option>>;
  /** Its words are handed over unread, in `args`, and it needs no configuration: it is a client of some Weir. */
  readonly readsItsOwnWords?: true;
  /** It is run with a broken configuration too, and told what is wrong. */
  readonly takesBrokenConfig?: true;
  /** Sentences below the options. */
  readonly notes?: readonly string[];
  readonly load: () => Promise<Run>;
}
