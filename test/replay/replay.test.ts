import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { applyRow } from '../../src/kernel/apply.ts';
import type { RunEvent } from '../../src/kernel/event.ts';
import type { RunState } from '../../src/kernel/run-state.ts';
import { recordRelease } from './record.ts';

interface History {
  readonly rows: readonly (readonly RunEvent[])[];
  readonly checkpoint: RunState;
}

const { REPLAY_RECORD } = process.env;
if (REPLAY_RECORD !== undefined) recordRelease(REPLAY_RECORD);

const FILES = globSync('*/*.json', { cwd: import.meta.dirname }).sort();
const EVENT_TYPES = [
  'edge.taken',
  'group.joined',
  'input.ignored',
  'run.changed',
  'run.started',
  'step.changed',
  'step.opened',
  'step.reopened',
  'step.settled',
];

function readHistory(file: string): History {
  return JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as History;
}

describe('a recorded history', () => {
  test.each(FILES)('%s folds to the checkpoint it folded to when it was recorded', (file) => {
    const { rows, checkpoint } = readHistory(file);
    const folded = rows.reduce<RunState | undefined>((run, row) => applyRow(run, row), undefined);
    expect(folded).toEqual(checkpoint);
  });

  test('the recorded histories have every event of release 0.1.0, and runs that ended, go on and wait', () => {
    const histories = FILES.filter((file) => file.startsWith('0.1.0')).map(readHistory);
    const types = new Set(histories.flatMap(({ rows }) => rows.flat()).map(({ type }) => type));
    expect([...types].sort()).toEqual(EVENT_TYPES);
    expect(histories.map(({ checkpoint }) => checkpoint.status).sort()).toEqual(['cancelled', 'completed', 'completed', 'running']);
  });
});
