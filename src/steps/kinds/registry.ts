// Owns the list of executors. A kind that waits or holds members has none: the kernel leads its life. Nor has `task`,
// which needs nothing of what the others take: the runner calls it by itself.

import type { StepKind } from '../../definition/model.ts';
import type { Executor } from '../work.ts';
import { executeAction } from './action.ts';
import { executeAgent } from './agent.ts';
import { executeCommand } from './command.ts';
import { executeDelay } from './delay.ts';
import { executeGate } from './gate.ts';
import { executeGenerate } from './generate.ts';
import { executeValidate } from './validate.ts';
import { executeWebhook } from './webhook.ts';

/** How each kind of step but `task` is executed. */
export const EXECUTORS: Readonly<Partial<Record<StepKind, Executor>>> = Object.freeze({
  command: executeCommand,
  gate: executeGate,
  validate: executeValidate,
  agent: executeAgent,
  generate: executeGenerate,
  delay: executeDelay,
  webhook: executeWebhook,
  action: executeAction,
});
