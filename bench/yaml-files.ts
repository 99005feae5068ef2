// P8: the time to list or validate a project with a thousand workflow files. Whole processes of the built command line are
// timed from outside, so every figure includes the start of Node.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interleave, type Row } from './measure.ts';

const FILES = 1000;
const TARGET_MS = 2500;
const PAWL = fileURLToPath(new URL('../bin/pawl.js', import.meta.url));
const EXAMPLES = ['feature-development', 'simple-review', 'bug-fix', 'security-feature'];

/** The rows of P8. */
export async function measureYamlFiles(repeats: number): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-yaml-'));
  try {
    writeProject(folder);
    const rows: Row[] = [];
    for (const [id, command] of Object.entries({ P8: 'validate', P8l: 'list' })) rows.push(await rowOf(repeats, { id, command, folder }));
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes copies of four complete workflow files, each under a different name. */
function writeProject(folder: string): void {
  const workflows = join(folder, '.pawl', 'workflows');
  mkdirSync(workflows, { recursive: true });
  const texts = EXAMPLES.map((name) => readFileSync(new URL(`../test/seeds/002/${name}.yaml`, import.meta.url), 'utf8'));
  for (let n = 0; n < FILES; n += 1) {
    const text = texts[n % texts.length] as string;
    writeFileSync(join(workflows, `workflow-${n}.yaml`), text.replace(/^( {2}name: .+)$/m, `$1-${n}`));
  }
}

interface Listing {
  readonly id: string;
  readonly command: string;
  readonly folder: string;
}

async function rowOf(repeats: number, { id, command, folder }: Listing): Promise<Row> {
  const { floor, pawl, ratio, own } = await interleave(repeats, {
    floor: () => timeOf(folder, ['-e', '0']),
    pawl: async () => timeOf(folder, [PAWL, command, '--json'], FILES),
  });
  return {
    id,
    what: `\`pawl ${command}\` of ${FILES} YAML files, with the start of Node`,
    measured: `${pawl.toFixed(0)} ms (Node alone ${floor.toFixed(0)} ms)`,
    target: `≤ ${TARGET_MS} ms`,
    met: pawl <= TARGET_MS,
    json: { ratio, ownUs: (own * 1000) / FILES, ms: pawl, nodeMs: floor },
  };
}

/** The time in milliseconds from the start of a Node process to its end. Its output must name the given number of files. */
function timeOf(cwd: string, words: readonly string[], files = 0): number {
  const begin = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd, encoding: 'utf8', maxBuffer: 100_000_000 });
  const ms = performance.now() - begin;
  const named = stdout.match(/"file":/g)?.length ?? 0;
  if (status !== 0 || named !== files) throw new Error(`node ${words.join(' ')} ended with ${status}, ${named} files: ${stderr}`);
  return ms;
}
