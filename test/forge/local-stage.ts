// Owns a local forge for tests: a bare repository with one commit and a state file, in a temporary folder.

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { omitUndefined } from '../../src/base/fields.ts';
import { type LocalForge, openLocalForge } from '../../src/forge/local/local-forge.ts';
import { removeFolder } from '../../src/process/remove-folder.ts';
import { type ForgeStage, valueIn } from '../../src/proof/forge-suite/stage.ts';
import { openStageRepository } from './repository.ts';

/** A local forge that was opened for one test. */
export interface LocalForgeStage extends ForgeStage {
  readonly forge: LocalForge;
  reopen(): Promise<LocalForge>;
  /** The bare repository, the state file and the folder of both; all gone once the stage is closed. */
  readonly repository: string;
  readonly state: string;
  readonly folder: string;
  /** Runs git in the repository and gives what it prints. */
  git(...args: readonly string[]): Promise<string>;
}

/** Opens an empty local forge. */
export async function openLocalForgeStage(now: () => number = Date.now): Promise<LocalForgeStage> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-forge-'));
  const [repository, state] = [join(folder, 'project.git'), join(folder, 'forge.db')];
  const { git, commit, clone, read, fork } = await openStageRepository(repository, now);
  const opened: LocalForge[] = [];
  const reopen = async (actor?: string): Promise<LocalForge> => {
    const forge = await openLocalForge({ repository, state, now, ...omitUndefined({ actor }) });
    opened.push(forge);
    return forge;
  };
  const forge = await reopen();
  return {
    ...{ forge, reopen: () => reopen(), repository, state, folder, commit, clone },
    openFromFork: async (branch) => {
      const { folder: place, head } = await fork(branch);
      const request = { title: `Add ${branch}`, body: '', head: branch, base: 'main', repository: place };
      return { number: valueIn(await (await reopen('carol')).control.openFromFork(request)).number, head };
    },
    ...{ git, read },
    review: async (pr, actor, said) => void valueIn(await forge.control.review(pr, { actor, state: said })),
    check: async (branch, check) => void valueIn(await forge.control.check(branch, check)),
    comment: async (number, actor, body) => {
      return valueIn(await (await reopen(actor)).comment({ number, body }, `comment/${actor}/${body}`)).id;
    },
    reactions: async (comment) => forge.control.reactions(comment),
    account: async (login, account) => forge.control.account(login, account),
    team: async (name, people) => forge.control.team(name, people),
    assign: async (number, assignment) => forge.control.assign(number, assignment),
    requireChecks: async (branch, names) => forge.control.requireChecks(branch, names),
    discussion: async (title) => forge.control.discussion({ title }),
    limit: async (until) => forge.control.rateLimit(until),
    close: async () => {
      for (const one of opened) await one.close();
      await removeFolder(folder);
    },
  };
}
