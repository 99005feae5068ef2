// Owns the advice about agents that can never complete their step as declared, because they should change a file that a
// gate runs, or must save their progress where they may not write.

import { allChecks, checksIn, isBuiltIn } from '../check.ts';
import { type KindFacts, traitsOf } from '../kind.ts';
import { membersOf, type StepModel } from '../model.ts';
import { mayMeet, writtenBy } from '../overlap.ts';
import { isPlain } from '../pattern.ts';
import type { Problem } from './problem.ts';
import { INTERPRETERS, programName, SHELLS } from './run-options.ts';
import { simpleCommands } from './shell-words.ts';

/** Returns the advice about agents whose work would be rejected. */
export function blockedWork(steps: readonly StepModel[], facts: KindFacts): Problem[] {
  const all = steps.flatMap((step) => [step, ...membersOf(step)]);
  const scripts = all.flatMap(scriptsOf);
  return all.flatMap((step) => [...lostOutputs(step, scripts, facts), ...unwritableState(step)]);
}

interface Script {
  readonly gate: string;
  readonly file: string;
}

/** The project files that a gate's commands run, as far as their text shows them. */
function scriptsOf(step: StepModel): Script[] {
  return allChecks(checksIn(step)).flatMap((check) => {
    if (!isBuiltIn(check, 'command')) return [];
    const { run, argv } = check;
    const commands = argv === undefined ? simpleCommands(run ?? '').map(({ words }) => words) : [argv];
    return commands.flatMap(([program = '', ...rest]) => {
      const name = programName(program);
      const file = SHELLS.has(name) || INTERPRETERS.has(name) ? rest[0] : program;
      return file !== undefined && isProjectFile(file) ? [{ gate: step.id, file: file.replace(/^\.\//, '') }] : [];
    });
  });
}

function isProjectFile(word: string): boolean {
  return /^[\w.][\w./-]*$/.test(word) && word.includes('/') && !word.startsWith('..');
}

function lostOutputs(step: StepModel, scripts: readonly Script[], facts: KindFacts): Problem[] {
  if (traitsOf(facts, step.kind).worker !== 'agent') return [];
  const { mayChange = [] } = step;
  const found = scripts.find(({ file }) => {
    return writtenBy(step).some((pattern) => mayMeet(pattern, file)) && !mayChange.some((pattern) => mayMeet(pattern, file));
  });
  if (found === undefined) return [];
  const { gate, file } = found;
  return [
    {
      step: step.id,
      code: 'OUTPUT_PROTECTED',
      message: `the outputs include ${file}, which the gate "${gate}" runs and which is therefore protected: a change to it fails the step`,
      hint: `write may_change: ["${file}"] (mayChange in TypeScript) if the agent is to write it, or name other files`,
    },
  ];
}

function unwritableState({ id, questionState, mutatesCheckout }: StepModel): Problem[] {
  if (questionState === undefined || mutatesCheckout !== false) return [];
  const where = isPlain(questionState) ? `${questionState}` : `files that match ${questionState}`;
  return [
    {
      step: id,
      code: 'STATE_UNWRITABLE',
      message: `\`question_state\` requires writing ${where}, but \`mutates_checkout: false\` forbids all changes`,
      hint: 'remove one of them, or let git ignore the file',
    },
  ];
}
