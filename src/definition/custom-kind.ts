// Owns step kinds that an application defines: how their configuration is parsed and how they are executed. Their steps
// have the kind `custom`, which names them.

import type { JsonObject } from '../base/json.ts';
import type { StepContext } from './code.ts';
import { withSourceOf } from './hash.ts';
import type { RecoveryPolicy } from './model.ts';
import { type ConfigParser, parseConfig, type WrittenFor } from './parser.ts';

/** How a step of a custom kind ended. */
export interface CustomResult<Outcome extends string = string, Output = unknown> {
  readonly outcome: 'ok' | 'fail' | 'reject' | 'skip' | Outcome;
  readonly output?: Output;
}

/** The inputs of a custom step kind. */
export interface CustomJob<Config> {
  readonly config: Config;
  /** The run's context, with the key for whatever must not happen twice. */
  readonly ctx: StepContext;
  /** At the gate of a review: the digests of the documents that its reviewer reported, by path. */
  readonly reviewed?: JsonObject;
  /** The workspace. */
  readonly cwd: string;
  /** Aborted when the attempt must stop. */
  readonly signal: AbortSignal;
}

/** The argument of `defineStepKind`. */
export interface CustomKindSpec<Config, Output, Outcome extends string, Written = unknown> {
  readonly kind: string;
  /** Its own outcomes besides the common ones: keys that the `next` of its steps may have. */
  readonly outcomes?: readonly Outcome[];
  /** What to do with an attempt if a crash left no record of how it ended. Default: `ask`. */
  readonly recovery?: Exclude<RecoveryPolicy, 'reconcile'>;
  /** Returns the configuration from what was written, or throws an error that says what is wrong. A schema of zod fits. */
  readonly parse: ConfigParser<Written, Config>;
  /** Does the work. An error it throws fails the attempt, and its retry policy applies. */
  run(job: CustomJob<Config>): CustomResult<NoInfer<Outcome>, Output> | Promise<CustomResult<NoInfer<Outcome>, Output>>;
}

/** A step kind with a configuration, as a graph uses it. */
export interface ConfiguredKind<Output = unknown, Outcome extends string = string> {
  readonly kind: CustomKind<never, Output, Outcome>;
  readonly config: unknown;
}

/** A step kind that an application defined. Called with a configuration, it returns the work of a graph's step. */
export interface CustomKind<Written = never, Output = unknown, Outcome extends string = string> {
  (config: Written): ConfiguredKind<Output, Outcome>;
  readonly kind: string;
  readonly outcomes: readonly Outcome[];
  readonly recovery: Exclude<RecoveryPolicy, 'reconcile'>;
  parse(config: unknown): unknown;
  run(job: CustomJob<never>): CustomResult<Outcome, Output> | Promise<CustomResult<Outcome, Output>>;
}

const NAME = /^[a-z][\w.-]{0,79}$/i;

/** Defines a kind of step: `use: deploy({ to: 'staging' })` in a graph, `step('ship').use(deploy, { … })` in a flow. */
export function defineStepKind<Config, Output, const Outcome extends string = never, Written = unknown>(
  spec: CustomKindSpec<Config, Output, Outcome, Written>,
): CustomKind<WrittenFor<Written, Config>, Output, Outcome> {
  const { kind, outcomes = [], recovery = 'ask' } = spec;
  if (!NAME.test(kind)) throw new TypeError(`the name of a step kind must be a word such as "deploy", not ${JSON.stringify(kind)}`);
  const use = (config: WrittenFor<Written, Config>) => Object.freeze({ kind: own as CustomKind<never, Output, Outcome>, config });
  const own: CustomKind<WrittenFor<Written, Config>, Output, Outcome> = Object.assign(use, {
    kind,
    outcomes: Object.freeze([...outcomes]),
    recovery,
    parse: (config: unknown): unknown => parseConfig(spec.parse, config),
    run: withSourceOf((job: CustomJob<never>) => spec.run(job), [spec.parse, spec.run]),
  });
  return Object.freeze(own);
}
