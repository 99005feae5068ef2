// Bundles a program that tests start into one file: a process then starts in 50 ms instead of 500. What is bundled is
// the source as it stands.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { CrashCommand } from '../src/proof/crash/process.ts';

/** A bundled program, and the way to be rid of it. */
export interface BundledProgram {
  readonly file: string;
  readonly command: CrashCommand;
  remove(): void;
}

/** Bundles a program of this folder, by its path from here. */
export async function bundleProgram(path: string): Promise<BundledProgram> {
  const directory = mkdtempSync(join(tmpdir(), 'pawl-program-'));
  const file = join(directory, 'program.mjs');
  const entry = join(import.meta.dirname, path);
  await build({ entryPoints: [entry], outfile: file, bundle: true, platform: 'node', format: 'esm', target: 'node24', logLevel: 'error' });
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  return { file, command: { file: process.execPath, args: [file] }, remove };
}
