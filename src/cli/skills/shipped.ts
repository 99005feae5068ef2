// Owns the skills that are part of Pawl: which there are, and loading one. They need no trust, since their code comes with
// the program. `scripts/shipped-skills.js` bundles them beside the command line, a file each, and writes the index.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as library from '../../skills/index.ts';
import type { Skill } from '../../skills/skill.ts';

/** A shipped skill as the index describes it. */
export interface ShippedSkill {
  readonly name: string;
  readonly description: string;
  readonly totalSteps: number;
  /** Other names that work as well. */
  readonly aliases: readonly string[];
  /** The skill whose steps send sub-agents to this one; it is of no use by itself. */
  readonly partOf?: string;
  /** The digest of its code. */
  readonly digest: string;
}

const FOLDER = join(import.meta.dirname, 'shipped');

/** All shipped skills, by name. Nothing of them is loaded. */
export function shippedSkills(): readonly ShippedSkill[] {
  return JSON.parse(readFileSync(join(FOLDER, 'index.json'), 'utf8')) as ShippedSkill[];
}

/** The shipped skill of a name or another name of it. */
export function shippedNamed(name: string): ShippedSkill | undefined {
  return shippedSkills().find((skill) => skill.name === name || skill.aliases.includes(name));
}

/** The file of a shipped skill. */
export function shippedFile({ name }: Pick<ShippedSkill, 'name'>): string {
  return join(FOLDER, `${name}.cjs`);
}

/** Loads a shipped skill; only its own file is read. */
export function loadShipped(skill: Pick<ShippedSkill, 'name'>): Skill {
  const file = shippedFile(skill);
  const create = createRequire(file)(file) as (require: () => typeof library) => { readonly default: Skill };
  return create(() => library).default;
}
