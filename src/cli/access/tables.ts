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
import { oneLine } from '../terminal.ts';
import type { OpenAccess } from './open-access.ts';

const AUDIT_SHOWN = 50;
const AUDIT_MAX = 10_000;

/** Shows who may log in. */
export function showPeople({ shell, store, groupsOf }: OpenAccess): void {
  const people = readPeople(store).map((person) => personReport(person, groupsOf(person.name)));
  shell.list({ people }, people, {
    none: 'No people yet. "pawl access login" creates a link for you, "pawl access invite NAME" one for someone else.',
    columns: {
      NAME: ({ name, manages }) => `${name}${manages ? ' (manages)' : ''}`,
      SCOPES: ({ scopes }) => scopes.join(', '),
      GROUPS: ({ groups }) => oneLine(groups.join(', ')),
      INVITED: ({ createdAt, invitedBy }) => `${agoText(Date.parse(createdAt))} by ${oneLine(invitedBy)}`,
      STATUS: ({ revokedAt }) => (revokedAt === null ? 'active' : `revoked ${agoText(Date.parse(revokedAt))}`),
    },
  });
}

/** Shows the groups of the settings. */
export function showGroups({ shell, setup }: OpenAccess): void {
  const groups = Object.entries(setup.settings.groups ?? {}).map(([name, people]) => ({ name, people: [...people] }));
  shell.list({ groups }, groups, {
    none: 'No groups. List them in the settings: groups: { maintainers: [ann, bob] }.',
    columns: { GROUP: ({ name }) => oneLine(name), PEOPLE: ({ people }) => oneLine(people.join(', ')) },
  });
}

/** Shows the tokens, without their secrets. */
export function showTokens({ shell, store }: OpenAccess): void {
  const tokens = readTokens(store).map((token) => tokenReport(token, Date.now()));
  shell.list({ tokens }, tokens, {
    none: 'No tokens. "pawl access token create NAME" creates one.',
    columns: {
      PERSON: ({ person }) => person,
      NAME: ({ name }) => oneLine(name),
      SCOPES: ({ scopes }) => scopes.join(', '),
      USED: ({ usedAt }) => (usedAt === null ? 'never' : agoText(Date.parse(usedAt))),
      EXPIRES: ({ expiresAt, isExpired }) => (isExpired ? 'expired' : untilText(Date.parse(expiresAt))),
    },
  });
}

/** Shows the sessions of browsers. */
export function showSessions({ shell, store }: OpenAccess): void {
  const sessions = readSessions(store).map((session) => sessionReport(session, false));
  shell.list({ sessions }, sessions, {
    none: 'Nobody is logged in.',
    columns: {
      PERSON: ({ person }) => person,
      VIA: ({ via }) => via,
      FROM: ({ address }) => oneLine(address),
      USED: ({ usedAt }) => agoText(Date.parse(usedAt)),
      BROWSER: ({ agent }) => oneLine(agent),
    },
  });
}

/** Shows the passkeys, with the line that enrols each. */
export function showPasskeys({ shell, store, keys }: OpenAccess): void {
  const list = keys();
  const passkeys = readPasskeys(store).map((passkey) => {
    const enrolled = list.find(fingerprintOf(passkey));
    return passkeyReport(passkey, enrolled !== undefined && enrolled.revokedAt === undefined);
  });
  shell.list({ passkeys }, passkeys, {
    none: 'No passkeys. People add them in the browser after they have logged in.',
    lines: ({ person, title, createdAt, isEnrolled, publicKey }) => [
      `${person}: ${oneLine(title)}, added ${agoText(Date.parse(createdAt))}`,
      isEnrolled
        ? '  counts for signed decisions'
        : `  does not count for signed decisions; to change that: pawl identity enrol "${publicKey}"`,
    ],
  });
}

/** Shows who did what, newest first. */
export function showAudit({ shell, store, args }: OpenAccess): void {
  const limit = wholeNumber(args, 'limit', { min: 1, max: AUDIT_MAX }) ?? AUDIT_SHOWN;
  const entries = readAudit(store, { limit }).map(auditReport);
  shell.list({ entries }, entries, {
    none: 'Nothing was done through the server yet.',
    columns: {
      WHEN: ({ at }) => at,
      WHO: ({ person, via }) => `${person ?? 'nobody'} (${via})`,
      FROM: ({ address }) => oneLine(address),
      WHAT: ({ action, about }) => oneLine(`${action} ${about}`),
      RESULT: ({ outcome }) => outcome,
    },
  });
}
