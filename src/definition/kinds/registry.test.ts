import { describe, expect, test } from 'vitest';
import { KINDS, pipelineOf } from './registry.ts';

describe('the kinds', () => {
  test('are registered under their own names', () => {
    for (const [name, declaration] of Object.entries(KINDS)) expect(declaration.kind).toBe(name);
  });

  test('lead the lives that the kernel knows', () => {
    const lives = Object.keys(KINDS).map((kind) => [kind, pipelineOf(kind as keyof typeof KINDS)]);
    expect(Object.fromEntries(lives)).toEqual({
      task: 'execute',
      command: 'execute',
      gate: 'execute',
      validate: 'execute',
      agent: 'execute',
      generate: 'execute',
      webhook: 'execute',
      action: 'execute',
      human: 'human',
      parallel: 'group',
      each: 'group',
      workflow: 'child',
      delay: 'delay',
      signal: 'signal',
    });
  });

  test('that may have had an effect ask before they run again after a crash', () => {
    const asking = Object.values(KINDS).filter(({ recovery }) => recovery === 'ask');
    expect(asking.map(({ kind }) => kind)).toEqual(['task', 'command', 'agent', 'generate', 'webhook']);
  });

  test('that hold members are no members', () => {
    const holders = Object.values(KINDS).filter(({ mayBeMember }) => !mayBeMember);
    expect(holders.map(({ kind }) => kind)).toEqual(['parallel', 'each']);
  });
});
