import { describe, expect, test } from 'vitest';
import { step } from '../../kinds/step-builder.ts';
import { digestOfYield } from '../../programs/flow-digest.ts';
import { all, race } from './call.ts';
import { serialiseStep, shownValue } from './serial.ts';

function greet(...names: unknown[]) {
  return names.length;
}
class Reviewer {
  readonly secret = () => 'live';
  execute() {
    return this.secret();
  }
}

describe('a serialised step', () => {
  test('is what JSON.stringify gives', () => {
    const call = step('hi').task(greet, 1);
    expect(JSON.parse(JSON.stringify({ call }))).toEqual({ call: serialiseStep(call) });
  });

  test('is plain data: live objects are shown by name', () => {
    const call = step('hi')
      .task(greet, 1, { deep: [greet, new Reviewer()] }, 10n)
      .timeout('1s');
    const data = serialiseStep(call);
    expect(data).toEqual({
      name: 'hi',
      kind: 'task',
      config: { args: [1, { deep: ['[function greet]', '[Reviewer]'] }, '[bigint 10]'] },
      timeoutMs: 1000,
      recovery: 'ask',
      live: { run: '[function greet]' },
    });
    expect(JSON.parse(JSON.stringify(data))).toEqual(data);
  });

  test('shows an agent, a context builder and the step that repairs', () => {
    const fix = step('fix').agent({
      agent: new Reviewer(),
      context: function build() {
        return {};
      },
    });
    expect(serialiseStep(step('verify').validate({ onFailure: fix, stages: ['lint'] }))).toEqual({
      name: 'verify',
      kind: 'validate',
      stages: ['lint'],
      repairs: 3,
      recovery: 'rerun',
      members: [{ name: 'fix', kind: 'agent', config: {}, recovery: 'ask', live: { context: '[function build]', agent: '[Reviewer]' } }],
    });
  });
});

describe('a shown value', () => {
  test('keeps JSON and names everything else, however deep or circular', () => {
    const loop: Record<string, unknown> = { a: 1, gone: undefined };
    loop.self = loop;
    expect(shownValue(loop)).toEqual({ a: 1, self: '[circular]' });
    expect(shownValue([undefined, Number.NaN, new Date(0), new Map(), new Uint8Array(3), Symbol('s')])).toEqual([
      null,
      '[number NaN]',
      '1970-01-01T00:00:00.000Z',
      '[Map]',
      '[Uint8Array]',
      '[symbol Symbol(s)]',
    ]);
    const broken = {
      toJSON: () => {
        throw new Error('no');
      },
    };
    expect(shownValue({ broken })).toEqual({ broken: '[Object]' });
    const shared = { x: 1 };
    expect(shownValue([shared, shared])).toEqual([{ x: 1 }, { x: 1 }]);
  });
});

describe('the digest of a yield', () => {
  const base = () => digestOfYield(step('a').task(greet, { x: 1, y: 2 }));

  test('is the same for the same step, whatever the order of keys', () => {
    expect(base()).toBe(base());
    expect(digestOfYield(step('a').task(greet, { y: 2, x: 1 }))).toBe(base());
  });

  test('differs with the name, the kind, the arguments and the configuration', () => {
    const different = [
      step('b').task(greet, { x: 1, y: 2 }),
      step('a').task(greet, { x: 1, y: 3 }),
      step('a').task(greet, { x: 1, y: 2 }, null),
      step('a').command('true'),
      step('a').command('false'),
      step('a').human({ prompt: 'Ship?' }),
      step('a').human({ prompt: 'Ship it?' }),
      step('a').validate(),
      step('a').validate({ onFailure: step('fix').delay(1) }),
      step('a').each(['x'], () => step('i').delay(1)),
      step('a').each(['y'], () => step('i').delay(1)),
    ].map(digestOfYield);
    expect(new Set([base(), ...different]).size).toBe(different.length + 1);
  });

  test('tells groups apart by rule and members', () => {
    const calls = [step('a').delay(1), step('b').delay(1)];
    const digests = [all(calls), race(calls), all(calls.slice(1)), all([...calls].reverse())].map(digestOfYield);
    expect(new Set(digests).size).toBe(4);
    expect(digestOfYield(all([...calls]))).toBe(digests[0]);
  });

  test('does not change with limits or with the name of a function', () => {
    const renamed = (...names: unknown[]) => names.length;
    expect(digestOfYield(step('a').task(renamed, { x: 1, y: 2 }).timeout('1s').retry(2).title('A'))).toBe(base());
  });

  test('the digest of a yield is of the arguments at the time when the step was built', () => {
    const list = [1];
    const call = step('a').task(greet, list);
    const before = digestOfYield(call);
    list.push(2);
    expect(digestOfYield(call)).toBe(before);
  });
});
