import { expect, test } from 'vitest';
import type { TranscriptEvent } from '../../engine/transcript/transcripts.ts';
import { OutputLines } from './output-lines.ts';
import { OutputLimit } from './view.ts';

const at = '2026-01-01T00:00:00.000Z';

function linesOf(events: readonly TranscriptEvent[]): string[] {
  const lines = new OutputLines();
  return [...events.flatMap((event) => lines.push({ at, ...event })), ...lines.end(0)].map(({ text }) => text);
}

const printed = (text: string): TranscriptEvent => ({ kind: 'output', text });

test('pieces of a line are joined, and an incomplete line is the last', () => {
  expect(linesOf([printed('one\ntw'), printed('o\nthr'), printed('ee')])).toEqual(['one', 'two', 'three']);
});

test('a tool call ends the line of the agent', () => {
  expect(
    linesOf([
      { kind: 'text', text: 'I look' },
      { kind: 'tool', id: '1', name: 'Read', input: { path: 'a' } },
    ]),
  ).toEqual(['I look', '> Read {"path":"a"}']);
});

test('only failures of tool results are shown', () => {
  const result = { kind: 'tool-result', id: '1', text: 'no such\nfile' } as const;
  expect(
    linesOf([
      { ...result, ok: true },
      { ...result, ok: false },
    ]),
  ).toEqual(['failed: no such file']);
});

test('only the last state of a progress bar is shown, and control characters are removed', () => {
  expect(linesOf([printed('10%\r50%\r100%\r\n\u001b[2J\u001b]0;title\u0007red \u001b[31malert\u001b[0m\u0008\n')])).toEqual([
    '100%',
    'red alert',
  ]);
});

test('the lines of a step are limited per second, and those left out are counted', () => {
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

test('the characters of a step are limited in total, and a long line is truncated', () => {
  const limit = new OutputLimit();
  const shown = Array.from({ length: 1000 }, (_, index) => ({ at: index * 1000, text: 'x'.repeat(5000) })).flatMap((line) =>
    limit.admit(line),
  );
  const texts = shown.flatMap((line) => ('text' in line ? [line.text] : []));
  expect(texts[0]).toHaveLength(303);
  expect(texts.join('').length).toBeLessThan(70_000);
});
