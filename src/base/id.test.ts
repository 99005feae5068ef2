import { describe, expect, test } from 'vitest';
import { createRunId, deriveRunId, isRunIdPrefix } from './id.ts';

describe('a run id', () => {
  test('a run id has 16 characters without look-alikes', () => {
    for (let round = 0; round < 200; round += 1) expect(createRunId()).toMatch(/^[0-9a-hjkmnp-tv-z]{16}$/);
  });

  test('a run id is new each time', () => {
    expect(new Set(Array.from({ length: 1000 }, createRunId)).size).toBe(1000);
  });

  test('the id of a child is the same for the same parent and path, and for no other', () => {
    expect(deriveRunId('a', 'step#1')).toBe(deriveRunId('a', 'step#1'));
    expect(deriveRunId('a', 'step#1')).not.toBe(deriveRunId('a', 'step#2'));
    expect(deriveRunId('a', 'step#1')).not.toBe(deriveRunId('b', 'step#1'));
  });

  test('the id of a child is the same as in earlier releases', () => {
    expect(deriveRunId('0123456789abcdef', 'build#1')).toBe('8kv1ah9zmq8hcp7v');
  });

  test('a run id may be shortened to any prefix', () => {
    const id = createRunId();
    expect([1, 4, 16].map((length) => isRunIdPrefix(id.slice(0, length)))).toEqual([true, true, true]);
  });

  test.each(['', 'A', 'il', 'o', 'u', 'a b', '0'.repeat(17), '../x'])('%j is not a run id', (text) => {
    expect(isRunIdPrefix(text)).toBe(false);
  });
});
