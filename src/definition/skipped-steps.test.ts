import { describe, expect, test } from 'vitest';
import { edge, graph, human, option, step, target, to } from '../../test/kernel/definitions.ts';
import { questionsPassed, stepsAfter, stepsBetween, stepsPassed } from './skipped-steps.ts';

const ANSWERS = [option('publish', { to: target('publish') }), option('rework', { to: target('draft') })];
const release = graph(
  step('draft', { next: to('check') }),
  step('check', { next: { ok: edge('approve'), fail: edge('draft', { max: 2 }) } }),
  human('approve', { question: { prompt: 'Publish?', show: [], options: ANSWERS } }),
  step('publish', { next: to('announce') }),
  step('announce', { next: to('complete') }),
);
const optional = graph(
  step('draft', { next: { ok: edge('publish'), iterate: edge('approve') } }),
  human('approve', { next: to('publish') }),
  step('publish', { next: to('complete') }),
);

describe('the steps between two steps', () => {
  test('the steps between two steps are those on every path, in order', () => {
    expect(stepsBetween(release, 'draft', 'publish')).toEqual(['draft', 'check', 'approve']);
    expect(stepsBetween(optional, 'draft', 'publish')).toEqual(['draft']);
  });

  test('without a path between two steps, only the first is between them', () => {
    expect(stepsBetween(release, 'publish', 'draft')).toEqual(['publish']);
  });
});

test('the steps after a step are those on every path to a good end', () => {
  expect(stepsAfter(release, 'draft')).toEqual(['check', 'approve', 'publish', 'announce']);
  expect(stepsAfter(optional, 'draft')).toEqual(['publish']);
});

describe('a run that continues elsewhere', () => {
  test('skips the steps that it does not reach again', () => {
    expect(stepsPassed(release, 'check', 'publish')).toEqual(['check', 'approve']);
  });

  test('skips nothing when it goes back before the step where it stopped', () => {
    expect(stepsPassed(release, 'check', 'draft')).toEqual([]);
    expect(stepsPassed(release, 'check', 'check')).toEqual([]);
  });
});

describe('questions before a step', () => {
  test('come with the answers that lead on, and not with those that lead back', () => {
    expect(questionsPassed(release, 'publish', ['draft', 'check', 'approve'])).toEqual([{ step: 'approve', on: ['publish'] }]);
    expect(questionsPassed(release, 'announce', ['approve', 'publish'])).toEqual([{ step: 'approve', on: ['publish'] }]);
  });

  test('questions that every path from the step asks are left out', () => {
    expect(questionsPassed(release, 'check', ['draft', 'approve'])).toEqual([]);
  });
});
