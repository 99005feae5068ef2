// Owns the dependencies of an engine, which its caller wires.

import type { Json, JsonObject } from '../base/json.ts';
import type { KindFacts } from '../definition/kind.ts';
import type { Redactor } from '../process/redact.ts';
import type { AttemptRequest, AttemptRunner } from '../steps/attempt.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from './clock.ts';
import type { DefinitionSource, DriverHost } from './host.ts';
import type { LimitScope } from './limits/limits.ts';
import type { RunObserver } from './observer.ts';
import type { OwnerTimeout } from './request/owner-wait.ts';
import type { Signing } from './signature/signatures.ts';

/** The dependencies of an engine. */
export interface EngineParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly source: DefinitionSource;
  readonly runAttempt: AttemptRunner;
  /** The facts about the kinds of steps and checks. */
  readonly facts: KindFacts;
  /** Reads the forge facts that decisions refer to. */
  readonly outside: DriverHost['outside'];
  /** Which decisions need a signature, and whose keys count. */
  readonly signing: Signing;
  /** Returns the person's name if they may decide a question for these groups. Throws if the groups are invalid. */
  readonly mayDecide: (from: readonly string[], actor: string) => string | undefined;
  /** The secret for the tokens of handed-out work. All processes on this store share it. */
  readonly tokenKey: () => string | Uint8Array;
  /** Masks the values of secrets in what workers report, ask and assume, before it is on disk. */
  readonly mask: (value: Json) => Json;
  /** Builds the input of a child run. */
  readonly childInput: (request: AttemptRequest) => Promise<JsonObject>;
  /** The owner name of this engine: a process identity and a number. */
  readonly me: string;
  readonly limits: LimitScope;
  /** The folder with the snapshots of the workspace; absent without a database file. */
  readonly snapshots?: string;
  /** Masks the secrets that are known now. */
  readonly redactor?: () => Redactor;
  /** Ends processes that a crashed engine left behind, before its runs continue. */
  readonly sweep: () => Promise<void>;
  /** `all`: also drives runs that are due, have mail or lost their owner, if their workflow is known here. */
  readonly drives: 'all' | 'own';
  readonly depthMax: number;
  /** How many runs a run may start, directly or through its children. */
  readonly runsMax: number;
  /** How long a request waits for the process that drives its run. Default: no limit. */
  readonly ownerTimeout?: OwnerTimeout;
  /** Watches the runs that this engine drives. */
  readonly observer?: RunObserver;
  /** Receives errors that no caller waits for. */
  readonly warn: (error: unknown) => void;
}
