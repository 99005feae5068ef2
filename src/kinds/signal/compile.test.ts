import { expect, test } from 'vitest';
import { REGISTRY } from '../registry.ts';
import { step } from '../step-builder.ts';

test('a signal is awaited by its name', () => {
  const { model } = step('wait').signal('deployed').bound;
  expect(model).toMatchObject({ kind: 'signal', signal: 'deployed' });
  const words = { checkOf: () => null, memberOf: () => ({}), goto: () => 'next' };
  expect(REGISTRY.kinds.signal.write?.(model, words)).toEqual({ signal: 'deployed' });
});

test('a signal without a name is refused', () => {
  expect(() => step('wait').signal(' ')).toThrow('`signal` must name the signal to wait for');
});
