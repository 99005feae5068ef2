// Decides which groups a person is in, and whose approvals count for a gate. Groups come from the config (`groups:
// {maintainers: [ann, bob]}`).
//
// U1. Names are compared case-insensitively for A to Z only, as forges do. Similar-looking letters are different.
// U2. An undefined group is an error, never an empty group: a gate must not wait for people who do not exist.

import { EngineError } from '../base/error.ts';
import { foldedName, isSamePerson } from '../base/person.ts';
import { didYouMean } from '../base/suggest.ts';
import type { ForgeApproval } from './forge.ts';

/** Groups by name, each with its members. */
export type Groups = Readonly<Record<string, readonly string[]>>;

/** Whether a person is a member of any of the named groups. */
export function isIn(groups: Groups, names: string | readonly string[], actor: string): boolean {
  return membersOf(groups, names).some((member) => isSamePerson(member, actor));
}

/** Returns a person's name as the groups spell it, or undefined if they are in none of them. */
export function memberName(groups: Groups, names: string | readonly string[], actor: string): string | undefined {
  return membersOf(groups, names).find((member) => isSamePerson(member, actor));
}

/** Returns the members of all named groups, each once. */
export function membersOf(groups: Groups, names: string | readonly string[]): string[] {
  const members = new Map<string, string>();
  for (const name of typeof names === 'string' ? [names] : names) {
    for (const member of groupOf(groups, name)) if (!members.has(foldedName(member))) members.set(foldedName(member), member);
  }
  return [...members.values()];
}

/** Which approvals count. */
interface ApprovalRule {
  readonly groups: Groups;
  readonly from: string | readonly string[];
  /** The author of the pull request, who cannot approve it. */
  readonly author: string;
}

/** Returns the distinct people whose approval counts: members of the groups with rights, without bots and the author. */
export function approversOf(approvals: readonly ForgeApproval[], rule: ApprovalRule): string[] {
  const members = membersOf(rule.groups, rule.from);
  const counted = approvals.filter(
    ({ actor, bot, permission, state }) =>
      state === 'approved' &&
      !bot &&
      permission !== 'none' &&
      !isSamePerson(actor, rule.author) &&
      members.some((member) => isSamePerson(member, actor)),
  );
  return [...new Map(counted.map(({ actor }) => [foldedName(actor), actor])).values()];
}

function groupOf(groups: Groups, name: string): readonly string[] {
  const group = Object.hasOwn(groups, name) ? groups[name] : undefined;
  if (group !== undefined) return group;
  const known = Object.keys(groups);
  const listed = known.length === 0 ? 'the config has no groups' : `the config has ${known.join(', ')}`;
  throw new EngineError('CONFIG_INVALID', `unknown group "${name}"${didYouMean(name, known)}; ${listed}; add it under "groups"`, {
    details: { group: name },
  });
}
