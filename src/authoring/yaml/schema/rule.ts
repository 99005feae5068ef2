// Owns rules that a schema cannot express: fields that need or exclude each other. They check one stage at a time, so that
// a problem in one does not hide those of the others. Rules about the graph are checked on the definition.

import { type ForgeOutputType, forgeOutputFault } from '../../../definition/forge/forge-write.ts';
import type { FileOutputModel } from '../../../definition/model.ts';
import { patternRefusal } from '../../../definition/output-pattern.ts';
import type { Compilers, KindCompiler } from '../../graph/work.ts';
import { transitionOf } from '../compile/transition.ts';
import type { YamlPath } from '../position/position.ts';
import { quoted } from '../problem/problem.ts';
import type { PlacedFault } from '../problem/schema.ts';
import type { YamlCheck, YamlStage } from './form.ts';
import type { YamlWorkflow } from './schema.ts';

/** An output of a stage in a file. */
export interface YamlOutput {
  readonly name: string;
  readonly type: FileOutputModel['type'] | ForgeOutputType;
  readonly pattern?: string | undefined;
  readonly required?: boolean | undefined;
  readonly target?: 'issue' | 'pr' | undefined;
  readonly labels?: readonly string[] | undefined;
}

type YamlHook = NonNullable<YamlWorkflow['on_complete']>[number];

/** The faults of a stage whose shape is valid. */
export function stageRules(stage: YamlStage, path: YamlPath, compilers: Compilers): PlacedFault[] {
  const skip = stage.skip_to !== undefined && stage.condition === undefined ? [uselessSkip([...path, 'skip_to'])] : [];
  const success = oneSuccess(stage, path);
  return [...skip, ...success, ...oneRetry(stage, path), ...workRules(stage, path, compilers)];
}

const SUCCESSES = ['on_complete', 'on_success', 'on_pass'] as const;

/** `on_complete` is the success transition of every stage; gates, actions and requests have their own key for it. */
function oneSuccess(stage: YamlStage, path: YamlPath): PlacedFault[] {
  const [first, second] = SUCCESSES.filter((key) => key in stage);
  if (first === undefined || second === undefined) return [];
  const message = `"${first}" and "${second}" mean the same here, and a stage can have only one of them`;
  return [{ code: 'FIELD_CONFLICT', message, hint: 'remove one of them', path: [...path, second], part: 'key' }];
}

/** Attempts of a stage are counted together, whatever ended them, so only one retry number is allowed. */
function oneRetry(stage: YamlStage, path: YamlPath): PlacedFault[] {
  const [error, timeout] = [transitionOf(stage, 'on_error'), transitionOf(stage, 'on_timeout')];
  if (error?.retry === undefined || timeout?.retry === undefined) return [];
  const isSame = error.retry === timeout.retry && JSON.stringify(error.backoff) === JSON.stringify(timeout.backoff);
  if (isSame) return [];
  const message = '"on_error" and "on_timeout" retry the stage in different ways, but its retries are counted together';
  const hint = 'write the same retry and backoff in both';
  return [{ code: 'FIELD_CONFLICT', message, hint, path: [...path, 'on_timeout', 'retry'], part: 'value' }];
}

/** The faults of a hook whose shape is valid. */
export function hookRules(hook: YamlHook, path: YamlPath): PlacedFault[] {
  return 'label' in hook ? labelRule(hook.label, [...path, 'label']) : [];
}

function workRules(stage: YamlStage, path: YamlPath, compilers: Compilers): PlacedFault[] {
  const kinds: Readonly<Record<string, KindCompiler>> = compilers.kinds;
  const rules = {
    checkRules: (check: YamlCheck, at: YamlPath) => checkRules(check, at, compilers),
    workRules: (branch: YamlStage, at: YamlPath) => workRules(branch, at, compilers),
  };
  return kinds[stage.type ?? 'agent']?.yaml?.rules?.(stage as never, path, rules) ?? [];
}

function checkRules(check: YamlCheck, path: YamlPath, compilers: Compilers): PlacedFault[] {
  const { checks } = compilers;
  const form = Object.hasOwn(checks, check.check) ? checks[check.check]?.yaml : undefined;
  // Whether a check without a form exists is known only to the project that runs it.
  if (form === undefined) return [];
  const inner = form.isMadeOfOthers === true ? (check.conditions as readonly YamlCheck[]) : [];
  const own = form.rules?.(check as never, path) ?? [];
  return [...own, ...inner.flatMap((one, index) => checkRules(one, [...path, 'conditions', index], compilers))];
}

