import { describe, expect, test } from 'vitest';
import { defineWorkflow } from '../index.ts';
import {
  addedName,
  addedPurpose,
  createPath,
  isMember,
  isOfStep,
  isWithin,
  modelAt,
  modelNamed,
  parsePath,
  partNamed,
  pathText,
  pathToGroup,
  splitName,
  topStepOf,
  withoutVisits,
} from './address.ts';

describe('a path', () => {
  test.each([
    [createPath('build', 3), { step: 'build', visit: 3 }],
    ['review#2/style', { step: 'review', visit: 2, key: 'style' }],
    ['each#1/docs/a#1.md', { step: 'each', visit: 1, key: 'docs/a#1.md' }],
    ['review/style', undefined],
    ['build', undefined],
  ])('%s is taken apart', (path, parts) => {
    expect(parsePath(path)).toEqual(parts);
  });

  test('a path leads to the step or the group at its beginning, and so does a name', () => {
    expect(['build#1', 'review#2/style', 'review/style', 'build'].map(topStepOf)).toEqual(['build', 'review', 'review', 'build']);
  });

  test('the path of a member leads to its group, whatever the key of the item and the parent of the run', () => {
    expect(['build#1', 'each#1/docs/a#1.md'].map(isMember)).toEqual([false, true]);
    expect(pathToGroup('each#1/docs/a#1.md', 'each#1')).toBe('each#1');
    expect(pathToGroup('call#2/each#1/docs/a.md', 'each#1')).toBe('call#2/each#1');
  });

  test('belongs to its step in every visit, and to no step whose name only begins alike', () => {
    expect(['build', 'build#2', 'build#2/x', 'build/x', 'build-all#1', 'built#1'].map((path) => isOfStep(path, 'build'))).toEqual([
      ...[true, true, true, true, false, false],
    ]);
  });

  test('a path is shown without the number of a first visit', () => {
    expect(['build#1', 'build#11', 'build#2', 'each#1/a'].map(pathText)).toEqual(['build', 'build#11', 'build#2', 'each#1/a']);
  });

  test('a path without its visits is the same in every visit', () => {
    expect(['a#1/b#2/key', 'a#7/b#1/key'].map(withoutVisits)).toEqual(['a/b/key', 'a/b/key']);
  });

  test('contains what is below it, and not what only begins like it', () => {
    expect(['a#1', 'a#1/x', 'a#10/x', 'b#1'].filter((path) => isWithin(path, 'a#1'))).toEqual(['a#1', 'a#1/x']);
  });

  test('a name finds a step before an item with the same name', () => {
    expect(partNamed('each#1/build/build#2', 'build')).toEqual({ name: 'build', path: 'each#1/build/build#2', is: 'step' });
    expect(partNamed('review#1/style', 'style')).toEqual({ name: 'style', path: 'review#1/style', is: 'member' });
    expect(partNamed('review#1/style', 'other')).toBeUndefined();
  });
});

describe('the model of a step', () => {
  const branch = (prompt: string) => ({ branches: { look: { agent: 'dev', prompt } } });
  const { definition } = defineWorkflow({
    name: 'w',
    steps: {
      one: { parallel: branch('First.'), next: 'two' },
      two: { parallel: branch('Second.'), next: 'all' },
      all: { each: { items: 'params.list', step: { agent: 'dev', prompt: 'Each.' } }, next: null },
    },
  });
  const prompt = (model: unknown): unknown => (model as { readonly config?: { readonly prompt?: unknown } } | undefined)?.config?.prompt;

  test('the model of a member is found in its own group, if groups have members with the same id', () => {
    expect(['one/look', 'two/look'].map((name) => prompt(modelNamed(definition, name)))).toEqual(['First.', 'Second.']);
    expect(['one#1/look', 'two#4/look'].map((path) => prompt(modelAt(definition, path)))).toEqual(['First.', 'Second.']);
  });

  test('the model of an item is the body of the fan-out, whatever its key', () => {
    expect(prompt(modelAt(definition, 'all#1/one'))).toBe('Each.');
    expect(modelNamed(definition, 'all')?.kind).toBe('each');
  });

  test('a name that the definition lacks has no model', () => {
    expect([modelNamed(definition, 'look'), modelNamed(definition, 'one/other'), modelAt(definition, 'none#1')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

test('a name of a member has both ids', () => {
  expect([splitName('build'), splitName('review/style')]).toEqual([{ id: 'build' }, { id: 'review', member: 'style' }]);
});

test('a step that a stage adds is named after the stage and what it is for', () => {
  expect(addedName('build', 'on_fail', 'spawn')).toBe('build.on_fail.spawn');
  expect(addedPurpose('build.on_fail.spawn', 'build')).toEqual(['on_fail', 'spawn']);
  expect([addedPurpose('build', 'build'), addedPurpose('builder.enter', 'build')]).toEqual([undefined, undefined]);
});
