// Owns reading what starts a workflow in TypeScript: a schedule, or a command in a comment.

import { EngineError } from '../../base/error.ts';
import { toPlain } from '../../base/json.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import type { Definition } from '../../definition/model.ts';
import { type ScheduleModel, type ScheduleSpec, scheduleOf, scheduleProblem } from '../../definition/trigger/schedule.ts';
import { type CommandSpec, commandProblem } from '../../definition/trigger/start-command.ts';
import { checkOptions } from './option.ts';

/** Reads what starts a workflow. Throws DEFINITION_INVALID if nothing ever would. */
export function readStarts(
  { name, params }: Pick<Definition, 'name' | 'params'>,
  spec: ScheduleSpec | CommandSpec,
): Pick<CompiledWorkflow, 'schedule' | 'command'> {
  const subject = `workflow "${name}"`;
  if ('schedule' in spec) return { schedule: readSchedule(subject, spec, params) };
  checkOptions(`${subject}, trigger`, spec, ['command']);
  const wrong = commandProblem(spec.command);
  if (wrong === undefined) return { command: spec.command };
  throw new EngineError('DEFINITION_INVALID', `${subject}, trigger.command: ${wrong.message}; ${wrong.hint}`);
}

function readSchedule(subject: string, spec: ScheduleSpec, params: Definition['params']): ScheduleModel {
  checkOptions(`${subject}, trigger`, spec, ['schedule', 'timezone', 'catchUp', 'params']);
  const model = toPlain(scheduleOf(spec), `the schedule of ${subject}`) as never as ScheduleModel;
  const wrong = scheduleProblem(model, params);
  if (wrong === undefined) return Object.freeze(model);
  const field = wrong.field === 'catch_up' ? 'catchUp' : wrong.field;
  throw new EngineError('DEFINITION_INVALID', `${subject}, trigger.${field}: ${wrong.message}; ${wrong.hint}`);
}
