// Owns the script form of a skill: `node skill.js --step N` prints a step. Every parameter of the skill is a flag.

import { EngineError, isEngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import type { Json } from '../base/json.ts';
import { shellWord } from '../base/shell-word.ts';
import { didYouMean } from '../base/suggest.ts';
import { argFromText, withMissingFlags } from '../definition/param/arg.ts';
import type { StepRequest } from './contexts.ts';
import { CONFIDENCES, ITERATIONS_MAX } from './guidance.ts';
import { readQrState } from './qr-state.ts';
import { renderStep, STEP_FORMATS } from './render.ts';
import { type Skill, STEP_FLAGS } from './skill.ts';

/** The flags of the stateless form, as text. A flag without a value is `true`. */
export type StepFlags = Readonly<Record<string, string | undefined>>;

/** Parses a request from flags. `--total-steps` must be the number of steps of the skill. */
export function readStepFlags(skill: Skill, flags: StepFlags): StepRequest {
  const { step, 'total-steps': total, confidence, iteration, 'qr-iteration': round, 'qr-fail': fail, 'qr-status': status } = flags;
  if (step === undefined) throw new EngineError('USAGE', `--step is missing: give the number of a step, 1 to ${skill.totalSteps}`);
  if (!/^\d{1,6}$/.test(step))
    throw new EngineError('USAGE', `ERROR: Invalid step ${step}: the skill "${skill.name}" has steps 1 to ${skill.totalSteps}`);
  if (total !== undefined && total !== String(skill.totalSteps))
    throw new EngineError(
      'USAGE',
      `--total-steps is ${total}, but the skill "${skill.name}" has ${skill.totalSteps} steps; give --total-steps ${skill.totalSteps}`,
    );
  const knownConfidence = CONFIDENCES.find((word) => word === confidence);
  if (confidence !== undefined && knownConfidence === undefined)
    throw new EngineError('USAGE', `--confidence must be one of ${CONFIDENCES.join(', ')}, not "${confidence}"`);
  if (iteration !== undefined && !/^[1-9]\d{0,5}$/.test(iteration))
    throw new EngineError('USAGE', `--iteration must be a whole number from 1, not "${iteration}"`);
  const hasQr = [round, fail, status].some((value) => value !== undefined);
  return {
    step: Number(step),
    params: readParams(skill, flags),
    ...omitUndefined({ confidence: knownConfidence }),
    // A later visit than the last one is the last one, as in a run.
    ...(iteration === undefined ? {} : { iteration: Math.min(Number(iteration), ITERATIONS_MAX) }),
    ...(hasQr ? { qr: readQrState({ iteration: round, fail, status }) } : {}),
  };
}

/** Converts the flags of parameters to their declared types. Text that does not fit is rejected when it is bound. */
function readParams(skill: Skill, flags: StepFlags): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    Object.entries(flags).flatMap(([name, text]): [string, Json][] => {
      if (text === undefined || STEP_FLAGS.includes(name)) return [];
      const type = Object.hasOwn(skill.params, name) ? skill.params[name]?.type : undefined;
      return [[name, type === undefined ? text : argFromText(text, type)]];
    }),
  );
}

/** Options of the script form. */
export interface ScriptOptions {
  /** The command that prints a step, for the commands that it prints. */
  readonly script: string;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
}

/** Prints the step of a command line. Returns the exit code: 0, or 2 for invalid arguments. */
export function runSkill(skill: Skill, argv: readonly string[], options: ScriptOptions = scriptOptions()): number {
  try {
    const { format: name = 'xml', ...flags } = parseFlags(skill, argv);
    const format = STEP_FORMATS.find((candidate) => candidate === name);
    if (format === undefined) throw new EngineError('USAGE', `--format must be one of ${STEP_FORMATS.join(', ')}, not "${name}"`);
    options.print(renderStep(skill, readStepFlags(skill, flags), { script: options.script, format }));
    return 0;
  } catch (caught) {
    const error = withMissingFlags(caught, (name) => `--${name} VALUE`);
    if (!isEngineError(error)) throw error;
    options.printError(`${error.message}\n`);
    return 2;
  }
}

function parseFlags(skill: Skill, argv: readonly string[]): StepFlags {
  const known = [...STEP_FLAGS, ...Object.keys(skill.params)];
  const flags: Record<string, string> = {};
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] as string;
    const [, name = '', attached] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (!known.includes(name))
      throw new EngineError(
        'USAGE',
        `unknown option "${word}"${didYouMean(
          word,
          known.map((flag) => `--${flag}`),
        )}; the options are ${known.map((flag) => `--${flag}`).join(' ')}`,
      );
    if (Object.hasOwn(flags, name)) throw new EngineError('USAGE', `option "--${name}" may be given only once`);
    const next = argv[index + 1];
    const takesNext = attached === undefined && name !== 'qr-fail';
    if (takesNext && (next === undefined || next.startsWith('--'))) throw new EngineError('USAGE', `option "--${name}" needs a value`);
    flags[name] = attached ?? (takesNext ? (next as string) : 'true');
    if (takesNext) index += 1;
  }
  return flags;
}

function scriptOptions(): ScriptOptions {
  return {
    script: `node ${shellWord(process.argv[1] ?? 'skill.js')}`,
    print: (text) => void process.stdout.write(text),
    printError: (text) => {
      process.stderr.write(text);
      process.exitCode = 2;
    },
  };
}
