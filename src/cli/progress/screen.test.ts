import { expect, test } from 'vitest';
import { fitRows, Screen } from './screen.ts';

const step = (key: string, ended: boolean, height = 1) => ({
  key,
  ended,
  lines: Array.from({ length: height }, (_, line) => `${key}${line === 0 ? '' : line}`),
});

test('steps that fit the screen stay in the block', () => {
  expect(fitRows([step('a', true), step('b', false)], 2)).toEqual({ out: [], lines: ['a', 'b'] });
});

test('steps that have ended scroll out at the top when the block is higher than the screen', () => {
  const { out, lines } = fitRows([step('a', true), step('b', true), step('c', false)], 2);
  expect(out.map(({ key }) => key)).toEqual(['a']);
  expect(lines).toEqual(['b', 'c']);
});

test('a running step does not scroll out: the last lines of a block that is too high are shown', () => {
  const { out, lines } = fitRows([step('a', false, 3), step('b', true)], 2);
  expect(out).toEqual([]);
  expect(lines).toEqual(['a2', 'b']);
});

function screenOf(columns: number): {
  readonly screen: Screen;
  readonly resize: (columns: number) => void;
  readonly written: () => string;
} {
  let printed = '';
  const stdout = { columns, rows: 10 };
  const screen = new Screen({
    context: { stdout },
    write: (text) => {
      printed += text;
    },
  });
  const written = (): string => {
    const text = printed;
    printed = '';
    return text;
  };
  return { screen, resize: (now) => Object.assign(stdout, { columns: now }), written };
}

test('lines replace the previous ones in one write, and nothing is written when nothing changed', () => {
  const { screen, written } = screenOf(80);
  screen.draw(['one', 'two']);
  expect(written()).toBe('one\u001b[K\ntwo\u001b[K\n\u001b[J');
  screen.draw(['one', 'two']);
  expect(written()).toBe('');
  screen.draw(['one', 'TWO'], ['above']);
  expect(written()).toBe('\r\u001b[2Aabove\u001b[K\none\u001b[K\nTWO\u001b[K\n\u001b[J');
});

test('after the terminal became narrower, a line that it wrapped counts as two rows', () => {
  const { screen, resize, written } = screenOf(80);
  screen.draw(['x'.repeat(40)]);
  written();
  resize(30);
  screen.draw(['y']);
  expect(written()).toBe('\r\u001b[2Ay\u001b[K\n\u001b[J');
});
