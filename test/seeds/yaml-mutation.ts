// Owns workflow files that nobody would write: valid ones, changed at random by a seed, in ways that hurt a reader. One
// seed is one file, so a failure can be had again.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findYamlProblems } from '../../src/authoring/yaml/check/check.ts';
import { readYamlWorkflow } from '../../src/authoring/yaml/read/read.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { cpuTimeMs } from '../cpu-time.ts';

const FOLDER = join(import.meta.dirname, '002');
const FILES = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.yaml'))
  .sort()
  .map((file) => enveloped(readFileSync(join(FOLDER, file), 'utf8')));

const BITS = [
  ...[
    '{{',
    '}}',
    '{{ x }}',
    '{',
    '}',
    '[',
    ']',
    ':',
    ': ',
    '- ',
    '? ',
    '#',
    '|',
    '>',
    '|2\n',
    '"',
    "'",
    '\\',
    '\t',
    '\n',
    '\r\n',
    '\n\n',
    ' ',
    '  ',
  ],
  ...[
    '&a ',
    '*a',
    '<<: ',
    '<<: *a\n',
    '!!js/function ',
    '!x ',
    '---\n',
    '...\n',
    '%YAML 1.1\n',
    '\ufeff',
    '\u0000',
    '\ud800',
    '\u2028',
    '😀',
    '~',
    'null',
  ],
  ...[
    '__proto__',
    '__proto__:\n',
    'constructor: ',
    'prototype',
    'toString',
    '0x1F',
    '1e999',
    '.nan',
    '-0',
    '9'.repeat(40),
    'yes',
    '0.8',
    '30s',
    '2-of-9',
  ],
  ...[
    'type: agent\n',
    'type: gate',
    'stages:',
    'run: ',
    'secrets.A',
    '{{ secrets.A }}',
    'on_fail: ',
    'retry: 2',
    'goto: ',
    '{{ a | b(',
    'x'.repeat(500),
  ],
];

/** A stage of the seed as a file. */
function enveloped(text: string): string {
  if (!text.startsWith('- ')) return text;
  return `apiVersion: squadron.dev/v1\nkind: Workflow\nmetadata:\n  name: envelope\nstages:\n${text.replaceAll(/^(?=.)/gm, '  ')}`;
}

/** What was done with a mutated file. */
export interface Trial {
  readonly text: string;
  readonly tookMs: number;
  readonly isValid: boolean;
}

/** The file of a seed. */
export function mutated(seed: number): string {
  const random = randomOf(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  let text = pick(FILES);
  for (let left = 1 + Math.floor(random() * 6); left > 0; left -= 1) {
    const at = Math.floor(random() * (text.length + 1));
    const length = random() < 0.7 ? Math.floor(random() * 4) : Math.floor(random() * 80);
    const from = Math.floor(random() * text.length);
    const into =
      random() < 0.6
        ? pick(BITS)
        : random() < 0.5
          ? text.slice(from, from + Math.floor(random() * 200))
          : pick(FILES).slice(from, from + 60);
    text = text.slice(0, at) + into + text.slice(at + length);
  }
  return text;
}

/** Checks the file of a seed; throws if anything but problems comes of it. */
export function tryFile(seed: number): Trial {
  const text = mutated(seed);
  const start = cpuTimeMs();
  const { errors, warnings } = findYamlProblems('f.yaml', text, REGISTRY);
  const tookMs = cpuTimeMs() - start;
  const { document, problems, positionOf } = readYamlWorkflow(text, 'f.yaml', { compilers: REGISTRY });
  const rows = text.split('\n');
  const hasError = problems.some(({ severity }) => severity === 'error');
  if ((document === undefined) !== hasError)
    throw new Error(`there is ${document === undefined ? 'no' : 'a'} document and ${problems.length} problems`);
  for (const { line, column, message } of [
    ...problems,
    ...errors,
    ...warnings,
    { ...positionOf(['stages', 0, 'id']), message: 'positionOf' },
  ]) {
    const row = rows[line - 1];
    if (row === undefined || column < 1 || column > row.length + 1)
      throw new Error(`"${message}" is told at ${line}:${column}, which is outside the file`);
  }
  return { text, tookMs, isValid: document !== undefined };
}

/** Numbers from 0 to 1, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
