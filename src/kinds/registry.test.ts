import { describe, expect, test } from 'vitest';
import { pipelineOf } from '../definition/kind.ts';
import { REGISTRY } from './registry.ts';

const { kinds } = REGISTRY;

describe('the kinds', () => {
  test('are registered under their own names', () => {
    for (const [name, declaration] of Object.entries(kinds)) expect(declaration.kind).toBe(name);
  });

  test('lead the lives that the kernel knows', () => {
    const lives = Object.keys(kinds).map((kind) => [kind, pipelineOf(REGISTRY, kind)]);
    expect(Object.fromEntries(lives)).toEqual({
      task: 'execute',
      command: 'execute',
      gate: 'execute',
      validate: 'execute',
      review: 'execute',
      agent: 'execute',
      generate: 'execute',
      webhook: 'execute',
      action: 'execute',
      own: 'execute',
      human: 'human',
      parallel: 'group',
      each: 'group',
      workflow: 'child',
      delay: 'delay',
      signal: 'signal',
    });
  });

  test('that may have had an effect ask before they run again after a crash', () => {
    const asking = Object.values(kinds).filter(({ recovery }) => recovery === 'ask');
    expect(asking.map(({ kind }) => kind)).toEqual(['task', 'agent', 'webhook', 'command', 'generate', 'own']);
  });

  test('have an executor, but for those that only wait', () => {
    const waiting = Object.values(kinds).filter(({ execute }) => execute === undefined);
    expect(waiting.map(({ kind }) => kind)).toEqual(['parallel', 'human', 'workflow', 'each', 'signal']);
  });
});
