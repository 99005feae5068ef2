import { expect, test } from 'vitest';
import type { TranscriptEvent } from '../../engine/transcript/transcripts.ts';
import { OutputLimit } from './output-limit.ts';
import { OutputLines } from './output-lines.ts';

const at = '2026-01-01T00:00:00.000Z';

function linesOf(events: readonly TranscriptEvent[]): string[] {
  const lines = new OutputLines();
  return [...events.flatMap((event) => lines.push({ at, ...event })), ...lines.end(0)].map(({ text }) => text);
}

const printed = (text: string): TranscriptEvent => ({ kind: 'output', text });

test('pieces of a line are joined, and a line without an end is the last', () => {
  expect(linesOf([printed('one\ntw'), printed('o\nthr'), printed('ee')])).toEqual(['one', 'two', 'three']);
});

test('an agent that begins to do something else ends its line', () => {
  expect(
    linesOf([
      { kind: 'text', text: 'I look' },
      { kind: 'tool', id: '1', name: 'Read', input: { path: 'a' } },
    ]),
  ).toEqual(['I look', '> Read {"path":"a"}']);
});

test('of the results of tools only failures are lines', () => {
  const result = { kind: 'tool-result', id: '1', text: 'no such\nfile' } as const;
  expect(
    linesOf([
      { ...result, ok: true },
      { ...result, ok: false },
    ]),
  ).toEqual(['failed: no such file']);
});

test('a progress bar shows what it showed last, and nothing steers the terminal', () => {
  expect(linesOf([printed('10%\r50%\r100%\r\n\u001b[2J\u001b]0;title\u0007red \u001b[31malert\u001b[0m\u0008\n')])).toEqual([
    '100%',
    'red alert',
  ]);
});

test('a chatty step is limited by the second, and the lines left out are counted', () => {
  const limit = new OutputLimit();
  const lines = Array.from({ length: 1000 }, (_, index) => ({ at: 5000 + (index < 900 ? 0 : 1000), text: `line ${index}` }));
  const shown = lines.flatMap((line) => limit.admit(line));
  expect(shown).toHaveLength(40 + 1 + 40);
  expect(shown.slice(40, 42)).toEqual([
    { at: 5000, leftOut: 860 },
    { at: 6000, text: 'line 900' },
  ]);
  expect(limit.end()).toEqual([{ at: 6000, leftOut: 60 }]);
  expect(limit.end()).toEqual([]);
});

test('a step is limited in all, and a long line is cut', () => {
  const limit = new OutputLimit();
  const shown = Array.from({ length: 1000 }, (_, index) => ({ at: index * 1000, text: 'x'.repeat(5000) })).flatMap((line) =>
    limit.admit(line),
  );
  const texts = shown.flatMap((line) => ('text' in line ? [line.text] : []));
  expect(texts[0]).toHaveLength(303);
  expect(texts.join('').length).toBeLessThan(70_000);
});
