// Owns what an engine is made of: everything that whoever wires one gives it.

import type { JsonObject } from '../base/json.ts';
import type { AttemptRequest, AttemptRunner } from '../steps/attempt.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from './clock.ts';
import type { DefinitionSource, DriverHost } from './host.ts';
import type { LimitScope } from './limits.ts';
import type { Patience } from './patience.ts';
import type { Signing } from './signatures.ts';

/** What an engine is made of. */
export interface EngineParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly source: DefinitionSource;
  readonly runAttempt: AttemptRunner;
  /** Reads facts of the forge that decisions name. */
  readonly readForge: DriverHost['readForge'];
  /** What takes a signature, and whose counts. */
  readonly signing: Signing;
  /** Whether a person may decide a question that is put to these groups; throws what is wrong with them. */
  readonly mayDecide: (from: readonly string[], actor: string) => string | undefined;
  /** The key of the tokens of work that is handed out; the same for every process on this store. */
  readonly tokenKey: () => string | Uint8Array;
  /** Builds the input of a child run. */
  readonly childInput: (request: AttemptRequest) => Promise<JsonObject>;
  /** This engine as an owner of runs: a process identity and a number. */
  readonly me: string;
  readonly limits: LimitScope;
  /** Ends processes that an engine which died has left behind, before its runs go on. */
  readonly sweep: () => Promise<void>;
  /** `all`: runs that are due, have mail or lost their owner are driven as well, if their workflow is known here. */
  readonly drives: 'all' | 'own';
  readonly depthMax: number;
  /** How many runs a run may lead to, with all that they start. */
  readonly runsMax: number;
  /** How requests wait for a run that another process owns; without it they wait as long as it takes. */
  readonly patience?: Patience;
  /** Where trouble goes that no caller waits for. */
  readonly warn: (error: unknown) => void;
}
