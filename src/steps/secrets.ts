// Owns the values of secrets. Definitions and runs contain only their names; a value is fetched when a request needs it
// and kept in memory only, so a rotated secret is used from the next request on.
//
// - Values from the environment and from files are masked in all results of attempts, and values of commands from their
//   first use on. A replaced value stays masked.
// - Messages contain the name and the source of a secret, never its value.

import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { EngineError, messageOf } from '../base/error.ts';
import { runCommand } from '../process/command.ts';
import { createRedactor, type Redactor, whyNotMasked } from '../process/redact.ts';

/** Where the value of a secret comes from: a variable of this process, a file, or the standard output of a program. */
export type SecretSource = { readonly env: string } | { readonly file: string } | { readonly command: readonly string[] };

/** The secrets by name: the value itself, or where it comes from. */
export type SecretSettings = Readonly<Record<string, string | SecretSource>>;

const BYTES_MAX = 64 * 1024;
const COMMAND_TIMEOUT_MS = 30_000;

/** The secrets of an engine. */
export class Secrets {
  /** Masks every value that is known at the time of the call. */
  readonly redactor: Redactor;
  readonly #settings: SecretSettings;
  readonly #warn: (message: string) => void;
  /** The values seen so far, by name. */
  readonly #seen = new Map<string, Set<string>>();
  #current = createRedactor({});

  constructor(settings: SecretSettings, warn: (message: string) => void = () => {}) {
    this.#settings = settings;
    this.#warn = warn;
    this.redactor = { text: (text) => this.#current.text(text), stream: () => this.#current.stream() };
  }

  /** Reads the values from the environment and from files, so that they are masked. */
  refresh(): void {
    for (const [name, source] of Object.entries(this.#settings)) {
      if (typeof source !== 'string' && 'command' in source) continue;
      const found = readNow(source);
      if ('value' in found) this.#know(name, found.value);
    }
  }

  /** Fetches the value of a secret. Throws an EngineError if there is none. */
  async value(name: string): Promise<string> {
    const source = Object.hasOwn(this.#settings, name) ? this.#settings[name] : undefined;
    if (source === undefined) throw new EngineError('STEP_FAILED', `there is no secret "${name}"; add it under "secrets" in the config`);
    const found = typeof source !== 'string' && 'command' in source ? await runSource(source.command) : readNow(source);
    if ('problem' in found) throw new EngineError('STEP_FAILED', `the secret "${name}" cannot be read: ${found.problem}`);
    if (found.value === '') throw new EngineError('STEP_FAILED', `the secret "${name}" is empty`);
    this.#know(name, found.value);
    return found.value;
  }

  #know(name: string, value: string): void {
    const values = this.#seen.get(name) ?? new Set();
    if (values.has(value)) return;
    this.#seen.set(name, values.add(value));
    this.#current = createRedactor(Object.fromEntries([...this.#seen].map(([known, all]) => [known, [...all]])));
    const why = whyNotMasked(value);
    if (why !== undefined) this.#warn(`the secret "${name}" is not masked in output, because its value is ${why}`);
  }
}

/** Returns the problem of a secret, if any, without running its program. */
export function secretProblem(source: SecretSource): string | undefined {
  if ('command' in source) return undefined;
  const found = readNow(source);
  if ('problem' in found) return found.problem;
  const why = whyNotMasked(found.value);
  return why === undefined ? undefined : `it is not masked in output, because its value is ${why}`;
}

type SecretLookup = { readonly value: string } | { readonly problem: string };

function readNow(source: string | Exclude<SecretSource, { readonly command: unknown }>): SecretLookup {
  if (typeof source === 'string') return { value: source };
  if ('env' in source) {
    const value = process.env[source.env];
    return value === undefined ? { problem: `the environment variable ${source.env} is not set` } : { value };
  }
  try {
    // Reading from a pipe or a device may never end.
    const stat = statSync(source.file);
    if (!stat.isFile() || stat.size > BYTES_MAX) return { problem: `${source.file} must be a file of at most ${BYTES_MAX} bytes` };
    return { value: withoutLineEnd(readFileSync(source.file, 'utf8')) };
  } catch (thrown) {
    return { problem: messageOf(thrown) };
  }
}

/** The program gets our whole environment, because password managers find their session there. */
async function runSource(argv: readonly string[]): Promise<SecretLookup> {
  const mark = `secret/${randomUUID()}`;
  const result = await runCommand({ argv, mark, inheritEnv: ['*'], timeoutMs: COMMAND_TIMEOUT_MS, outputMax: BYTES_MAX });
  const program = `"${argv[0]}"`;
  if (result.kind === 'not-run') return { problem: result.message };
  if (result.kind !== 'exited') return { problem: `${program} did not end within ${COMMAND_TIMEOUT_MS / 1000} s` };
  if (result.exitCode !== 0) return { problem: `${program} exited with ${result.exitCode}: ${result.stderr.trim().slice(0, 500)}` };
  if (result.stdoutBytes > BYTES_MAX) return { problem: `${program} printed more than ${BYTES_MAX} bytes` };
  return { value: withoutLineEnd(result.stdout) };
}

function withoutLineEnd(text: string): string {
  return text.replace(/[\r\n]+$/, '');
}
