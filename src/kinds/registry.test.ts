import { describe, expect, test } from 'vitest';
import { type KindTraits, pipelineOf } from '../definition/kind.ts';
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
      custom: 'execute',
      human: 'human',
      parallel: 'group',
      each: 'group',
      workflow: 'child',
      delay: 'delay',
      signal: 'signal',
    });
  });

  test('kinds that may have had an effect ask before they run again after a crash', () => {
    const asking = Object.values(kinds).filter(({ recovery }) => recovery === 'ask');
    expect(asking.map(({ kind }) => kind)).toEqual(['task', 'agent', 'webhook', 'command', 'generate', 'custom']);
  });

  test('have an executor, but for those that only wait', () => {
    const waiting = Object.values(kinds).filter(({ execute }) => execute === undefined);
    expect(waiting.map(({ kind }) => kind)).toEqual(['parallel', 'human', 'workflow', 'each', 'signal']);
  });

  test.each<[string, (kind: KindTraits) => boolean, readonly string[]]>([
    ['may change any file', ({ writesFiles }) => writesFiles === 'any', ['agent', 'command', 'validate', 'generate']],
    ['may change files that they declare', ({ writesFiles }) => writesFiles === 'declared', ['task', 'custom']],
    ['are given work', ({ worker }) => worker !== undefined, ['task', 'agent', 'command', 'generate', 'custom']],
    ['only read databases', ({ readsDatabases }) => readsDatabases === true, ['gate', 'delay', 'human', 'signal']],
    ['join the data of the run', ({ joinsData }) => joinsData === true, ['task', 'agent', 'workflow', 'command']],
    ['check work', ({ checksWork }) => checksWork === true, ['gate', 'validate']],
    ['only look', ({ onlyLooks }) => onlyLooks === true, ['gate', 'action']],
    ['leave nothing', ({ effects }) => effects === 'none', ['parallel', 'delay', 'human', 'each', 'review', 'signal']],
    ['leave nothing to take back', ({ effects }) => effects === 'passing', ['gate', 'workflow', 'generate']],
    ['can undo a step', ({ undoText }) => undoText !== undefined, ['task', 'command', 'action']],
    [
      'act outside the workspace',
      ({ effectText }) => effectText !== undefined,
      ['task', 'agent', 'webhook', 'command', 'action', 'custom'],
    ],
  ])('the kinds that %s are known by their declarations', (_what, is, expected) => {
    const found = Object.values(kinds)
      .filter(is)
      .map(({ kind }) => kind);
    expect(found).toEqual(expected);
  });
});

describe('the checks', () => {
  const checks = Object.entries(REGISTRY.checks);

  test('are registered under their own names', () => {
    for (const [name, check] of checks) expect(check.name).toBe(name);
  });

  test('checks that a merge requires, or that are about the pull request, read no files', () => {
    const atForge = checks.filter(([, check]) => check.requiredAtMerge === true || check.needsPullRequest === true);
    expect(atForge.filter(([, check]) => check.readsFiles !== false)).toEqual([]);
  });

  test('checks that are about approval are required at a merge', () => {
    expect(checks.filter(([, check]) => check.isApproval === true && check.requiredAtMerge !== true)).toEqual([]);
  });
});
