import { expect, test } from 'vitest';
import type { Shell } from '../shell.ts';
import { formRight } from './mcp.ts';

const shell = { env: {} } as Shell;

test('answers from a form count only if the user allows it and no signature is required, and their source is recorded', () => {
  const client = { name: 'a\u001bclient', elicits: true };
  expect(formRight(shell, { settings: { mcp: { elicit: 'questions' } } })?.actorFor(client)).toMatch(/^\S+ via elicitation in a\S*client$/);
  expect(formRight(shell, { settings: {} })).toBeUndefined();
  expect(formRight(shell, { settings: { mcp: { elicit: 'questions' }, decisions: 'signed' } })).toBeUndefined();
});
