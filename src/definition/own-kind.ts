// Owns what a kind of step is that an application defines: how its configuration is read and how it is executed. Its
// steps are of the kind `own`, which names it.

import type { StepContext } from './code.ts';
import type { RecoveryPolicy } from './model.ts';

/** How a step of an own kind settled. */
export interface OwnResult<Outcome extends string = string, Output = unknown> {
  readonly outcome: 'ok' | 'fail' | 'reject' | 'skip' | Outcome;
  readonly output?: Output;
}

/** What an own kind is given to do its work. */
export interface OwnJob<Config> {
  readonly config: Config;
  /** The run as it stands, with the key that whatever must not happen twice is given. */
  readonly ctx: StepContext;
  /** The workspace. */
  readonly cwd: string;
  /** Aborted when the attempt must stop. */
  readonly signal: AbortSignal;
}

/** What `defineStepKind` takes. */
export interface OwnKindSpec<Config, Output, Outcome extends string> {
  readonly kind: string;
  /** Outcomes of its own, beside the common ones: keys that the `next` of its steps may have. */
  readonly outcomes?: readonly Outcome[];
  /** What happens to an attempt that a crash left without a recorded end. Default: `ask`. */
  readonly recovery?: RecoveryPolicy;
  /** The configuration, or an error that says what is wrong with it. A schema's `parse` fits. */
  parse(config: unknown): Config;
  /** Does the work. What it throws is an error of the attempt, which its retry policy is for. */
  run(job: OwnJob<Config>): OwnResult<Outcome, Output> | Promise<OwnResult<Outcome, Output>>;
}

/** A kind of step with a configuration, as a graph uses it. */
export interface UsedKind<Output = unknown> {
  readonly kind: OwnKind<never, Output>;
  readonly config: unknown;
}

/** A kind of step that an application defined. Called with a configuration, it is the work of a graph's step. */
export interface OwnKind<Config = never, Output = unknown> {
  (config: Config): UsedKind<Output>;
  readonly kind: string;
  readonly outcomes: readonly string[];
  readonly recovery: RecoveryPolicy;
  parse(config: unknown): unknown;
  run(job: OwnJob<never>): OwnResult<string, Output> | Promise<OwnResult<string, Output>>;
}

const NAME = /^[a-z][\w.-]{0,79}$/i;

/** Defines a kind of step: `use: deploy({ to: 'staging' })` in a graph, `step('ship').use(deploy, { … })` in a flow. */
export function defineStepKind<Config, Output, const Outcome extends string = never>(
  spec: OwnKindSpec<Config, Output, Outcome>,
): OwnKind<Config, Output> {
  const { kind, outcomes = [], recovery = 'ask' } = spec;
  if (!NAME.test(kind)) throw new TypeError(`the name of a step kind must be a word such as "deploy", and is ${JSON.stringify(kind)}`);
  const own: OwnKind<Config, Output> = Object.assign((config: Config) => Object.freeze({ kind: own as OwnKind<never, Output>, config }), {
    kind,
    outcomes: Object.freeze([...outcomes]),
    recovery,
    parse: (config: unknown): unknown => spec.parse(config),
    run: (job: OwnJob<never>) => spec.run(job),
  });
  return Object.freeze(own);
}
