// Writes the work of a step as a stage: its kind writes its fields.

import { writeDuration } from '../../../base/duration.ts';
import { omitUndefined } from '../../../base/fields.ts';
import type { Json, JsonObject } from '../../../base/json.ts';
import type { CheckModel } from '../../../definition/check.ts';
import type { StepModel, Target, WorkConfigs } from '../../../definition/model.ts';
import type { Compilers } from '../../graph/work.ts';
import { refusal, withoutEmpty } from './word.ts';

/** The facts about the other steps that writing the work of a stage needs. */
export interface WriteContext {
  readonly compilers: Compilers;
  /** The frame of a branch. */
  readonly branchOf: (step: StepModel) => JsonObject;
  /** The name of an answer's target; absent in a branch, where answers have no target. */
  readonly goto?: (to: Target) => string;
}

/** The writers of the parts of a stage, which its kind calls. */
export interface StageWriter {
  checkOf(check: CheckModel): Json;
  memberOf(member: StepModel): JsonObject;
  readonly goto: WriteContext['goto'];
}

/** The type of a stage and its own fields. */
export function writeWork(step: StepModel, context: WriteContext): JsonObject {
  if (step.question !== undefined && step.kind !== 'human') throw refusal(step.id, 'its question comes after its work; write two steps');
  const { compilers, branchOf, goto } = context;
  const words: StageWriter = {
    checkOf: (check) => writeCheck(check, compilers),
    memberOf: (member) => ({ ...branchOf(member), ...writeWork(member, { compilers, branchOf }) }),
    goto,
  };
  const fields = compilers.kinds[step.kind].write?.(step, words);
  if (fields === undefined) throw refusal(step.id, `workflow files cannot have a "${step.kind}" step`);
  return omitUndefined({ type: step.kind, ...fields });
}

function writeCheck(check: CheckModel, compilers: Compilers): Json {
  const { timeoutMs, templates: _filledIn, ...fields } = check;
  const own = compilers.checks[check.check]?.write?.(check, (inner) => writeCheck(inner, compilers));
  return omitUndefined({
    ...withoutEmpty(fields as JsonObject),
    ...own,
    timeout: timeoutMs === undefined ? undefined : writeDuration(timeoutMs),
  });
}

/** An action at the forge, as a hook. */
export function writeHook(step: StepModel): JsonObject {
  const { action, ...rest } = actionOf(step);
  const fields = withoutEmpty(rest);
  return { [action]: action === 'close_issue' ? (fields.issue ?? null) : fields };
}

/** A notification, from the step that sends it. */
export function writeNotify(step: StepModel): Json {
  const { action: _action, ...notify } = actionOf(step);
  return 'target' in notify && notify.target !== undefined && !('message' in notify) ? notify.target : notify;
}

function actionOf(step: StepModel): WorkConfigs['action'] {
  if (step.kind !== 'action') throw refusal(step.id, 'hooks and notifications of a workflow file can only be actions');
  return step.config;
}
