import { expect, test } from 'vitest';
import { approving, rejecting } from './choice.ts';

const option = (label: string, more: object = {}) => ({ label, next: null, outcome: 'ok', requiresInput: false, ...more });

test('the key a chooses the only option that leads forward, or the one labelled "approve"', () => {
  expect(approving([option('release'), option('rework', { requiresInput: true })])?.label).toBe('release');
  expect(approving([option('approve'), option('approve later')])?.label).toBe('approve');
  expect(approving([option('this'), option('that')])).toBeUndefined();
});

test('the key r chooses the only option that rejects, or the one that sends the work back', () => {
  expect(rejecting([option('go'), option('stop', { outcome: 'reject' })])?.label).toBe('stop');
  expect(rejecting([option('go'), option('rework', { requiresInput: true })])?.label).toBe('rework');
  expect(rejecting([option('this'), option('that')])).toBeUndefined();
});
