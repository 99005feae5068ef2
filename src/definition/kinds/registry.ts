// Owns the list of kinds. A new kind is a file beside this one, a line below, and its name in `StepKind`, without
// which the line does not compile.

import type { StepKind } from '../model.ts';
import { action } from './action.ts';
import { agent } from './agent.ts';
import { command } from './command.ts';
import { delay } from './delay.ts';
import { each } from './each.ts';
import { gate } from './gate.ts';
import { generate } from './generate.ts';
import { human } from './human.ts';
import type { KindDeclaration, Pipeline } from './kind.ts';
import { parallel } from './parallel.ts';
import { signal } from './signal.ts';
import { task } from './task.ts';
import { validate } from './validate.ts';
import { webhook } from './webhook.ts';
import { workflow } from './workflow.ts';

/** Every kind of step, by name. */
export const KINDS: Readonly<Record<StepKind, KindDeclaration>> = Object.freeze({
  task,
  command,
  gate,
  human,
  parallel,
  each,
  delay,
  workflow,
  validate,
  agent,
  generate,
  signal,
  webhook,
  action,
});

/** The life that activations of a kind lead in the kernel. */
export function pipelineOf(kind: StepKind): Pipeline {
  return KINDS[kind].pipeline;
}
