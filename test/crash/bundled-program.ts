// Bundles a program that is killed into one file: a process then starts in 50 ms instead of 500, so that every write
// can be a place to die. What is bundled is the source as it stands.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { CrashCommand } from '../../src/proof/crash/process.ts';

/** A bundled program, and the way to be rid of it. */
export interface BundledProgram {
  readonly command: CrashCommand;
  remove(): void;
}

/** Bundles a program of this folder. */
export async function bundleProgram(name: 'program.ts' | 'broken-program.ts' | 'attended-program.ts'): Promise<BundledProgram> {
  const directory = mkdtempSync(join(tmpdir(), 'pawl-crash-program-'));
  const file = join(directory, 'program.mjs');
  const entry = fileURLToPath(new URL(name, import.meta.url));
  await build({ entryPoints: [entry], outfile: file, bundle: true, platform: 'node', format: 'esm', target: 'node24', logLevel: 'error' });
  return { command: { file: process.execPath, args: [file] }, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
