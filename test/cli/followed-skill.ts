// Owns a skill that the agent of examples/skills follows in a project of its own, and the comparison of what it did and left
// behind with what the example shows. UPDATE_GOLDEN=1 writes the transcripts.

import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Agent, type Playbook, type StepWork } from '../../examples/skills/agent.ts';
import { makeProject } from '../../examples/skills/project.ts';
import type { CliRig } from './rig.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples/skills');
const DOCUMENTS = 'notes/**/*.{md,json,diff}';

/** An example that is played in the project of a rig. */
export class FollowedSkill {
  private readonly rig: CliRig;
  private readonly folder: string;
  private readonly playbook: Playbook;
  private readonly notes: string[] = [];

  constructor(rig: CliRig, example: string, work: Readonly<Record<string, StepWork>>) {
    this.rig = rig;
    this.folder = join(EXAMPLES, example);
    this.playbook = { thoughts: this.folder, work };
    makeProject(rig.project);
  }

  /** An agent runs a command and does what follows; after `forgetsAfter` reports it is gone. Returns what was printed last. */
  follow(words: readonly string[], options: { readonly forgetsAfter?: number } = {}): Promise<string> {
    // Whoever knows nothing is a process of its own.
    const pawl = (said: readonly string[]) => (said.join() === 'next' ? this.rig.start(said).ended : this.rig.run(said));
    return new Agent(this.playbook, { pawl, note: (line) => this.notes.push(line) }, options).follow(words);
  }

  /** A new agent that knows nothing but that there is Pawl goes on. */
  goOn(options: { readonly forgetsAfter?: number } = {}): Promise<string> {
    this.notes.push('-- the agent has forgotten everything; a new one asks');
    return this.follow(['next'], options);
  }

  /** What was done, and the documents that are left, are those of the example. */
  expectAsShown(): void {
    const { rig, folder } = this;
    const shown = globSync(DOCUMENTS, { cwd: folder }).sort();
    expect(globSync(DOCUMENTS, { cwd: rig.project }).sort()).toEqual(shown);
    const commit = /\b[0-9a-f]{7}\b(?= on main|\.\s)/g;
    const contentOf = (root: string, path: string): unknown => {
      const text = readFileSync(join(root, path), 'utf8').replaceAll(commit, '<commit>');
      return path.endsWith('.json') ? JSON.parse(text) : text;
    };
    for (const path of shown) expect(contentOf(rig.project, path)).toEqual(contentOf(folder, path));
    const file = join(folder, 'transcript.txt');
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, this.transcript());
    expect(this.transcript()).toBe(existsSync(file) ? readFileSync(file, 'utf8') : '');
  }

  /** The transcript without what differs each time. */
  private transcript(): string {
    const text = this.notes
      .join('\n')
      .replaceAll(/--token=[\w-]+/g, '--token=<token>')
      .replaceAll(/\b(run |next |done |Run )[a-z0-9]{16}\b/g, '$1<run>');
    return `${text}\n`;
  }
}
