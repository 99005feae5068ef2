// Lists and loads the skills that Pawl ships. They need not be trusted, because their code is part of Pawl.
// `scripts/shipped-skills.js` bundles each into a file next to the command line, and writes the index.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as library from '../../skills/index.ts';
import type { Skill } from '../../skills/skill.ts';

/** A shipped skill as the index describes it. */
interface ShippedSkill {
  readonly name: string;
  readonly description: string;
  readonly totalSteps: number;
  readonly aliases: readonly string[];
  /** The skill that sends sub-agents to this one, which is not useful by itself. */
  readonly partOf?: string;
  readonly digest: string;
}

const FOLDER = join(import.meta.dirname, 'shipped');

/** All shipped skills by name, from the index. */
export function shippedSkills(): readonly ShippedSkill[] {
  return JSON.parse(readFileSync(join(FOLDER, 'index.json'), 'utf8')) as ShippedSkill[];
}

/** The shipped skill with a name or alias. */
export function findShippedSkill(name: string): ShippedSkill | undefined {
  return shippedSkills().find((skill) => skill.name === name || skill.aliases.includes(name));
}

/** The file of a shipped skill. */
export function shippedFile({ name }: Pick<ShippedSkill, 'name'>): string {
  return join(FOLDER, `${name}.cjs`);
}

/** Loads a shipped skill from its file. */
export function loadShipped(skill: Pick<ShippedSkill, 'name'>): Skill {
  const file = shippedFile(skill);
  const create = createRequire(file)(file) as (require: () => typeof library) => { readonly default: Skill };
  return create(() => library).default;
}
