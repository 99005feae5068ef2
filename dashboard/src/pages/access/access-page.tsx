// The page of health and access: what `doctor` finds and who drives what; people, tokens, passkeys, sessions and the audit.

import type { ComponentType } from 'react';
import { Link } from 'wouter';
import { useQueryParams } from '../../parts/use-address.ts';
import { AuditPart } from './audit-part.tsx';
import { HealthPart } from './health-part.tsx';
import { KeysPart } from './keys-part.tsx';
import { PeoplePart } from './people-part.tsx';

const PARTS: Readonly<Record<string, readonly [name: string, part: ComponentType]>> = {
  health: ['Health', HealthPart],
  people: ['People', PeoplePart],
  keys: ['Tokens and passkeys', KeysPart],
  audit: ['Audit', AuditPart],
};

/** The page of health and access. */
export default function AccessPage() {
  const asked = useQueryParams().get('part') ?? 'health';
  const current = asked in PARTS ? asked : 'health';
  const Part = PARTS[current]?.[1] ?? HealthPart;
  return (
    <div className="page">
      <h1>Health and access</h1>
      <nav className="tabs" aria-label="Parts">
        {Object.entries(PARTS).map(([key, [name]]) => (
          <Link key={key} href={`/access?part=${key}`} replace aria-current={key === current ? 'page' : undefined}>
            {name}
          </Link>
        ))}
      </nav>
      <Part />
    </div>
  );
}
