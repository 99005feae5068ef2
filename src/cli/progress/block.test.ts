import { expect, test } from 'vitest';
import type { RunEvent } from '../../kernel/event.ts';
import { ParsedArgs } from '../command.ts';
import { Shell } from '../shell.ts';
import { widthOf } from '../terminal.ts';
import { headLine } from './block.ts';
import { RunProgress } from './progress.ts';

const stream = { isTTY: true, columns: 40, on: () => undefined } as unknown as NodeJS.WriteStream;
const context = { stdin: process.stdin, stdout: stream, stderr: stream, env: { LANG: 'C.UTF-8', NO_COLOR: '1' }, cwd: '/' };
const shell = new Shell(context, new ParsedArgs(new Map(), new Map(), new Set()));

test('a long workflow name is shortened to make room for the run and its status', () => {
  const progress = new RunProgress();
  const run = { id: '7kq2m4p8x1c9v3bt', workflow: 'a-workflow-with-a-very-long-name', flags: [], createdAt: 0 };
  progress.apply({ type: 'run.started', at: 0, run } as unknown as RunEvent);
  const node = { run: run.id, progress, titles: new Map(), children: new Map() };
  for (const columns of [20, 40, 60, 80]) {
    const line = headLine(shell, node, { columns, now: 1000, outputOf: () => [] });
    expect(widthOf(line)).toBeLessThan(columns);
    if (columns >= 40) expect(line).toContain('7kq2m4p8x1c9v3bt  waiting');
  }
});