/** A program is either a shell line or a list of words. */
export function programRule(program: { readonly run?: string | undefined; readonly argv?: unknown }, path: YamlPath): PlacedFault[] {
  const { run, argv } = program;
  if (run === undefined && argv === undefined)
    return [
      { code: 'FIELD_MISSING', message: 'a command must have "run" or "argv"', hint: 'for example "run: npm test"', path, part: 'value' },
    ];
  if (run === undefined || argv === undefined) return [];
  const message = 'a command must have only one of "run" and "argv"';
  return [
    {
      code: 'FIELD_CONFLICT',
      message,
      hint: 'keep run for a shell line, or argv for a program without a shell',
      path: [...path, 'argv'],
      part: 'key',
    },
  ];
}

/** A join must not need more branches than there are. */
export function joinRule(join: string | undefined, length: number, path: YamlPath): PlacedFault[] {
  const [needed, of] = (join ?? 'all').split('-of-').map(Number);
  if (needed === undefined || of === undefined) return [];
  const at = { code: 'FIELD_CONFLICT', path: [...path, 'join'], part: 'value' } as const;
  if (of !== length)
    return [
      { ...at, message: `"join" is for ${of} branches, but there are ${length}`, hint: `write ${Math.min(needed, length)}-of-${length}` },
    ];
  if (needed > of)
    return [{ ...at, message: `"join" needs ${needed} branches, but there are only ${of}`, hint: `write all, or at most ${of}-of-${of}` }];
  return [];
}

/** A label action must add or remove labels. */
export function labelRule(label: { readonly add?: unknown; readonly remove?: unknown }, path: YamlPath): PlacedFault[] {
  if (label.add !== undefined || label.remove !== undefined) return [];
  return [
    {
      code: 'FIELD_MISSING',
      message: 'a label action must have "add" or "remove"',
      hint: 'for example "add: needs-human"',
      path,
      part: 'value',
    },
  ];
}

/** Only file outputs have a pattern, and they must have one. */
export function outputRules({ outputs = [], fresh }: YamlOutputs, path: YamlPath): PlacedFault[] {
  const faults = outputs.flatMap((output, index) => outputRule(output, [...path, 'outputs', index]));
  if (fresh === undefined || outputs.length > 0) return faults;
  const message = '"fresh" has no effect without "outputs"';
  return [{ code: 'FIELD_CONFLICT', message, hint: 'list the outputs, or remove "fresh"', path: [...path, 'fresh'], part: 'key' }];
}

/** The outputs of a stage in a file. */
interface YamlOutputs {
  readonly outputs?: readonly YamlOutput[] | undefined;
  readonly fresh?: string | undefined;
}

function outputRule(output: YamlOutput, path: YamlPath): PlacedFault[] {
  const { name, type, pattern } = output;
  const fault = forgeOutputFault(output);
  if (fault !== undefined)
    return [
      { code: 'FIELD_INVALID', message: `the output ${quoted(name)} ${fault}`, hint: 'for example "labels: [bug]"', path, part: 'value' },
    ];
  const takesPattern = type === 'file' || type === 'artifact';
  if (takesPattern && pattern !== undefined) return insideRule(name, pattern, [...path, 'pattern']);
  if (!takesPattern && pattern === undefined) return [];
  if (takesPattern)
    return [
      {
        code: 'FIELD_MISSING',
        message: `the ${type} output ${quoted(name)} must have "pattern"`,
        hint: 'for example "pattern: src/**"',
        path,
        part: 'value',
      },
    ];
  const message = `the ${type} output ${quoted(name)} must not have "pattern"; only files have one`;
  return [{ code: 'FIELD_CONFLICT', message, hint: 'remove the pattern, or write "type: file"', path: [...path, 'pattern'], part: 'key' }];
}

/** Outputs must be inside the workspace. */
function insideRule(name: string, pattern: string, path: YamlPath): PlacedFault[] {
  const refusal = patternRefusal(pattern);
  if (refusal === undefined) return [];
  const message = `the pattern ${quoted(pattern)} of the output ${quoted(name)} cannot be used: ${refusal}`;
  return [{ code: 'FIELD_INVALID', message, hint: 'write one inside the workspace, such as src/**', path, part: 'value' }];
}

function uselessSkip(path: YamlPath): PlacedFault {
  const message = '"skip_to" is never taken: the stage has no condition, so it is never skipped';
  return { code: 'FIELD_CONFLICT', message, hint: 'add a condition, or remove skip_to', severity: 'warning', path, part: 'key' };
}
