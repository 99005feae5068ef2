import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BoundedOutput } from './output.ts';

function kept(bytesMax: number, ...chunks: string[]): string {
  const output = new BoundedOutput(bytesMax);
  for (const chunk of chunks) output.push(Buffer.from(chunk));
  return output.text();
}

describe('bounded output', () => {
  test('bounded output keeps everything that fits', () => {
    expect(kept(10, 'abc', 'defg', 'hij')).toBe('abcdefghij');
    expect(kept(10)).toBe('');
  });

  test('bounded output keeps head and tail with the number of missing bytes', () => {
    expect(kept(4, 'abcdefg', 'hij')).toBe('ab\n[6 bytes left out]\nij');
    expect(kept(5, 'a', 'b', 'c', 'd', 'e', 'f', 'g')).toBe('abc\n[2 bytes left out]\nfg');
  });

  test('bounded output keeps nothing with a limit of 0', () => {
    expect(kept(0, 'abc')).toBe('\n[3 bytes left out]\n');
  });

  test('bounded output does not split a character', () => {
    expect(kept(8, 'aäöüß€€€€z')).toBe('aä\n[15 bytes left out]\n€z');
    expect(kept(10, 'aäöüß€€€€z')).toBe('aäö\n[13 bytes left out]\n€z');
  });

  test('bounded output does not depend on how the stream was split', () => {
    const input = fc.array(fc.string({ maxLength: 12 }), { maxLength: 12 });
    fc.assert(
      fc.property(input, fc.integer({ min: 0, max: 24 }), (chunks, bytesMax) => {
        expect(kept(bytesMax, ...chunks)).toBe(kept(bytesMax, chunks.join('')));
      }),
    );
  });
});
