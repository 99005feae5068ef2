// Owns the tables of `pawl access`: people, groups, tokens, sessions, passkeys and the audit log.

import { fingerprintOf } from '../../authority/keys.ts';
import { agoText, untilText } from '../../control/time-text.ts';
import { readAudit } from '../../server/access/audit.ts';
import { readPasskeys } from '../../server/access/passkeys.ts';
import { readPeople } from '../../server/access/people.ts';
import { auditReport, passkeyReport, personReport, sessionReport, tokenReport } from '../../server/access/reports.ts';
import { readSessions } from '../../server/access/sessions.ts';
import { readTokens } from '../../server/access/tokens.ts';
import { wholeNumber } from '../params.ts';
import { oneLine, table } from '../terminal.ts';
import type { OpenAccess } from './open-access.ts';

const AUDIT_SHOWN = 50;
const AUDIT_MAX = 10_000;

/** Shows who may log in. */
export function showPeople({ shell, store, groupsOf }: OpenAccess): void {
  const people = readPeople(store).map((person) => personReport(person, groupsOf(person.name)));
  shell.result({ people }, () =>
    people.length === 0
      ? ['Nobody yet. "pawl access login" makes a link for you, "pawl access invite NAME" one for somebody else.']
      : table(shell.look, [
          { title: 'NAME', cells: people.map(({ name, manages }) => `${name}${manages ? ' (manages)' : ''}`) },
          { title: 'SCOPES', cells: people.map(({ scopes }) => scopes.join(', ')) },
          { title: 'GROUPS', cells: people.map(({ groups }) => oneLine(groups.join(', '))) },
          {
            title: 'INVITED',
            cells: people.map(({ createdAt, invitedBy }) => `${agoText(Date.parse(createdAt))} by ${oneLine(invitedBy)}`),
          },
          {
            title: 'STATUS',
            cells: people.map(({ revokedAt }) => (revokedAt === null ? 'active' : `revoked ${agoText(Date.parse(revokedAt))}`)),
          },
        ]),
  );
}

/** Shows the groups of the settings. */
export function showGroups({ shell, place }: OpenAccess): void {
  const groups = Object.entries(place.settings.groups ?? {}).map(([name, people]) => ({ name, people: [...people] }));
  shell.result({ groups }, () =>
    groups.length === 0
      ? ['No groups. List them in the settings: groups: { maintainers: [ann, bob] }.']
      : table(shell.look, [
          { title: 'GROUP', cells: groups.map(({ name }) => oneLine(name)) },
          { title: 'PEOPLE', cells: groups.map(({ people }) => oneLine(people.join(', '))) },
        ]),
  );
}

/** Shows the tokens, without their secrets. */
export function showTokens({ shell, store }: OpenAccess): void {
  const tokens = readTokens(store).map((token) => tokenReport(token, Date.now()));
  shell.result({ tokens }, () =>
    tokens.length === 0
      ? ['No tokens. "pawl access token create NAME" creates one.']
      : table(shell.look, [
          { title: 'PERSON', cells: tokens.map(({ person }) => person) },
          { title: 'NAME', cells: tokens.map(({ name }) => oneLine(name)) },
          { title: 'SCOPES', cells: tokens.map(({ scopes }) => scopes.join(', ')) },
          { title: 'USED', cells: tokens.map(({ usedAt }) => (usedAt === null ? 'never' : agoText(Date.parse(usedAt)))) },
          { title: 'EXPIRES', cells: tokens.map(({ expiresAt, isExpired }) => (isExpired ? 'expired' : untilText(Date.parse(expiresAt)))) },
        ]),
  );
}

/** Shows the sessions of browsers. */
export function showSessions({ shell, store }: OpenAccess): void {
  const sessions = readSessions(store).map((session) => sessionReport(session, false));
  shell.result({ sessions }, () =>
    sessions.length === 0
      ? ['Nobody is logged in.']
      : table(shell.look, [
          { title: 'PERSON', cells: sessions.map(({ person }) => person) },
          { title: 'VIA', cells: sessions.map(({ via }) => via) },
          { title: 'FROM', cells: sessions.map(({ address }) => oneLine(address)) },
          { title: 'USED', cells: sessions.map(({ usedAt }) => agoText(Date.parse(usedAt))) },
          { title: 'BROWSER', cells: sessions.map(({ agent }) => oneLine(agent)) },
        ]),
  );
}

/** Shows the passkeys, with the line that enrols each. */
export function showPasskeys({ shell, store, keys }: OpenAccess): void {
  const list = keys();
  const passkeys = readPasskeys(store).map((passkey) => {
    const enrolled = list.find(fingerprintOf(passkey));
    return passkeyReport(passkey, enrolled !== undefined && enrolled.revokedAt === undefined);
  });
  shell.result({ passkeys }, () =>
    passkeys.length === 0
      ? ['No passkeys. People add them in the browser after they have logged in.']
      : passkeys.flatMap(({ person, title, createdAt, isEnrolled, publicKey }) => [
          `${person}: ${oneLine(title)}, added ${agoText(Date.parse(createdAt))}`,
          isEnrolled
            ? '  counts for signed decisions'
            : `  does not count for signed decisions; to change that: pawl identity enrol "${publicKey}"`,
        ]),
  );
}

/** Shows who did what, newest first. */
export function showAudit({ shell, store, given }: OpenAccess): void {
  const limit = wholeNumber(given, 'limit', { min: 1, max: AUDIT_MAX }) ?? AUDIT_SHOWN;
  const entries = readAudit(store, { limit }).map(auditReport);
  shell.result({ entries }, () =>
    entries.length === 0
      ? ['Nothing was done through the server yet.']
      : table(shell.look, [
          { title: 'WHEN', cells: entries.map(({ at }) => at) },
          { title: 'WHO', cells: entries.map(({ person, via }) => `${person ?? 'nobody'} (${via})`) },
          { title: 'FROM', cells: entries.map(({ address }) => oneLine(address)) },
          { title: 'WHAT', cells: entries.map(({ action, about }) => oneLine(`${action} ${about}`)) },
          { title: 'RESULT', cells: entries.map(({ outcome }) => outcome) },
        ]),
  );
}
