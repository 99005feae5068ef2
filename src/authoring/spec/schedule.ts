// Reads the trigger of a workflow in TypeScript: a schedule, or a command in a comment.

import { EngineError } from '../../base/error.ts';
import { toPlain } from '../../base/json.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import type { Definition } from '../../definition/model.ts';
import { type ScheduleModel, type ScheduleSpec, scheduleOf, scheduleProblem } from '../../definition/trigger/schedule.ts';
import { commandProblem, type StartCommandSpec } from '../../definition/trigger/start-command.ts';
import { checkOptions } from './option.ts';

/** Reads the trigger of a workflow. Throws DEFINITION_INVALID for a trigger that would never start it. */
export function readTrigger(
  { name, params }: Pick<Definition, 'name' | 'params'>,
  spec: ScheduleSpec | StartCommandSpec,
): Pick<CompiledWorkflow, 'schedule' | 'command'> {
  const subject = `workflow "${name}"`;
  if ('schedule' in spec) return { schedule: readSchedule(subject, spec, params) };
  checkOptions(`${subject}, trigger`, spec, ['command']);
  const problem = commandProblem(spec.command);
  if (problem === undefined) return { command: spec.command };
  throw new EngineError('DEFINITION_INVALID', `${subject}, trigger.command: ${problem.message}; ${problem.hint}`);
}

function readSchedule(subject: string, spec: ScheduleSpec, params: Definition['params']): ScheduleModel {
  checkOptions(`${subject}, trigger`, spec, ['schedule', 'timezone', 'catchUp', 'params']);
  const model = toPlain(scheduleOf(spec), `the schedule of ${subject}`) as never as ScheduleModel;
  const problem = scheduleProblem(model, params);
  if (problem === undefined) return Object.freeze(model);
  const field = problem.field === 'catch_up' ? 'catchUp' : problem.field;
  throw new EngineError('DEFINITION_INVALID', `${subject}, trigger.${field}: ${problem.message}; ${problem.hint}`);
}
