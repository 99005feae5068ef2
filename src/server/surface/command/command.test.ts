import { expect, test } from 'vitest';
import { commandIn } from './command.ts';

test.each([
  ['/pawl approve', { verb: 'approve', words: [], texts: [] }],
  ['/pawl approve 0123abcd deploy#2 deadbeef', { verb: 'approve', words: ['0123abcd', 'deploy#2', 'deadbeef'], texts: [] }],
  ['/pawl reject ask -- no tests -- and no docs\r\nthanks', { verb: 'reject', words: ['ask'], texts: ['no tests', 'and no docs'] }],
  ['/pawl  status ', { verb: 'status', words: [], texts: [] }],
  ['/pawl answer -- grün, bitte', { verb: 'answer', words: [], texts: ['grün, bitte'] }],
])('the comment %j is a command', (body, expected) => {
  expect(commandIn(body)).toEqual(expected);
});

test.each([
  ' /pawl approve',
  '\n/pawl approve',
  '> /pawl approve',
  '/pawl\u00A0approve',
  '/pawl:approve',
  '\\/pawl approve',
  '/pa\u00ADwl approve',
  '',
])('the comment %j is not a command', (body) => {
  expect(commandIn(body)).toBeUndefined();
});

test.each([
  ['/pawl', 'the commands are'],
  ['/pawl Approve', 'the commands are'],
  ['/pawl merge', 'the commands are'],
  ['/pawl approve `x`', 'a run, a step or a digest'],
  ['/pawl approve \u200B', 'invisible characters'],
  ['/pawl reject -- \u202Eevil', 'invisible characters'],
  [`/pawl reject -- ${'x'.repeat(5000)}`, 'at most'],
  ['/pawl status\n  /pawl approve', 'one command'],
])('the comment %j is rejected', (body, problem) => {
  expect(commandIn(body)).toEqual({ problem: expect.stringContaining(problem) });
});
