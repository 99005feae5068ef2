import { expect, test } from 'vitest';
import { randomBytes, randomUuid } from './random.ts';

test('bytes are as many as were asked for, and others each time', () => {
  expect(randomBytes(16)).toHaveLength(16);
  expect(new Set(Array.from({ length: 1000 }, () => randomBytes(8).toString('hex'))).size).toBe(1000);
});

test('a UUID says that it is a random one', () => {
  for (let n = 0; n < 100; n += 1) expect(randomUuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
