import { expect, test } from 'vitest';
import type { QuestionOptionSpec } from '../authoring/graph/spec.ts';
import { defineWorkflow } from '../compat/index.ts';
import type { OpenApproval } from '../engine/request/approvals.ts';
import { optionFor, type Verdict } from './verdict-option.ts';

/** What a verdict means at a question between `draft` and `publish` with these options; a refusal is its message. */
function meant(verdict: Verdict, options: readonly QuestionOptionSpec[]): string {
  const { definition } = defineWorkflow({
    name: 'review',
    steps: [
      { id: 'draft', handler: () => null, next: 'ask' },
      { id: 'ask', human: { prompt: 'Publish?', options }, next: { ok: 'publish', fail: 'draft', skip: 'publish' } },
      { id: 'publish', handler: () => null, next: null },
    ],
  }).compiled;
  const question = definition.steps.find(({ id }) => id === 'ask')?.question;
  if (question === undefined) throw new Error('the step has a gate');
  const open: OpenApproval = { path: 'ask#1', step: 'ask', question, digest: '', shown: {}, signed: false, since: 0 };
  try {
    return optionFor(verdict, open, definition).label;
  } catch (error) {
    return String((error as Error).message);
  }
}

const yes = { label: 'yes', nextStep: 'publish' };
const no = { label: 'no', nextStep: null };
const rework = { label: 'rework', nextStep: 'draft', requiresInput: true };

test('approve chooses the option that lets the work pass, not the one that sends it back', () => {
  expect(meant('approve', [rework, yes, no])).toBe('yes');
});

test('approve chooses an option that completes the run', () => {
  expect(meant('approve', [{ label: 'done', nextStep: null, ends: 'completed' }, no])).toBe('done');
});

test('approve lists the options if several let the work pass', () => {
  expect(meant('approve', [yes, { label: 'later' }, no])).toMatch(
    /^approval "ask" has several options that mean "approve"; choose one with "pawl decide RUN --option LABEL": "yes", "later", "no"$/,
  );
});

test('approve chooses the one that is labelled "approve" among several', () => {
  expect(meant('approve', [yes, { label: 'Approve' }])).toBe('Approve');
});

test('approve chooses neither an option with another outcome nor a return to the step itself', () => {
  expect(meant('approve', [{ label: 'pass over', outcome: 'skip' }, no])).toContain('has no option that means "approve"');
  expect(meant('approve', [{ label: 'again', nextStep: 'ask' }, no])).toContain('has no option that means "approve"');
});

test('reject prefers the option that ends the run rejected to one that sends the work back', () => {
  expect(meant('reject', [yes, rework, no])).toBe('no');
});

test('reject chooses an option with the outcome reject or fail', () => {
  expect(meant('reject', [yes, { label: 'bad', outcome: 'fail' }])).toBe('bad');
  expect(meant('reject', [yes, { label: 'bad', outcome: 'reject' }])).toBe('bad');
});

test('reject chooses the option that sends the work back if no option rejects it', () => {
  expect(meant('reject', [yes, rework])).toBe('rework');
});

test('reject lists the options if several reject, and if none does', () => {
  expect(meant('reject', [yes, no, { label: 'bad', outcome: 'fail' }])).toContain('has several options that mean "reject"');
  expect(meant('reject', [yes])).toContain('has no option that means "reject"');
});
