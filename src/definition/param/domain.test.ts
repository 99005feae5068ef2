import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileGraph } from '../../authoring/graph/graph.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { arg } from './arg.ts';
import { BoundedInt, ChoiceSet, Constant, domainOf, extractSchema } from './domain.ts';

describe('a domain', () => {
  test('lists its values, repeatedly', () => {
    const ints = BoundedInt(1, 5);
    expect([[...ints], [...ints], ints.size]).toEqual([[1, 2, 3, 4, 5], [1, 2, 3, 4, 5], 5]);
    expect([...ChoiceSet(['full', 'quick'])]).toEqual(['full', 'quick']);
    expect([...Constant(42)]).toEqual([42]);
  });

  test('the key of a domain depends only on its values', () => {
    const keys = [
      BoundedInt(1, 5),
      BoundedInt(1, 5),
      ChoiceSet([{ a: 1, b: 2 }]),
      ChoiceSet([{ b: 2, a: 1 }]),
      Constant(1),
      ChoiceSet([1]),
    ];
    expect(new Set(keys.map(({ key }) => key)).size).toBe(4);
  });

  test('a domain has a value at each position and none outside', () => {
    for (const domain of [BoundedInt(-1, 1), ChoiceSet(['a', { b: 1 }]), Constant(null)]) {
      expect(Array.from({ length: domain.size }, (_, index) => domain.at(index))).toEqual([...domain]);
      for (const index of [-1, domain.size, 0.5])
        expect(() => domain.at(index)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
    }
  });

  test('a domain of any size is an arbitrary for fast-check in one line', () => {
    const large = BoundedInt(10, 1e9);
    const values: fc.Arbitrary<number> = fc.nat(large.size - 1).map((index) => large.at(index));
    fc.assert(fc.property(values, (value) => value >= 10 && value <= 1e9));
    const failed = fc.check(
      fc.property(values, () => false),
      { seed: 1 },
    );
    expect(failed.counterexample).toEqual([10]);
  });

  test('a domain is frozen', () => {
    const choices = ['a', 'b'];
    const domain = ChoiceSet(choices);
    choices.push('c');
    expect([...domain]).toEqual(['a', 'b']);
    for (const frozen of [domain, BoundedInt(0, 1), Constant(1)]) expect(() => Object.assign(frozen, { key: '' })).toThrow(TypeError);
  });

  test('counts a value that is given twice once', () => {
    expect([...ChoiceSet(['a', 'b', 'a'])]).toEqual(['a', 'b']);
  });

  test('a domain is never empty', () => {
    for (const empty of [
      () => BoundedInt(2, 1),
      () => BoundedInt(0.5, 2),
      () => BoundedInt(0, Number.POSITIVE_INFINITY),
      () => ChoiceSet([]),
    ])
      expect(empty).toThrow(expect.objectContaining({ code: 'DEFINITION_INVALID' }));
  });
});

describe('the domain of a parameter', () => {
  test('the domain of a parameter is its choices, its bounds, both booleans, or its default; an open parameter has none', () => {
    expect([...(domainOf(arg({ choices: ['a', 'b'], default: 'b' })) ?? [])]).toEqual(['a', 'b']);
    expect([...(domainOf(arg({ min: 2, max: 4 })) ?? [])]).toEqual([2, 3, 4]);
    expect([...(domainOf(arg({ type: 'boolean' })) ?? [])]).toEqual([false, true]);
    expect([...(domainOf(arg({ default: 'README.md' })) ?? [])]).toEqual(['README.md']);
    expect([...(domainOf(arg({ type: 'number', min: 0, max: 1, default: 0.5 })) ?? [])]).toEqual([0.5]);
    expect(domainOf(arg({ type: 'string' }))).toBeUndefined();
  });
});

test('the schema of a workflow has the domains at each step: the shared ones, overridden by its own', () => {
  const { definition } = compileGraph(
    {
      name: 'wf',
      params: { mode: arg({ choices: ['quick', 'full'] }), free: arg({ type: 'string' }) },
      steps: [
        { id: 'a', next: 'b' },
        { id: 'b', args: { iteration: arg({ min: 1, max: 3 }), mode: arg({ choices: ['full'] }) }, next: 'c' },
        { id: 'c', command: 'x', parallel: true, parallelKey: 'xs', args: { level: arg({ min: 0, max: 1 }) }, next: null },
      ],
    },
    REGISTRY,
  );
  const schema = extractSchema(definition);
  const listed = Object.entries(schema).map(([step, domains]) => [
    step,
    Object.entries(domains).map(([name, domain]) => [name, [...domain]]),
  ]);
  expect(listed).toEqual([
    ['a', [['mode', ['quick', 'full']]]],
    [
      'b',
      [
        ['mode', ['full']],
        ['iteration', [1, 2, 3]],
      ],
    ],
    [
      'c',
      [
        ['mode', ['quick', 'full']],
        ['level', [0, 1]],
      ],
    ],
  ]);
});
