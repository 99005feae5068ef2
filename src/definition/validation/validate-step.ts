// Owns the validation of a single step: its id, its kind's configuration, outcomes, question, members, numbers and
// expressions. Checks that need other steps are in `validate.ts`.

import { EngineError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { type Expression, parseExpression } from '../../expr/expression.ts';
import { isChoice } from '../analysis.ts';
import { contractProblems } from '../contract/contract-problems.ts';
import { databasesFault, databasesOf, databaseVariable, usesDatabases, writtenDatabase } from '../database.ts';
import {
  isAgentKind,
  isCount,
  type KindFacts,
  type KindRegistry,
  type KindReport,
  pipelineOf,
  runsInOtherProcess,
  traitsOf,
} from '../kind.ts';
import { type ApprovalModel, type Edge, membersOf, type StepModel } from '../model.ts';
import { networkFault } from '../network.ts';
import { COMMON_OUTCOMES, Outcome } from '../outcome.ts';
import { isFileOutput, patternRefusal } from '../output-pattern.ts';
import type { FindingCode } from './finding.ts';
import type { ProblemList } from './problem.ts';

/** A step or member, and its name in messages. */
export interface StepPlace {
  readonly step: StepModel;
  readonly at: string;
  /** The group, if it is a member. */
  readonly group?: StepModel;
}

/** Where faults are reported, and the allowed root names of conditions. */
interface StepChecks {
  readonly problems: ProblemList;
  readonly roots: readonly string[] | 'any';
  readonly registry: KindRegistry;
}

const RESERVED_IDS = ['complete', 'fail', 'escalate', 'reject'] as const;

/** True for an id that is an end of a run and so cannot be a step. */
export function isReservedId(id: string): id is (typeof RESERVED_IDS)[number] {
  return (RESERVED_IDS as readonly string[]).includes(id);
}

// Paths and counters are written `step#visit`, `group/member` and `step:outcome`.
const ID = /^[\p{L}\p{N}_][\p{L}\p{N}_. -]{0,199}$/u;

const COMMON_KEYS: ReadonlySet<string> = new Set([...COMMON_OUTCOMES, Outcome.DEFAULT]);

type Fault = (code: FindingCode, message: string, hint: string) => void;

/** Adds all faults of a single step. */
export function checkStep(place: StepPlace, checks: StepChecks): void {
  const { step, at } = place;
  const fault: Fault = (code, message, hint) => checks.problems.add({ step: at, code, message, hint });
  checkId(step.id, fault);
  checkNext(place, checks, fault);
  checkFields(place, checks);
}

/** Adds the faults of a step that have nothing to do with its id and the steps after it: all that a flow can have. */
export function checkFields(place: StepPlace, checks: StepChecks): void {
  const { step, at } = place;
  const fault: Fault = (code, message, hint) => checks.problems.add({ step: at, code, message, hint });
  const expression = expressionCheck(checks, fault);
  checkQuestion(place, fault);
  checkWrites(place, fault);
  checkContract(step, fault);
  checkJoin(step, fault);
  checkNumbers(step, fault);
  for (const source of expressionsOf(step)) expression(source.text, source.label);
  if (checks.problems.unread.has(at)) return;
  checkRestrictions(place, checks.registry, fault);
  checkDatabases(place, checks.registry, fault);
  checkRestore(place, checks.registry, fault);
  checkMembership(place, checks.registry, fault);
  if (!checks.problems.refused.has(at)) checks.registry.kinds[step.kind].validate(step, kindReport(at, checks));
}

/** Where a kind reports what is wrong with the configuration of a step. */
export function kindReport(at: string, checks: StepChecks): KindReport {
  const fault: Fault = (code, message, hint) => checks.problems.add({ step: at, code, message, hint });
  const { kinds, checks: declared } = checks.registry;
  return {
    fault: (message, hint) => fault('KIND_INVALID', message, hint),
    expression: expressionCheck(checks, fault),
    kind: (name) => (Object.hasOwn(kinds, name) ? kinds[name as StepModel['kind']] : undefined),
    check: (name) => (Object.hasOwn(declared, name) ? declared[name] : undefined),
  };
}

function checkId(id: string, fault: Fault): void {
  if (isReservedId(id))
    fault('STEP_RESERVED', 'this id is reserved for an end of the run', `use another id than ${RESERVED_IDS.join(', ')}`);
  else if (!ID.test(id))
    fault(
      'NAME_INVALID',
      'a step id may contain only letters, digits, "_", "-", "." and spaces, at most 200 characters',
      'rename the step',
    );
  else if (id in {}) fault('NAME_INVALID', 'this id has another meaning in JavaScript', 'use another id');
}

function checkNext({ step, at, group }: StepPlace, { problems, registry }: StepChecks, fault: Fault): void {
  const keys = Object.keys(step.next);
  if (group !== undefined) {
    if (keys.length > 0)
      fault(
        'MEMBER_INVALID',
        `a branch of "${group.id}" cannot have \`next\``,
        `move \`next\` to "${group.id}"; the join of the group decides`,
      );
    return;
  }
  const chosen = step.question?.options ?? [];
  if (keys.length === 0 && step.side !== true && !(chosen.length > 0 && chosen.every(({ to }) => to !== undefined)))
    fault('NEXT_MISSING', '`next` is missing', 'write `next: null` to end the run here, or name a step');
  for (const key of problems.unread.has(at) ? [] : keys) {
    const outcomes = outcomesOf(step, registry);
    if (COMMON_KEYS.has(key) || outcomes.includes(key) || chosen.some(({ outcome }) => outcome === key)) continue;
    const allowed = [...new Set([...COMMON_KEYS, ...outcomes, ...chosen.map(({ outcome }) => outcome)])];
    const suggestion = problems.suggest(key, allowed);
    fault(
      'OUTCOME_UNKNOWN',
      `"${key}" is not an outcome of ${/^[aeiou]/.test(step.kind) ? 'an' : 'a'} ${step.kind} step${suggestion}`,
      `write one of ${allowed.join(', ')}`,
    );
  }
  checkBounds(step, fault);
}

function outcomesOf(step: StepModel, { kinds }: KindRegistry): readonly string[] {
  const { outcomes } = kinds[step.kind];
  // The outcome when others changed the same rows meanwhile.
  const conflict = writtenDatabase(kinds, step) === undefined ? [] : ['conflict'];
  return [...(step.routes ?? []), ...conflict, ...(typeof outcomes === 'function' ? outcomes(step) : outcomes)];
}

function checkBounds(step: StepModel, fault: Fault): void {
  // A string next is stored under two outcomes, but its faults are reported once.
  const seen = new Set<string>();
  const once: Fault = (code, message, hint) => {
    if (!seen.has(message)) fault(code, message, hint);
    seen.add(message);
  };
  for (const entry of Object.values(step.next)) {
    for (const edge of isChoice(entry) ? [entry.onTrue, entry.onFalse] : [entry]) if (edge.max !== undefined) checkBound(edge, once);
  }
}

function checkBound({ max, then, to }: Edge, fault: Fault): void {
  if (!isCount(max, 1)) fault('NUMBER_INVALID', `\`maxIterations\` must be a positive integer, not ${max}`, 'write a limit such as 3');
  if (then !== undefined && 'step' in then && 'step' in to && then.step === to.step)
    fault(
      'LOOP_REENTERED',
      `when the loop limit is reached, the run goes to "${to.step}" again`,
      'let `onExhausted` lead out of the loop, or to "escalate"',
    );
}

function checkQuestion({ step, group }: StepPlace, fault: Fault): void {
  if (step.question === undefined) return;
  const { prompt, options } = step.question;
  if (prompt.trim() === '') fault('QUESTION_INVALID', 'the question has no prompt', 'write what the person decides');
  if (options.length === 0) fault('QUESTION_INVALID', 'the question has no options', 'add at least one answer');
  checkDeciders(step.question, fault);
  const labels = options.map(({ label }) => label);
  for (const label of new Set(labels)) {
    if (label.trim() === '') fault('QUESTION_INVALID', 'an option has no label', 'give every option a label');
    if (labels.indexOf(label) !== labels.lastIndexOf(label))
      fault('QUESTION_INVALID', `two options are called "${label}"`, 'rename one of them');
  }
  if (group !== undefined && options.some(({ to }) => to !== undefined))
    fault('MEMBER_INVALID', 'an option of a branch cannot have a target', `give it an outcome, and let the join of "${group.id}" decide`);
}

/** Only a step that runs in the workspace has files to restore. */
function checkRestore({ step }: StepPlace, facts: KindFacts, fault: Fault): void {
  if (step.onFail === undefined) return;
  if (step.onFail !== 'restore') fault('FIELD_INVALID', `\`onFail\` must be "restore"`, 'write "restore", or remove it');
  else if (traitsOf(facts, step.kind).writesFiles === undefined)
    fault('FIELD_INVALID', `\`onFail\` has no effect on a ${step.kind} step`, 'remove it; it is for steps that write files');
  else if (step.mutatesCheckout === false)
    fault('FIELD_INVALID', '`onFail: restore` has no effect on a step that may not change files', 'remove one of the two');
}

/** Network and file restrictions only apply to agents and programs. */
function checkRestrictions({ step }: StepPlace, facts: KindFacts, fault: Fault): void {
  const { network, mutatesCheckout, kind } = step;
  const named = network !== undefined ? 'network' : mutatesCheckout !== undefined ? 'mutatesCheckout' : undefined;
  if (named === undefined) return;
  if (!isAgentKind(facts, kind) && !runsInOtherProcess(facts, kind))
    fault('FIELD_INVALID', `\`${named}\` has no effect on a ${kind} step`, 'remove it; it is for agents and commands');
  const wrong = network === undefined ? undefined : networkFault(network as Json);
  if (wrong !== undefined) fault('FIELD_INVALID', `\`network\` ${wrong}`, 'write false, or a list of hosts');
}

function checkDatabases({ step, group }: StepPlace, { kinds }: KindFacts, fault: Fault): void {
  const { databases, kind } = step;
  if (databases === undefined) return;
  if (!usesDatabases(kinds, kind))
    fault('FIELD_INVALID', `\`databases\` has no effect on a ${kind} step`, 'write it on the steps inside it, or on the workflow');
  const wrong = databasesFault(databases as Json);
  const placed = group === undefined ? undefined : databasesOf(kinds, step).find(({ copy }) => copy !== undefined);
  if (placed !== undefined)
    fault(
      'FIELD_INVALID',
      `the copies of "${placed.name}" for all branches or items would be in the same place`,
      `remove \`copy\`; the path is then in the environment variable ${databaseVariable(placed.name)}`,
    );
  if (wrong !== undefined) fault('FIELD_INVALID', `\`databases\` ${wrong}`, 'write a list of names, or a map such as { book: read }');
}

function checkWrites({ step }: StepPlace, fault: Fault): void {
  // A missing pattern is reported with the outputs.
  const produced = (step.outputs ?? []).filter(isFileOutput).flatMap(({ pattern }: { readonly pattern?: string }) => pattern ?? []);
  const { questionState } = step;
  if (questionState !== undefined && step.supportsQuestions !== true)
    fault(
      'FIELD_INVALID',
      '`questionState` has no effect on a step that does not accept questions',
      'add `supportsQuestions: true`, or remove it',
    );
  const asked = questionState === undefined ? [] : [questionState];
  const named = [...(step.writes ?? []), ...(step.protected ?? []), ...(step.mayChange ?? []), ...produced, ...asked];
  for (const pattern of named) {
    const refusal = patternRefusal(pattern);
    if (refusal !== undefined) fault('FIELD_INVALID', `the pattern "${pattern}" is invalid: ${refusal}`, 'name files inside the workspace');
  }
}

function checkContract({ contract }: StepModel, fault: Fault): void {
  for (const problem of contract === undefined ? [] : contractProblems(contract))
    fault('FIELD_INVALID', `\`contract\` is invalid: ${problem}`, 'change this part of the contract');
}

function checkDeciders({ from, count, subjects }: ApprovalModel, fault: Fault): void {
  if (from !== undefined && (from.length === 0 || from.some((name) => name.trim() === '')))
    fault('QUESTION_INVALID', '`from` must name at least one group', 'remove it if anyone may decide');
  if (count !== undefined && !isCount(count, 1))
    fault('NUMBER_INVALID', `\`count\` must be a positive integer, not ${count}`, 'write how many people must agree');
  for (const pattern of subjects?.files ?? []) {
    const refusal = patternRefusal(pattern);
    if (refusal !== undefined)
      fault('QUESTION_INVALID', `the pattern "${pattern}" under \`subjects\` is invalid: ${refusal}`, 'name files inside the workspace');
  }
}

function checkMembership({ step, group }: StepPlace, facts: KindFacts, fault: Fault): void {
  const isGroup = pipelineOf(facts, step.kind) === 'group';
  if (group !== undefined && isGroup)
    fault(
      'MEMBER_INVALID',
      `a ${step.kind} step cannot be part of "${group.id}"`,
      'put it into a separate workflow and start that as a step',
    );
  if (group !== undefined && membersOf(step).length > 0 && !isGroup)
    fault(
      'MEMBER_INVALID',
      `a branch of "${group.id}" cannot contain other steps`,
      'put it into a separate workflow and start that as a step',
    );
  const seen = new Set<string>();
  const twice = membersOf(step).flatMap(({ id }) => (seen.size === seen.add(id).size ? [id] : []));
  for (const id of new Set(twice)) fault('STEP_DUPLICATE', `two branches are called "${id}"`, 'rename one of them');
}

function checkJoin(step: StepModel, fault: Fault): void {
  if (step.kind !== 'parallel' && step.kind !== 'each') return;
  const { join, concurrency } = step;
  if (concurrency !== undefined && !isCount(concurrency, 1))
    fault('NUMBER_INVALID', `\`concurrency\` must be a positive integer, not ${concurrency}`, 'write how many may work at once');
  if (join.rule !== 'count') return;
  if (!isCount(join.n, 1)) fault('JOIN_INVALID', `\`join\` must be a positive integer, not ${join.n}`, 'write how many must succeed');
  else if (step.kind === 'parallel' && join.n > step.members.length)
    fault(
      'JOIN_INVALID',
      `\`join\` needs ${join.n} branches, but the step has ${step.members.length}`,
      `write at most ${step.members.length}`,
    );
}

function checkNumbers(step: StepModel, fault: Fault): void {
  const { timeoutMs, retry, contractRetries } = step;
  if (timeoutMs !== undefined && !isCount(timeoutMs, 1))
    fault('TIMEOUT_INVALID', `\`timeout\` must be a positive duration, not ${timeoutMs} ms`, 'write one such as "30s"');
  if (!isCount(retry.max, 0))
    fault('NUMBER_INVALID', `\`retry\` must be 0 or a positive integer, not ${JSON.stringify(retry.max)}`, 'write a number such as 2');
  if (!retry.on.every((outcome) => outcome === 'error' || outcome === 'timeout'))
    fault('FIELD_INVALID', `\`retry.on\` must be "error", "timeout" or both, not ${retry.on.join(', ')}`, 'remove the other outcomes');
  if (!isCount(contractRetries, 0))
    fault('NUMBER_INVALID', `\`contractRetries\` must be 0 or a positive integer, not ${contractRetries}`, 'write a number such as 1');
  const { backoff } = retry;
  if (
    backoff !== undefined &&
    !(isCount(backoff.initialMs, 0) && backoff.factor >= 1 && Number.isFinite(backoff.factor) && backoff.maxMs >= backoff.initialMs)
  )
    fault(
      'NUMBER_INVALID',
      '`backoff` must have a `factor` of at least 1 and a `max` of at least `initial`',
      'write one such as { initial: "1s", factor: 2, max: "30s" }',
    );
}

function expressionsOf(step: StepModel): { text: string; label: string }[] {
  const found: { text: string; label: string }[] = [];
  if (step.condition !== undefined) found.push({ text: step.condition, label: 'the condition' });
  for (const [outcome, entry] of Object.entries(step.next)) {
    if (isChoice(entry)) found.push({ text: entry.condition, label: `the condition of "${outcome}"` });
  }
  for (const { name, expression } of [...step.preconditions, ...step.postconditions]) {
    if (expression !== undefined) found.push({ text: expression, label: `the check "${name}"` });
  }
  if (found.length < 2) return found;
  // A string next is stored under two outcomes, but its condition is reported once.
  return found.filter(({ text }, index) => found.findIndex((other) => other.text === text) === index);
}

function expressionCheck({ problems, roots }: StepChecks, fault: Fault): KindReport['expression'] {
  return (source, label, own = roots) => {
    const parsed = tryParse(source);
    if (typeof parsed === 'string') return fault('CONDITION_INVALID', `${label} is invalid: ${parsed}`, 'fix the expression');
    if (own === 'any') return;
    for (const root of new Set(parsed.paths.map(({ segments }) => String(segments[0])))) {
      if (!own.includes(root))
        fault(
          'CONDITION_INVALID',
          `${label} reads "${root}", which does not exist${problems.suggest(root, own)}`,
          `begin with one of ${own.join(', ')}`,
        );
    }
  };
}

function tryParse(source: string): Expression | string {
  try {
    return parseExpression(source);
  } catch (error) {
    if (error instanceof EngineError) return error.message;
    throw error;
  }
}
