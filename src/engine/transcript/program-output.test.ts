import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRedactor } from '../../process/redact.ts';
import { openProgramOutput } from './program-output.ts';
import { TranscriptTail } from './transcript-tail.ts';
import { openTranscript, transcriptFile } from './transcripts.ts';

const OF = { run: 'r1', path: 'build#1', attempt: 1 };
const IO = { now: () => 0, warn: (error: unknown) => expect.fail(String(error)) };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-output-'));
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

function texts(tail: TranscriptTail): string[] {
  return tail.read().map((line) => ('text' in line ? line.text : line.kind));
}

test('a tail reads each line once, as soon as it is complete, and a part of one after a moment', () => {
  const tail = new TranscriptTail(folder, OF);
  const sink = openProgramOutput(folder, OF, IO);
  expect(tail.read()).toEqual([]);
  sink.push('one\ntw');
  expect(texts(tail)).toEqual(['one\n']);
  expect(tail.read()).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(texts(tail)).toEqual(['tw']);
  sink.push('o\n');
  sink.push('rest');
  sink.close();
  expect(texts(tail)).toEqual(['o\n', 'rest']);
});

test('a program that prints nothing leaves no file', () => {
  openProgramOutput(folder, OF, IO).close();
  expect(statSync(transcriptFile(folder, OF), { throwIfNoEntry: false })).toBeUndefined();
});

test('the beginning of a long output is kept, then the last lines of each second, and the end', () => {
  const sink = openProgramOutput(folder, OF, IO);
  for (let line = 0; line < 100_000; line += 1) {
    sink.push(`line ${line} ${'x'.repeat(40)}\n`);
    if (line % 20_000 === 0) vi.advanceTimersByTime(1000);
  }
  sink.close();
  expect(statSync(transcriptFile(folder, OF)).size).toBeLessThan(3_000_000);
  const all = texts(new TranscriptTail(folder, OF)).join('');
  expect(all).toContain('line 0 ');
  expect(all).toMatch(/\[\d+ characters left out\]/);
  expect(all.trimEnd().endsWith(`line 99999 ${'x'.repeat(40)}`)).toBe(true);
});

test('a secret that an agent prints in two pieces is masked, also when the first waits for its end', () => {
  const transcript = openTranscript(folder, { ...OF, redactor: createRedactor({ TOKEN: 'hunter2hunter2' }) }, IO);
  transcript.add({ kind: 'text', text: 'it is hunter2' });
  vi.advanceTimersByTime(1000);
  transcript.add({ kind: 'text', text: 'hunter2, yes\n' });
  transcript.close();
  expect(texts(new TranscriptTail(folder, OF)).join('')).toBe('it is [redacted:TOKEN], yes\n');
});

test('a tail of a long transcript can begin near its end', () => {
  const sink = openProgramOutput(folder, OF, IO);
  for (let line = 0; line < 1000; line += 1) sink.push(`line ${line}\n`);
  sink.close();
  const lines = texts(new TranscriptTail(folder, OF, 500));
  expect(lines.at(-1)).toBe('line 999\n');
  expect(lines.length).toBeLessThan(10);
});
