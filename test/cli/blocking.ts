// Owns workflows whose steps a test holds and lets go: a step says that it has begun through a pipe with a name, and
// goes on when the test writes into another, so that no test waits for a time.

import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readProcess } from '../../src/process/process-table.ts';
import type { CliRig } from './rig.ts';

/** Pipes between a step of a workflow and a test. */
export class Hold {
  private readonly begun: string;
  private readonly go: string;

  constructor(rig: CliRig, name = 'hold') {
    this.begun = join(rig.project, `${name}.begun`);
    this.go = join(rig.project, `${name}.go`);
    execFileSync('/usr/bin/env', ['mkfifo', this.begun, this.go]);
  }

  /** A shell line that tells its number, then waits to be let go. */
  get line(): string {
    return `echo $$ > ${this.begun}; cat ${this.go} > /dev/null`;
  }

  /** A shell line whose child works for ever; the child's number is told. */
  get endless(): string {
    return `sleep 1000 & echo $! > ${this.begun}; wait`;
  }

  /** The number that the step told when it began. */
  async pid(): Promise<number> {
    return Number(await readFile(this.begun, 'utf8'));
  }

  /** Lets the step go on. */
  async release(): Promise<void> {
    await writeFile(this.go, 'go');
  }
}

/** Whether a process is gone; one that nobody has buried yet is. */
export function isGone(pid: number): boolean {
  return readProcess(pid)?.ended ?? true;
}

/** Writes a workflow file named after the workflow, trusts it, and gives its path; `steps` is the text of the list. */
export function writeWorkflow(
  rig: CliRig,
  name: string,
  { steps, params = '' }: { readonly steps: string; readonly params?: string },
): Promise<string> {
  const text = `import { arg } from 'pawl'; import { defineWorkflow } from 'pawl/compat';\nexport default defineWorkflow({ name: '${name}', ${params} steps: [${steps}] });\n`;
  return writeTrusted(rig, `${name}.ts`, text);
}

/** Writes a file of workflows and trusts it. */
export async function writeTrusted(rig: CliRig, name: string, text: string): Promise<string> {
  const file = rig.write(name, text);
  const { code, stderr } = await rig.run(['trust', file, '--yes']);
  if (code !== 0) throw new Error(`${file} could not be trusted: ${stderr}`);
  return file;
}

/** What was printed, with times and durations that differ from run to run made equal. */
export function steady(text: string): string {
  return text
    .replace(/^\d\d:\d\d:\d\d/gm, 'TIME')
    .replace(/until \d\d:\d\d:\d\d/g, 'until TIME')
    .replace(/\bin \d+(\.\d+)?m?s\b/g, 'in SPAN');
}
