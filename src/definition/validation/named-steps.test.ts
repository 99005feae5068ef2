import { expect, test } from 'vitest';
import { edge, type Given, step } from '../../../test/kernel/definitions.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import type { CheckModel } from '../check.ts';
import type { GraphDefinition, StepModel } from '../model.ts';
import { findProblems } from './validate.ts';

const BUILD: Given = { outputs: [{ name: 'pr', type: 'pr', required: false }] };
const inGate = (...checks: CheckModel[]): Given => ({ kind: 'gate', config: { checks } });

/** What is wrong with a step that comes after one that opens a pull request and one that opens none. */
function faults(fields: Given, more: Partial<GraphDefinition> = {}): string[] {
  const steps: readonly StepModel[] = [
    step('build', { ...BUILD, next: { ok: edge('plain') } }),
    step('plain', { next: { ok: edge('last') } }),
    step('last', { ...fields, next: { ok: edge('complete') } }),
  ];
  const base = {
    name: 'wf',
    title: 'wf',
    description: '',
    form: 'graph',
    params: {},
    entry: 'build',
    limits: { maxIterations: 10 },
  } as const;
  return findProblems({ ...base, steps, ...more }, { registry: REGISTRY }).map(({ step: at, message }) => `${at}: ${message}`);
}

test('a check or an action may be about the pull request of a step that opens one', () => {
  expect(faults(inGate({ check: 'ci_status', pr: 'build' }, { check: 'ci_status' }))).toEqual([]);
  expect(faults({ kind: 'action', config: { action: 'merge_pr', pr: 'build' } })).toEqual([]);
});

test('a step that is named for its pull request must exist and open one, also inside other checks and in an undo', () => {
  const missing = 'is about the pull request of step "bild", which does not exist (did you mean "build"?)';
  expect(faults(inGate({ check: 'any_of', checks: [{ check: 'ci_status', pr: 'bild' }] }))).toEqual([
    `last: the check "ci_status" ${missing}`,
  ]);
  expect(faults({ kind: 'action', config: { action: 'comment', message: 'x', pr: 'bild' } })).toEqual([`last: it ${missing}`]);
  const undo = step('last', { kind: 'action', config: { action: 'label', add: ['x'], pr: 'bild' } });
  expect(faults({ undo })).toEqual([`last/undo: it ${missing}`]);
  expect(faults(inGate({ check: 'ci_status', pr: 'plain' }))).toEqual([
    'last: the check "ci_status" is about the pull request of step "plain", which opens none',
  ]);
});

test('a branch may open it, and a template or a run that is started with its pull requests may name any', () => {
  const members = [step('docs', BUILD), step('code', inGate({ check: 'ci_status', pr: 'docs' }))];
  expect(faults({ kind: 'parallel', members, join: { rule: 'all' } })).toEqual([]);
  expect(faults({ kind: 'action', templates: true, config: { action: 'merge_pr', pr: '{{ params.which }}' } })).toEqual([]);
  expect(faults(inGate({ check: 'ci_status', pr: 'other' }), { facts: ['pr_numbers'] })).toEqual([]);
});

test('a step merges fields that its schema has', () => {
  const agent = (merges: readonly string[], more: object = {}): Given => ({
    kind: 'agent',
    merges,
    config: { role: 'dev', schema: { type: 'object', properties: { size: {} }, additionalProperties: false, ...more } },
  });
  expect(faults(agent(['sise']))).toEqual(['last: it merges "sise", but its schema has no field "sise" (did you mean "size"?)']);
  expect(faults(agent(['size', 'pr_number']))).toEqual([]);
  expect(faults(agent(['sise'], { additionalProperties: true }))).toEqual([]);
});
