import { expect, test } from 'vitest';
import { compileGraph } from '../authoring/graph/graph.ts';
import { REGISTRY } from '../kinds/registry.ts';
import { hashCode, hashDefinition, sourceOf, withSource } from './hash.ts';
import type { Definition } from './model.ts';

const { definition } = compileGraph(
  {
    name: 'wf',
    steps: [
      { id: 'a', command: 'x', next: { ok: 'b', fail: null } },
      { id: 'b', timeout: '5m', next: null },
    ],
  },
  REGISTRY,
);

/** Returns the same data with the keys of every object in reverse order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, turned(member)]),
  );
}

test('a definition has the same hash after being stored, and in any order of keys', () => {
  const hash = hashDefinition(definition);
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(hashDefinition(JSON.parse(JSON.stringify(definition)) as Definition)).toBe(hash);
  expect(JSON.stringify(turned(definition))).not.toBe(JSON.stringify(definition));
  expect(hashDefinition(turned(definition) as Definition)).toBe(hash);
});

test('a field that is undefined is a field that is absent', () => {
  const spelled = { ...definition, version: undefined } as unknown as Definition;
  expect(hashDefinition(spelled)).toBe(hashDefinition(definition));
});

test('every change of the data changes the hash', () => {
  const hashes: string[] = [
    definition,
    { ...definition, title: 'Other' },
    { ...definition, entry: 'b' } as Definition,
    { ...definition, steps: definition.steps.toReversed() } as Definition,
    { ...definition, limits: { maxIterations: 11 } },
  ].map(hashDefinition);
  expect(new Set(hashes).size).toBe(hashes.length);
});

test('the hash of code depends on text, step and role, and not on the order of functions', () => {
  const one = { step: 'a', role: 'handler', source: '() => 1' };
  const two = { step: 'b', role: 'handler', source: '() => 2' };
  expect(hashCode([one, two])).toBe(hashCode([two, one]));
  const hashes = [[one], [two], [one, two], [{ ...one, role: 'poll' }], [{ ...one, step: 'b' }], [{ ...one, source: '() => 2' }]].map(
    hashCode,
  );
  // The last one shares the text, the step and the role of `two` only in part.
  expect(new Set(hashes).size).toBe(hashes.length);
});

test('a function can have another source than its text, which stays as it is', () => {
  const build = () => 1;
  const text = build.toString();
  expect(sourceOf(build)).toBe(text);
  expect([sourceOf(withSource(build, 'what the author wrote')), build.toString()]).toEqual(['what the author wrote', text]);
});
